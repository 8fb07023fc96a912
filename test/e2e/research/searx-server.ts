import { spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Where Debian's package puts the program. */
const PROGRAM = "/usr/bin/searx-run";
const EXAMPLE = "/usr/share/doc/searx/examples/settings.yml";
const READY_MS = 30_000;

export interface Searx {
  url: string;
  stop(): Promise<void>;
}

/** Why there is no searx to test with; undefined when there is one. */
export const searxMissing: string | undefined =
  existsSync(PROGRAM) && existsSync(EXAMPLE) ? undefined : `${PROGRAM} is missing; Debian has it in the package searx`;

/** A real searx, whose only engine is a JSON interface on this machine that knows the pages it is given. */
export async function startSearx(pages: { url: string; title: string; content: string }[]): Promise<Searx> {
  const engine = createServer((request, response) => {
    const query = new URL(request.url ?? "/", "http://engine").searchParams.get("q") ?? "";
    const results = query.includes("nothing") ? [] : pages;
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ results }));
  });
  await new Promise<void>((resolve) => engine.listen(0, "127.0.0.1", resolve));
  const folder = await mkdtemp(join(tmpdir(), "searx-"));
  const port = await freePort();
  const settingsFile = join(folder, "settings.yml");
  await writeFile(settingsFile, await settings(port, (engine.address() as AddressInfo).port));
  const child = spawn(PROGRAM, [], { env: { ...process.env, SEARX_SETTINGS_PATH: settingsFile }, stdio: "ignore" });
  const stop = async (): Promise<void> => {
    await ended(child);
    engine.closeAllConnections();
    await new Promise((resolve) => engine.close(resolve));
    await rm(folder, { recursive: true, force: true });
  };
  const url = `http://127.0.0.1:${port}`;
  try {
    await ready(url);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, stop };
}

/** The package's own settings, with one engine in the place of all of its. */
async function settings(port: number, enginePort: number): Promise<string> {
  const text = await readFile(EXAMPLE, "utf8");
  const engine = `engines:
  - name: local
    engine: json_engine
    shortcut: lo
    categories: general
    paging: false
    enable_http: true
    search_url: http://127.0.0.1:${enginePort}/?q={query}
    results_query: results
    url_query: url
    title_query: title
    content_query: content

`;
  return text
    .replace(/port : \d+/, `port : ${port}`)
    .replace("ultrasecretkey", "only-for-a-test")
    .replace(/^engines:\n[\s\S]*?(?=^[a-z_]+:)/m, engine);
}

/** A port that nobody listens on at this moment. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function ready(url: string): Promise<void> {
  const deadline = Date.now() + READY_MS;
  for (;;) {
    const isUp = await fetch(`${url}/config`).then(
      (response) => response.ok,
      () => false,
    );
    if (isUp) return;
    if (Date.now() > deadline) throw new Error(`searx did not start within ${READY_MS / 1000} s`);
    await sleep(200);
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const end = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await Promise.race([end, sleep(3000).then(() => child.kill("SIGKILL"))]);
}
