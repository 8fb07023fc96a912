import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { shortAndLong } from "../../sample.ts";
import { ProcessFamily } from "../../../src/tools/process/process-family.ts";
import { PROJECT_ROOT } from "../../../src/tools/service/wrangler.ts";
import { inject } from "../inject.ts";

interface Run {
  child: ChildProcess;
  /** Every process that the run has had so far. */
  family: ProcessFamily;
  out: () => string;
  err: () => string;
  exit: Promise<number | null>;
}

const READY_MS = 90_000;
/** From the death of a starter to the end of the last browser process. */
const GONE_MS = 30_000;

let persistDir: string;
let runs: Run[] = [];

beforeEach(() => {
  persistDir = mkdtempSync(join(tmpdir(), "start-"));
});
afterEach(async () => {
  for (const run of runs) run.family.kill();
  await Promise.all(runs.map(({ exit }) => exit));
  runs = [];
  rmSync(persistDir, { recursive: true, maxRetries: 3 });
});

function launch(command: string, words: string[]): Run {
  const env: NodeJS.ProcessEnv = { ...process.env };
  for (const name of ["API_KEY", "PORT", "npm_lifecycle_event"]) delete env[name];
  const child = spawn(command, words, { cwd: PROJECT_ROOT, env, stdio: ["ignore", "pipe", "pipe"] });
  const family = new ProcessFamily(child.pid ?? 0);
  const looking = setInterval(() => family.look(), 200);
  let out = "";
  let err = "";
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
  const exit = new Promise<number | null>((resolve) => {
    child.once("exit", (code) => {
      clearInterval(looking);
      resolve(code);
    });
  });
  const run = { child, family, out: () => out, err: () => err, exit };
  runs.push(run);
  return run;
}

const start = (...words: string[]): Run =>
  launch(process.execPath, ["src/tools/bootstrap.mjs", "src/tools/start.ts", "--persist", persistDir, ...words]);

const startWithNpm = (...words: string[]): Run => launch("npm", ["start", "--", "--persist", persistDir, ...words]);

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}

/** Waits for the lines at the end of a start. */
async function served(run: Run): Promise<{ url: string; key: string; sampleUrl: string }> {
  await expect
    .poll(() => run.out() + (run.child.exitCode === null ? "" : run.err()), { timeout: READY_MS })
    .toContain("Try it");
  const find = (pattern: RegExp): string => pattern.exec(run.out())?.[1] ?? "";
  return {
    url: find(/^Address +(\S+)$/m),
    key: find(/^API key +(\S+)$/m),
    sampleUrl: find(/^Scraped (\S+) in \d+ ms$/m),
  };
}

/** Of the run that uses the state. */
function temporaryFolder(): string {
  const place = join(persistDir, "orbweaver");
  const run = readdirSync(place).find((name) => name.startsWith("run-")) ?? "";
  return readlinkSync(join(place, run, "temporary"));
}

/** Returns the process group; NaN when the process has ended. */
function groupOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[2]);
  } catch {
    return Number.NaN;
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ");
  } catch {
    return "";
  }
}

const gone = (run: Run) => expect.poll(() => run.family.alive(), { timeout: GONE_MS }).toEqual([]);

function scrape(service: { url: string; key: string }, url: string, options: object = {}): Promise<Response> {
  return fetch(`${service.url}/v2/scrape`, {
    method: "POST",
    headers: { authorization: `Bearer ${service.key}`, "content-type": "application/json" },
    body: JSON.stringify({ url, ...options }),
  });
}

// Several starts a test, each of them seconds even on a quiet machine.
describe("npm start", { timeout: 180_000 }, () => {
  // `--once` is part of the newcomer's path: newcomer.test.ts. That it takes all along when it is killed: ui/newcomer.test.ts.
  test("serves with a key of its own, opens no private address but the sample's, and ends on SIGTERM", async () => {
    const port = await freePort();
    const first = start("--port", String(port));
    const service = await served(first);
    expect(service.url).toBe(`http://localhost:${port}`);
    expect(first.out()).toContain(`curl ${service.url}/v2/scrape -H 'Authorization: Bearer ${service.key}'`);
    expect((await scrape(service, service.sampleUrl)).status).toBe(200);
    expect((await scrape({ ...service, key: "fc-wrong" }, service.sampleUrl)).status).toBe(401);
    const refused = await scrape(service, inject("siteUrl"));
    expect(refused.ok).toBe(false);
    expect(await refused.json()).toMatchObject({ success: false });

    const second = start("--port", String(await freePort()));
    expect(await second.exit).toBe(1);
    expect(second.err()).toContain("give this one a folder of its own with --persist DIR");

    first.child.kill("SIGTERM");
    expect(await first.exit).toBe(0);
    await gone(first);
  });

  test(
    "takes settings and a key, scrapes the address it is given, and ends with npm, however npm ends",
    { tags: ["long"] },
    async () => {
      const key = "fc-00112233445566778899aabbccddeeff";
      process.env["ALLOW_PRIVATE_HOSTS"] = "127.0.0.1";
      const run = startWithNpm("--port", String(await freePort()), "--key", key, `${inject("siteUrl")}/`);
      delete process.env["ALLOW_PRIVATE_HOSTS"];
      const service = await served(run);
      expect(service.key).toBe(key);
      expect(run.out()).toContain("# Harrow Bay");
      await scrape(service, inject("siteUrl"), { formats: ["screenshot"] });
      run.child.kill("SIGKILL");
      await run.exit;
      await gone(run);
    },
  );

  test("a browser ends by itself when all else is killed; the next start removes what is left, keeps the key, and ends on SIGINT", async () => {
    const run = start("--port", String(await freePort()));
    const service = await served(run);
    expect((await scrape(service, service.sampleUrl, { formats: ["screenshot"] })).status).toBe(200);
    run.family.look();
    const temporary = temporaryFolder();
    const alive = run.family.alive();
    const groups = alive.filter((pid) => commandOf(pid).includes(`--user-data-dir=${temporary}/`)).map(groupOf);
    const browsers = alive.filter((pid) => groups.includes(groupOf(pid)));
    const others = alive.filter((pid) => !browsers.includes(pid));
    expect(browsers.length).toBeGreaterThan(3);
    // Stopped first, so that none tidies up after another.
    for (const signal of ["SIGSTOP", "SIGKILL"] as const) for (const pid of others) process.kill(pid, signal);
    await run.exit;
    await gone(run);
    expect(existsSync(temporary)).toBe(true);

    const next = start("--port", String(await freePort()));
    expect((await served(next)).key).toBe(service.key);
    expect(existsSync(temporary)).toBe(false);
    next.child.kill("SIGINT");
    expect(await next.exit).toBe(0);
    await gone(next);
  });

  test("says what to do about a port in use", async () => {
    const server = createServer();
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    const { port } = server.address() as AddressInfo;
    const run = start("--port", String(port));
    expect(await run.exit).toBe(1);
    expect(run.err()).toContain(`Port ${port} is in use by another program`);
    await new Promise((closed) => server.close(closed));
  });

  const mistakes = [
    { words: ["--key", "secret"], says: "API_KEY: must be fc- followed by 32 lower-case hexadecimal digits" },
    { words: ["--port", "x"], says: "The port must be a number" },
    { words: ["ftp://example.com"], says: "is no address of a web page" },
  ];
  for (const { tags, entries } of shortAndLong(mistakes, ({ words }) => words.includes("--key")))
    test.each(entries)("refuses $words before anything starts", { tags }, async ({ words, says }) => {
      const run = start("--once", ...words);
      expect(await run.exit).toBe(1);
      expect(run.err()).toContain(says);
    });
});
