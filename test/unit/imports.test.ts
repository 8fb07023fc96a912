import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { expect, test } from "vitest";

const ENGINE_ROOMS = ["core", "ports", "content"];
const JOB_ROOMS = [...ENGINE_ROOMS, "formats"];
const SURFACE_ROOMS = ["core", "formats", "jobs", "services"];

/** Which rooms each room of `src` may import from, besides itself. The files beside the rooms may import everything. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  core: [],
  ports: ["core"],
  content: ["core"],
  engines: ENGINE_ROOMS,
  formats: ENGINE_ROOMS,
  search: ENGINE_ROOMS,
  sessions: ["core", "ports"],
  jobs: JOB_ROOMS,
  services: [...JOB_ROOMS, "engines", "search", "sessions", "jobs"],
  http: SURFACE_ROOMS,
  mcp: SURFACE_ROOMS,
  storage: ["core", "ports"],
  // Durable Objects keep their rows by the statements of storage, and those of sessions ask their rules.
  platform: ["core", "ports", "storage", "sessions", "sandbox", "page-scripts"],
  // Scripts that run in browsers; the Worker holds them as text.
  "page-scripts": ["core", "sessions"],
  // Programs of isolates of their own; the Worker holds them as text.
  sandbox: ["core", "content"],
  ui: [],
  // Programs for the developer's machine: they read the list of settings, and measure and train the pure rooms.
  tools: ["env.ts", "core", "content"],
};

const MAX_LINES = 400;
const src = join(import.meta.dirname, "../../src");
const files = globSync("**/*.{ts,tsx,mjs}", { cwd: src });
const textOf = (file: string): string => readFileSync(join(src, file), "utf8");
const roomOf = (file: string): string => file.split(sep)[0] ?? file;

/** Relative imports of a file, as paths below `src`. */
function importsOf(file: string): string[] {
  const specifiers = textOf(file).matchAll(/^(?:import|export)\b[^"';]*?["'](\.[^"']+)["']/gm);
  return [...specifiers].map(([, specifier]) => relative(src, join(src, dirname(file), specifier ?? "")));
}

test("every room of src stands in the table", () => {
  const rooms = files.filter((file) => file.includes(sep)).map(roomOf);
  expect(rooms.filter((room) => !(room in MAY_IMPORT))).toEqual([]);
});

test("imports point down only", () => {
  const wrong = files.flatMap((file) => {
    const room = roomOf(file);
    const allowed = MAY_IMPORT[room];
    if (allowed === undefined) return [];
    const upward = importsOf(file).filter((target) => roomOf(target) !== room && !allowed.includes(roomOf(target)));
    return upward.map((target) => `${file} imports ${target}`);
  });
  expect(wrong).toEqual([]);
});

test(`no file of src has more than ${MAX_LINES} lines`, () => {
  const long = files.map((file) => ({ file, lines: textOf(file).split("\n").length - 1 }));
  expect(long.filter(({ lines }) => lines > MAX_LINES)).toEqual([]);
});

/** Files that read messages of the browser, which are not stored. */
const MAY_CAST = new Set([
  "core/cdp/target-events.ts",
  "core/stored-state.ts",
  "page-scripts/live-view/connection.ts",
  "platform/browser/browser-sessions.ts",
  "platform/browser/cdp-connection.ts",
  "platform/sessions/profile-browser.ts",
]);

test("no file casts parsed JSON outside of the messages of the browser", () => {
  const names = files.filter((name) => !/^(?:ui|tools)\//.test(name) && !MAY_CAST.has(name));
  expect(names.length).toBeGreaterThan(500);
  const casts = names.filter((name) =>
    /JSON\.parse\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\)? as (?!const)/.test(textOf(name)),
  );
  expect(casts).toEqual([]);
});
