import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ProcessFamily } from "../../../src/tools/process/process-family.ts";
import { PROJECT_ROOT } from "../../../src/tools/service/wrangler.ts";
import { inject } from "../inject.ts";

/** What the simulator serves beside the Worker, by its names now and before. */
const LOCAL_PATHS = [
  "/cdn-cgi/local/scheduled",
  "/cdn-cgi/handler/scheduled",
  "/cdn-cgi/mf/scheduled",
  "/cdn-cgi/local/email",
  "/cdn-cgi/local/explorer",
  "/cdn-cgi/explorer/api/storage",
  "/cdn-cgi/local/platform-proxy",
  "/cdn-cgi/local/r2/public/orbweaver/anything",
  "/cdn-cgi/local/r2/s3/orbweaver?list-type=2",
  "/__cf_local/stream/anything",
];

const HEADERS: Record<string, string>[] = [
  {},
  { Host: "localhost" },
  { Host: "attacker.example" },
  { Origin: "https://attacker.example" },
  { Origin: "http://localhost" },
  { "X-Orbweaver-Local-Token": "guessed" },
  { "X-Forwarded-Host": "localhost", "X-Forwarded-For": "127.0.0.1" },
];

/** As `curl --path-as-is` sends it; `fetch` allows no Host. */
function statusOf(path: string, headers: Record<string, string>, url = inject("serviceUrl")): Promise<number> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const asking = request({ hostname, port, path, headers }, (response) => {
      response.resume().once("end", () => resolve(response.statusCode ?? 0));
    });
    asking.once("error", reject).end();
  });
}

test.each(LOCAL_PATHS)("%s is closed to everyone without the starting program's token", async (path) => {
  for (const headers of HEADERS) {
    expect([403, 404], JSON.stringify(headers)).toContain(await statusOf(path, headers));
  }
  // The simulator's own way to say what was asked for has no effect.
  const disguised = { "MF-Original-URL": `${inject("serviceUrl")}${path}` };
  expect(await statusOf("/docs", {})).toBe(200);
  expect(await statusOf("/docs", disguised)).toBe(200);
});

test("the starting program runs scheduled work through them", async () => {
  const headers = { "X-Orbweaver-Local-Token": inject("localToken") };
  expect(await statusOf("/cdn-cgi/local/scheduled", headers)).toBe(200);
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}

/** Starts `npm run dev` with a state of its own. @returns its address, and the token that it prints. */
async function startDev(): Promise<{ url: string; token: string }> {
  const persistDir = mkdtempSync(join(tmpdir(), "dev-"));
  const port = await freePort();
  const words = ["src/tools/bootstrap.mjs", "--service", "src/tools/dev.ts"];
  const child = spawn(process.execPath, [...words, "--port", String(port), "--persist-to", persistDir], {
    cwd: PROJECT_ROOT,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const family = new ProcessFamily(child.pid ?? 0);
  const ended = once(child, "exit");
  onTestFinished(async () => {
    family.look();
    child.kill("SIGTERM");
    await ended;
    family.kill();
    rmSync(persistDir, { recursive: true, force: true, maxRetries: 5 });
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += String(chunk)));
  await expect
    .poll(() => output + (child.exitCode === null ? "" : `ended with ${child.exitCode}`), { timeout: 200_000 })
    .toMatch(/Ready on|ended with/);
  expect(output).toContain("Ready on");
  return { url: `http://127.0.0.1:${port}`, token: /X-Orbweaver-Local-Token: (\S+)/.exec(output)?.[1] ?? "" };
}

test(
  "under npm run dev they are closed as well, and open with the token that it prints",
  { tags: ["long"], timeout: 300_000 },
  async () => {
    const { url, token } = await startDev();
    expect(await statusOf("/health", {}, url)).toBe(200);
    for (const path of LOCAL_PATHS) {
      expect([403, 404], path).toContain(await statusOf(path, {}, url));
      expect([403, 404], path).toContain(await statusOf(path, { "X-Orbweaver-Local-Token": "guessed" }, url));
    }
    expect(await statusOf("/cdn-cgi/local/scheduled", { "X-Orbweaver-Local-Token": token }, url)).toBe(200);
  },
);
