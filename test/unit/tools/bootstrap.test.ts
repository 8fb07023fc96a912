import { execFile } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { shortAndLong } from "../../sample.ts";
import { PROJECT_ROOT } from "../../../src/tools/service/wrangler.ts";

/** Does what `npm ci` leaves behind, and counts its runs. */
const FAKE_NPM = `
const fs = require("node:fs");
if (process.env.FAKE_STOPPED_AT === process.argv[2]) { process.kill(process.ppid, "SIGINT"); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20_000); }
if (process.argv[2] === "config") { console.log(process.env.FAKE_REGISTRY ?? "https://registry.example/"); process.exit(0); }
const addresses = fs.existsSync("npm-shrinkwrap.json") ? JSON.parse(fs.readFileSync("npm-shrinkwrap.json", "utf8")).packages : undefined;
fs.appendFileSync("addresses", JSON.stringify(addresses ?? null) + "\\n");
fs.appendFileSync("npm-runs", process.argv.slice(2).join(" ") + "\\n");
if (process.env.FAKE_OLD_CACHE && process.argv.includes("--prefer-offline")) { console.error("npm error code ETARGET"); process.exit(1); }
if (process.env.FAKE_OTHER_PATHS && addresses) { console.error("npm error code E404"); process.exit(1); }
if (process.env.FAKE_FAILURE) { console.error(process.env.FAKE_FAILURE); process.exit(1); }
fs.mkdirSync("node_modules/node/bin", { recursive: true });
if (!process.env.FAKE_NO_SCRIPTS) fs.writeFileSync("node_modules/node/bin/node", "");
fs.copyFileSync("package-lock.json", "node_modules/.package-lock.json");
if (process.env.FAKE_SLOW_MS) {
  fs.mkdirSync("node_modules/@scope/c", { recursive: true });
  fs.writeFileSync("node_modules/@scope/c/package.json", "{}");
  fs.writeFileSync("node_modules/@scope/c/data", Buffer.alloc(7_000_000));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(process.env.FAKE_SLOW_MS));
}
`;

let project: string;
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), "bootstrap-"));
  mkdirSync(join(project, "src", "tools"), { recursive: true });
  copyFileSync(join(PROJECT_ROOT, "src/tools/bootstrap.mjs"), join(project, "src/tools/bootstrap.mjs"));
  writeFileSync(join(project, "npm-cli.js"), FAKE_NPM);
  writeFileSync(join(project, "program.ts"), "const words: string[] = process.argv.slice(2);\nconsole.log(words);\n");
  lock({ "": {}, "node_modules/a": { version: "1.0.0" }, "node_modules/b": { version: "2.0.0", optional: true } });
});
afterEach(() => rmSync(project, { recursive: true }));

function lock(packages: Record<string, unknown>): void {
  writeFileSync(join(project, "package-lock.json"), JSON.stringify({ packages }));
}

function bootstrap(
  words: string[],
  env: Record<string, string> = {},
): Promise<{ code: number; out: string; err: string }> {
  const options = {
    cwd: project,
    env: { ...process.env, npm_execpath: join(project, "npm-cli.js"), ...env },
  };
  return new Promise((resolve) => {
    execFile(process.execPath, ["src/tools/bootstrap.mjs", ...words], options, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    );
  });
}

const npmRuns = (): string[] => {
  const path = join(project, "npm-runs");
  return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : [];
};

describe("bootstrap", () => {
  test("installs once, then only runs the program with its words", async () => {
    const first = await bootstrap(["program.ts", "--a", "b c"]);
    expect(first.err).toMatch(/Installing the dependencies[^]*Dependencies installed in \d+ s/);
    const second = await bootstrap(["program.ts", "--a", "b c"]);
    expect(second).toEqual({ code: 0, out: "[ '--a', 'b c' ]\n", err: "" });
    expect(npmRuns()).toEqual(["ci --include=dev --loglevel=error --prefer-offline"]);
  });

  test("says that the port of npm start is in use before it installs", async () => {
    const server = createServer();
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    const { port } = server.address() as AddressInfo;
    const start = (...words: string[]) => bootstrap(["--service", "src/tools/start.ts", ...words], { PORT: "" });
    writeFileSync(join(project, "src/tools/start.ts"), "");
    try {
      for (const words of [["--port", String(port)], [`--port=${port}`]]) {
        const { code, err } = await start("https://example.com", ...words);
        expect(code).toBe(1);
        expect(err).toBe(
          `Port ${port} is in use by another program. Stop it, or choose another port: npm start -- --port ${port + 1}\n`,
        );
      }
      expect(npmRuns()).toEqual([]);
      // Without a chosen port, a single scrape is served on any free one.
      expect((await start("--once")).code).toBe(0);
      expect(npmRuns()).toEqual(["ci --omit=dev --loglevel=error --prefer-offline"]);
    } finally {
      server.close();
    }
  });

  test("shows what has arrived while it installs, and for how long nothing has", async () => {
    const { err } = await bootstrap([], { FAKE_SLOW_MS: "3000", INSTALL_PROGRESS_MS: "400" });
    expect(err).toMatch(/^Installing: 1 of 2 packages, 7 MB after \d+ s$/m);
    expect(err).toMatch(/^Installing: 1 of 2 packages, 7 MB after \d+ s; nothing arrived for [12] s \(Ctrl-C/m);
  });

  test("installs what the service needs, and the rest when a program needs that", async () => {
    lock({ "node_modules/a": { version: "1.0.0" }, "node_modules/t": { version: "1.0.0", dev: true } });
    await bootstrap(["--service", "program.ts"]);
    expect(npmRuns()).toEqual(["ci --omit=dev --loglevel=error --prefer-offline"]);
    const installed = { packages: { "node_modules/a": { version: "1.0.0" } } };
    writeFileSync(join(project, "node_modules", ".package-lock.json"), JSON.stringify(installed));
    expect(await bootstrap(["--service", "program.ts", "a"])).toMatchObject({ out: "[ 'a' ]\n", err: "" });
    expect(npmRuns()).toHaveLength(1);
    await bootstrap(["program.ts"]);
    expect(npmRuns().at(-1)).toBe("ci --include=dev --loglevel=error --prefer-offline");
  });

  test("installs again when the lock file names another version", async () => {
    await bootstrap([]);
    lock({ "node_modules/a": { version: "1.0.1" } });
    await bootstrap([]);
    expect(npmRuns()).toHaveLength(2);
  });

  test("installs once when two programs start at once", async () => {
    const ends = await Promise.all([bootstrap(["program.ts"]), bootstrap(["program.ts"])]);
    expect(ends.map(({ code }) => code)).toEqual([0, 0]);
    expect(npmRuns()).toHaveLength(1);
  });

  test("takes over from an installation that was killed", async () => {
    mkdirSync(join(project, ".wrangler", "install.lock"), { recursive: true });
    writeFileSync(join(project, ".wrangler", "install.lock", "pid"), String(2 ** 30));
    expect((await bootstrap(["program.ts"])).code).toBe(0);
    expect(existsSync(join(project, ".wrangler", "install.lock"))).toBe(false);
  });

  for (const { tags, entries } of shortAndLong(
    [
      { npm: "npm error code EAI_AGAIN", advice: "The package registry was not reached" },
      { npm: "npm error code ENOSPC", advice: "The disk is full" },
      { npm: "npm error code EUSAGE: `npm ci` can only install when in sync", advice: "Run `npm install`" },
      { npm: "npm error code E500", advice: "npm says why above" },
    ],
    ({ npm }) => /EAI_AGAIN|E500/.test(npm),
  ))
    test.each(entries)("says what to do about $npm", { tags }, async ({ npm, advice }) => {
      const { code, err } = await bootstrap(["program.ts"], { FAKE_FAILURE: npm });
      expect(code).toBe(1);
      expect(err).toContain(npm);
      expect(err).toContain(advice);
    });

  test("asks the registry when npm's cache does not know a version yet", async () => {
    expect((await bootstrap(["program.ts"], { FAKE_OLD_CACHE: "1" })).code).toBe(0);
    expect(npmRuns()).toEqual([
      "ci --include=dev --loglevel=error --prefer-offline",
      "ci --include=dev --loglevel=error",
    ]);
  });

  describe("gives npm the addresses of packages, which the lock file leaves out", () => {
    const addresses = (): Record<string, { resolved?: string }>[] =>
      readFileSync(join(project, "addresses"), "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) ?? {});
    const isThere = (): boolean => existsSync(join(project, "npm-shrinkwrap.json"));

    test("in the registry of the user, and removes them", async () => {
      lock({
        "": {},
        "node_modules/a": { version: "1.0.0" },
        "node_modules/a/node_modules/@scope/b": { version: "2.0.0-beta.1" },
        "node_modules/alias": { name: "@scope/c", version: "3.0.0" },
        "node_modules/inner": { version: "1.0.0", inBundle: true },
        "node_modules/local": { resolved: "packages/local", link: true },
      });
      const before = readFileSync(join(project, "package-lock.json"), "utf8");
      await bootstrap([], { FAKE_REGISTRY: "https://registry.example/npm" });
      const [given = {}] = addresses();
      expect(Object.entries(given).map(([path, { resolved }]) => [path, resolved])).toEqual([
        ["", undefined],
        ["node_modules/a", "https://registry.example/npm/a/-/a-1.0.0.tgz"],
        ["node_modules/a/node_modules/@scope/b", "https://registry.example/npm/@scope/b/-/b-2.0.0-beta.1.tgz"],
        ["node_modules/alias", "https://registry.example/npm/@scope/c/-/c-3.0.0.tgz"],
        ["node_modules/inner", undefined],
        ["node_modules/local", "packages/local"],
      ]);
      expect(isThere()).toBe(false);
      expect(readFileSync(join(project, "package-lock.json"), "utf8")).toBe(before);
    });

    test("and lets npm look for them where the registry has other paths", async () => {
      expect((await bootstrap(["program.ts"], { FAKE_OTHER_PATHS: "1" })).code).toBe(0);
      expect(addresses().map((given) => given["node_modules/a"]?.resolved)).toEqual([
        "https://registry.example/a/-/a-1.0.0.tgz",
        undefined,
      ]);
    });

    test("and installs again after an installation that was killed and left them", async () => {
      await bootstrap([]);
      writeFileSync(join(project, "npm-shrinkwrap.json"), "{}");
      expect((await bootstrap(["program.ts"])).code).toBe(0);
      expect(npmRuns()).toHaveLength(2);
      expect(isThere()).toBe(false);
    });

    test("and removes them when npm fails", async () => {
      expect((await bootstrap([], { FAKE_FAILURE: "npm error code E500" })).code).toBe(1);
      expect(isThere()).toBe(false);
    });
  });

  test.each(["config", "ci"])("ends at the first Ctrl-C while npm runs %s", async (command) => {
    const stopped = await bootstrap(["program.ts"], { FAKE_STOPPED_AT: command });
    expect(stopped).toMatchObject({ code: 130, out: "", err: expect.not.stringContaining("could not be installed") });
    expect(npmRuns().length).toBe(0);
    expect(existsSync(join(project, "npm-shrinkwrap.json"))).toBe(false);
  });

  test("says so when npm runs no install scripts", async () => {
    const { code, err } = await bootstrap([], { FAKE_NO_SCRIPTS: "1" });
    expect(code).toBe(1);
    expect(err).toContain("ignore-scripts false");
  });
});
