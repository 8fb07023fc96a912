import { spawn } from "node:child_process";
import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ProcessFamily } from "../../../src/tools/process/process-family.ts";
import { inject } from "../inject.ts";
import { bringBuild, emptyEnvironment, makeFreshClone, programsWithNode, type FreshClone } from "./fresh-clone.ts";
import { shortAndLong } from "../../sample.ts";

/** An installation, a build and a start on a busy machine with a slow line. */
const WALK_MS = 900_000;
const NOBODY = 65_534;
/** `NEWCOMER_BUILDS=2`: the service is built again in a read-only folder; otherwise it takes along what was built before. */
const BUILDS_TWICE = process.env["NEWCOMER_BUILDS"] === "2";
/** From the end of npm to that of the last process. */
const GONE_MS = 30_000;

/** Size of the installation at most. */
const MAX_INSTALLED_BYTES = 600_000_000;

/** A file with several names, such as the program of a platform, is there once. */
function bytesOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const stats = files.map((file) => lstatSync(join(file.parentPath, file.name)));
  const sizes = new Map(stats.map(({ ino, size }) => [ino, size]));
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
}

let clone: FreshClone;
beforeAll(async () => {
  // The second one arrives while the first test installs and builds; the test that needs it reports its failure.
  programsWithNode(22).catch(() => undefined);
  clone = await makeFreshClone();
});
afterAll(() => clone.remove());

interface End {
  code: number | null;
  out: string;
  err: string;
  /** Numbers of its processes that were still there after a while. */
  left: number[];
}

/** Runs npm in the clone, with nothing in the environment but what it needs, to its end. */
async function npm(
  major: number,
  words: string[],
  options: { env?: Record<string, string>; user?: number } = {},
): Promise<End> {
  const env = { ...emptyEnvironment(await programsWithNode(major), clone), ...options.env };
  const user = options.user === undefined ? {} : { uid: options.user, gid: options.user };
  const child = spawn("npm", words, { cwd: clone.folder, env, stdio: ["ignore", "pipe", "pipe"], ...user });
  const family = new ProcessFamily(child.pid ?? 0);
  const looking = setInterval(() => family.look(), 500);
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    });
    const deadline = Date.now() + GONE_MS;
    while (family.alive().length > 0 && Date.now() < deadline) await sleep(200);
    return { code, out, err, left: family.alive() };
  } finally {
    clearInterval(looking);
    family.kill();
  }
}

const startOnce = (major: number, words: string[] = [], options: Parameters<typeof npm>[2] = {}): Promise<End> =>
  npm(major, ["start", "--", "--once", ...words], options);

// In this order: the first one installs and builds, and the last makes the folder read-only.
describe("a newcomer with a fresh clone and an empty environment", () => {
  test("installs and scrapes a page with Node 20", { tags: ["long"], timeout: WALK_MS, retry: 0 }, async () => {
    const { code, out, err } = await startOnce(20);
    expect(code, err).toBe(0);
    expect(err).toMatch(/^Installing: \d+ of \d+ packages, \d+ MB after \d+ s/m);
    expect(err).toMatch(/^Dependencies installed in \d+ s$/m);
    expect(out).toContain("# How an orb-weaver builds its web");
    // What tests alone need is not installed.
    expect(existsSync(join(clone.folder, "node_modules", "vitest"))).toBe(false);
    expect(existsSync(join(clone.folder, "node_modules", "wrangler"))).toBe(true);
    expect(bytesOf(join(clone.folder, "node_modules"))).toBeLessThan(MAX_INSTALLED_BYTES);
  });

  // On Node 22 the service starts in the read-only folder below as well.
  for (const { tags, entries } of shortAndLong([20, 22, 24], (major) => major !== 22))
    test.each(entries)(
      "scrapes a page with Node %i, says how long it took, and leaves no process behind",
      { tags, timeout: WALK_MS },
      async (major) => {
        // Without the test before. That a build needs no more than these packages: test/unit/tools/service-packages.test.ts.
        if (!existsSync(join(clone.folder, "node_modules"))) bringBuild(clone);
        const { code, out, err, left } = await startOnce(major);
        expect(code, err).toBe(0);
        expect(err).not.toContain("Installing");
        expect(out).toMatch(/^# How an orb-weaver builds its web$/m);
        expect(out).toContain("| Glue | Aggregate |");
        expect(out).toMatch(/^Scraped http:\/\/127\.0\.0\.1:\d+\/orb-weavers in \d+ ms$/m);
        expect(left).toEqual([]);
      },
    );

  test("is told of a mistyped option, by its nearest name", { timeout: WALK_MS }, async () => {
    const { code, err } = await startOnce(22, ["--persits", "x"]);
    expect(code).toBe(1);
    expect(err).toContain("There is no option --persits. Did you mean --persist?");
  });

  test("is told of a page that cannot be loaded before anything is built", { timeout: WALK_MS }, async () => {
    const server = createServer();
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    const { port } = server.address() as { port: number };
    await new Promise((closed) => server.close(closed));
    const asked = await startOnce(22, [`http://127.0.0.1:${port}/`], { env: { ALLOW_PRIVATE_HOSTS: "127.0.0.1" } });
    expect(asked.code).toBe(1);
    expect(asked.err).toContain("does not accept connections (ECONNREFUSED)");
    expect(asked.err).not.toContain("Bundling");
    const refused = await startOnce(22, [inject("siteUrl")]);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain("ALLOW_PRIVATE_HOSTS=127.0.0.1 npm start -- http://127.0.0.1");
    expect(refused.err).not.toContain("Bundling");
  });

  test(
    "in a read-only folder with Node 22 is told so, and starts with --persist elsewhere, also without a browser",
    { timeout: WALK_MS },
    async () => {
      const removed = BUILDS_TWICE ? ["dist", ".wrangler"] : [".wrangler"];
      for (const name of removed) rmSync(join(clone.folder, name), { recursive: true, force: true });
      const state = join(clone.home, "state");
      mkdirSync(state);
      const isRoot = process.getuid?.() === 0;
      if (isRoot) for (const folder of [clone.home, state]) chownSync(folder, NOBODY, NOBODY);
      else chmodSync(clone.folder, 0o555);
      const user = isRoot ? { user: NOBODY } : {};
      const before = readdirSync(clone.folder);
      const env = { npm_config_cache: join(clone.home, "npm") };
      try {
        const refused = await startOnce(22, [], { ...user, env });
        expect(refused.code).toBe(1);
        expect(refused.err).toContain("is read-only for this user");
        expect(refused.err).toContain("npm start -- --persist DIR");
        const withoutBrowser = { ...env, CHROME_PATH: "/nowhere/chrome" };
        const { code, out, err } = await startOnce(22, ["--persist", state], { ...user, env: withoutBrowser });
        expect(code, err).toBe(0);
        expect(out).toContain("# How an orb-weaver builds its web");
        expect(readdirSync(clone.folder)).toEqual(before);
        if (!BUILDS_TWICE) {
          const bundles = join("dist", "worker");
          const copied = readdirSync(join(state, "orbweaver", "project", bundles));
          expect(copied).toEqual(readdirSync(join(clone.folder, bundles)));
        }
        // What is off is named, with what to do.
        expect(err).toContain("There is no browser: CHROME_PATH is /nowhere/chrome");
        expect(err).toContain("screenshots, PDFs, actions and browser sessions fail; all else works");
        expect(err).toContain("apt-get install chromium-headless-shell");
      } finally {
        chmodSync(clone.folder, 0o755);
      }
    },
  );
});
