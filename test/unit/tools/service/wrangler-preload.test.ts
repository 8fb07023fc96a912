import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, it } from "vitest";
import { PROJECT_ROOT } from "../../../../src/tools/service/wrangler.ts";

const PRELOAD = join(PROJECT_ROOT, "src/tools/service/wrangler-preload.cjs");

let folder: string;
let running: ChildProcessWithoutNullStreams | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "orbweaver-preload-"));
});
afterEach(async () => {
  running?.kill("SIGKILL");
  await rm(folder, { recursive: true, force: true });
});

async function start(source: string, ...words: string[]): Promise<ChildProcessWithoutNullStreams> {
  const program = join(folder, "program.js");
  await writeFile(program, source);
  return run(program, ...words);
}

function run(program: string, ...words: string[]): ChildProcessWithoutNullStreams {
  running = spawn(process.execPath, ["--expose-gc", "--require", PRELOAD, program, ...words]);
  return running;
}

it("holds a large source with one byte a character, and means the same", async () => {
  const { stdout } = await start(`${"// a large program\n".repeat(60_000)}// with ’ and →
    const values = () => ["→ …", \`–\${1 + 1}👋\`, /^α+$/u.test("αα"), "é"];
    const tag = String.fromCharCode(require("node:v8").serialize(values.toString())[2]);
    console.log(JSON.stringify([...values(), tag]));`);
  expect(JSON.parse(await text(stdout))).toEqual(["→ …", "–2👋", true, "é", '"']);
});

it("keeps the changed source of a package until the package changes", async () => {
  const name = `${randomUUID()}.js`;
  const program = join(folder, "node_modules", name);
  const kept = join(PROJECT_ROOT, "dist", "wrangler");
  const files = async (): Promise<string[]> =>
    (await readdir(kept)).filter((file) => file.startsWith(name)).map((file) => join(kept, file));
  const write = async (message: string): Promise<void> =>
    writeFile(program, `${"// a large program\n".repeat(60_000)}console.log("→ ${message}");`);
  await mkdir(join(folder, "node_modules"));
  try {
    await write("first");
    expect(await text(run(program).stdout)).toBe("→ first\n");
    const [file = ""] = await files();
    expect(await readFile(file, "latin1")).toContain('"\\u2192 first"');
    await writeFile(file, `console.log("as kept");`);
    expect(await text(run(program).stdout)).toBe("as kept\n");
    await write("changed");
    expect(await text(run(program).stdout)).toBe("→ changed\n");
    await write("changed again");
    expect(await text(run(program).stdout)).toBe("→ changed again\n");
    expect(await files()).toHaveLength(2);
    expect(await files()).not.toContain(file);
  } finally {
    for (const file of await files()) await rm(file);
  }
});

it("lets the buffer of miniflare's configuration grow by a megabyte at a time", async () => {
  const statement = "var MIN_SINGLE_SEGMENT_GROWTH = 4096;";
  const installed = createRequire(createRequire(import.meta.url).resolve("wrangler")).resolve("miniflare");
  expect((await readFile(installed, "utf8")).split(statement)).toHaveLength(2);
  const { stdout } = await start(`${"// a large program\n".repeat(60_000)}${statement}
    console.log(MIN_SINGLE_SEGMENT_GROWTH);`);
  expect(await text(stdout)).toBe("1048576\n");
});

it("writes the messages of a serving wrangler without starting esbuild for each of them", async () => {
  const place = "return esbuild.formatMessagesSync([{ text: firstLine, notes }], {";
  const installed = createRequire(import.meta.url).resolve("wrangler");
  expect((await readFile(installed, "utf8")).split(place)).toHaveLength(2);
  const { stdout } = await start(
    `${"// a large program\n".repeat(60_000)}
    const format = (kind, firstLine, notes) => { ${place} color: true, kind })[0]; };
    console.log(format("warning", "Mind the step", [{ text: "It is wet" }]) + format("error", "Too late"));`,
    "dev",
  );
  expect((await text(stdout)).split("\n").filter((line) => line !== "")).toEqual([
    "▲ [WARNING] Mind the step",
    "  It is wet",
    "✘ [ERROR] Too late",
  ]);
});

it("ends the builder's processes once the service is up, and all with the starting program", async () => {
  const esbuild = join(folder, "node_modules", "esbuild");
  await mkdir(esbuild, { recursive: true });
  await writeFile(join(esbuild, "index.js"), `exports.stop = async () => console.log("stopped");`);
  const program = await start("setInterval(() => undefined, 1000);");
  program.stdin.write("\n");
  expect(String(await once(program.stdout, "data"))).toBe("stopped\n");
  program.stdin.end();
  expect(await once(program, "exit")).toEqual([null, "SIGTERM"]);
});
