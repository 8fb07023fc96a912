import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { expect, test } from "vitest";

const ENGINE_IMPORTS = ["core", "ports", "content"];
const JOB_IMPORTS = [...ENGINE_IMPORTS, "formats"];
const API_IMPORTS = ["core", "formats", "jobs", "services"];

/** Modules that each module of `src` may import, besides itself. Files directly in `src` may import everything. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  core: [],
  ports: ["core"],
  content: ["core"],
  engines: ENGINE_IMPORTS,
  formats: ENGINE_IMPORTS,
  search: ENGINE_IMPORTS,
  sessions: ["core", "ports"],
  jobs: JOB_IMPORTS,
  services: [...JOB_IMPORTS, "engines", "search", "sessions", "jobs"],
  http: API_IMPORTS,
  mcp: API_IMPORTS,
  storage: ["core", "ports"],
  // Durable Objects use the SQL statements of storage and the rules of sessions.
  platform: ["core", "ports", "storage", "sessions", "sandbox", "page-scripts"],
  // Scripts that run in browsers; the Worker holds them as text.
  "page-scripts": ["core", "sessions"],
  // Programs of isolates of their own; the Worker holds them as text.
  sandbox: ["core", "content"],
  ui: [],
  // Programs for the developer's machine: they read the list of settings, and measure and train the pure modules.
  tools: ["env.ts", "core", "content"],
};

const MAX_LINES = 400;
const src = join(import.meta.dirname, "../../src");
const files = globSync("**/*.{ts,tsx,mjs}", { cwd: src });
const textOf = (file: string): string => readFileSync(join(src, file), "utf8");
const moduleOf = (file: string): string => file.split(sep)[0] ?? file;

/** Relative imports of a file, as paths below `src`. */
function importsOf(file: string): string[] {
  const specifiers = textOf(file).matchAll(/^(?:import|export)\b[^"';]*?["'](\.[^"']+)["']/gm);
  return [...specifiers].map(([, specifier]) => relative(src, join(src, dirname(file), specifier ?? "")));
}

test("the table lists every module of src", () => {
  const modules = files.filter((file) => file.includes(sep)).map(moduleOf);
  expect(modules.filter((module) => !(module in MAY_IMPORT))).toEqual([]);
});

test("imports point down only", () => {
  const wrong = files.flatMap((file) => {
    const module = moduleOf(file);
    const allowed = MAY_IMPORT[module];
    if (allowed === undefined) return [];
    const upward = importsOf(file).filter(
      (target) => moduleOf(target) !== module && !allowed.includes(moduleOf(target)),
    );
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
