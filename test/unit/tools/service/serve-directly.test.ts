import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, it } from "vitest";
import { PROJECT_ROOT } from "../../../../src/tools/service/wrangler.ts";

const PRELOAD = join(PROJECT_ROOT, "src/tools/service/serve-directly.cjs");

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "orbweaver-direct-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function write(path: string, source: string): Promise<void> {
  await mkdir(join(folder, path, ".."), { recursive: true });
  await writeFile(join(folder, path), source);
}

/** Runs a program with a miniflare that prints the options of its runtimes. */
async function run(program: string, env: Record<string, string>): Promise<string> {
  await write(
    "node_modules/miniflare/dist/src/index.js",
    `exports.Miniflare = class {
      constructor(options) { this.show(options); this.log = options.handleStructuredLogs; this.ready = Promise.resolve(new URL("http://127.0.0.1:4321")); }
      setOptions(options) { this.show(options); }
      show({ host, port, workers }) { console.log(workers[0].config.name, host, port); }
    };`,
  );
  await write("program.js", program);
  const { stdout } = spawn(process.execPath, ["--require", PRELOAD, join(folder, "program.js")], {
    env: { ...process.env, ...env },
  });
  return await text(stdout);
}

const PROGRAM = `
  const { Miniflare } = require("./node_modules/miniflare/dist/src/index.js");
  const options = (name, port) => ({ host: "127.0.0.1", port, workers: [{ config: { name } }] });
  new Miniflare(options("ProxyWorker", 1));
  new Miniflare(options("orbweaver", 2)).setOptions(options("orbweaver", 2));`;

it("puts the service's runtime on the address, and leaves wrangler's own where it is", async () => {
  const settings = { ORBWEAVER_SERVE_ON: JSON.stringify({ host: "localhost", port: 8787 }) };
  expect((await run(PROGRAM, settings)).trim().split("\n")).toEqual([
    "ProxyWorker 127.0.0.1 1",
    "orbweaver localhost 8787",
    "orbweaver localhost 8787",
    "Serving on port 4321",
  ]);
});

it("passes lines of the log on, and has wrangler translate one call stack in ten seconds", async () => {
  const settings = { ORBWEAVER_SERVE_ON: JSON.stringify({ host: "localhost", port: 8787 }) };
  const program = `
    const miniflare = require("./node_modules/miniflare/dist/src/index.js");
    const handleStructuredLogs = ({ message }) => console.log("translated", message.split("\\n")[0]);
    const service = new miniflare.Miniflare({ handleStructuredLogs, workers: [{ config: { name: "orbweaver" } }] });
    service.log({ level: "log", message: "a line" });
    for (const name of ["first", "second"]) service.log({ level: "warn", message: name + "\\n    at place" });`;
  expect((await run(program, settings)).trim().split("\n").slice(1)).toEqual([
    "a line",
    "translated first",
    "second",
    "    at place",
    "Serving on port 4321",
  ]);
});

it("changes nothing without an address, as npm run dev has it", async () => {
  expect((await run(PROGRAM, {})).trim().split("\n")).toEqual([
    "ProxyWorker 127.0.0.1 1",
    "orbweaver 127.0.0.1 2",
    "orbweaver 127.0.0.1 2",
  ]);
});

it("finds the statement of the pinned wrangler that decides on the inspector", async () => {
  const installed = createRequire(import.meta.url).resolve("wrangler/package.json");
  const source = await readFile(join(installed, "..", "wrangler-dist", "cli.js"), "utf8");
  const [, statement = ""] = /WITHOUT_INSPECTOR = "(.*)"/.exec(await readFile(PRELOAD, "utf8")) ?? [];
  expect(source.split(statement)).toHaveLength(2);
});
