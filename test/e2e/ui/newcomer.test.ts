import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ProcessFamily } from "../../../src/tools/process/process-family.ts";
import { PROJECT_ROOT } from "../../../src/tools/service/wrangler.ts";
import { withReader } from "./with-reader.ts";

const READY_MS = 120_000;
const GONE_MS = 30_000;
const tab = withReader();
let persistDir: string;
let child: ChildProcess | undefined;
let family: ProcessFamily | undefined;

beforeEach(() => {
  persistDir = mkdtempSync(join(tmpdir(), "newcomer-"));
});
// It takes everything along, also when it is killed.
afterEach(async () => {
  family?.look();
  child?.kill("SIGKILL");
  await expect.poll(() => family?.alive(), { timeout: GONE_MS }).toEqual([]);
  rmSync(persistDir, { recursive: true, maxRetries: 3 });
});

/** Starts the service as `npm start` does and returns the sign-in URL that it prints. */
async function startedAddress(): Promise<string> {
  const env: NodeJS.ProcessEnv = { ...process.env };
  for (const name of ["API_KEY", "PORT", "npm_lifecycle_event"]) delete env[name];
  const words = ["src/tools/bootstrap.mjs", "src/tools/start.ts", "--persist", persistDir, "--port", await freePort()];
  const started = spawn(process.execPath, words, { cwd: PROJECT_ROOT, env, stdio: ["ignore", "pipe", "pipe"] });
  const own = new ProcessFamily(started.pid ?? 0);
  [child, family] = [started, own];
  let out = "";
  started.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  const looking = setInterval(() => own.look(), 500);
  await expect.poll(() => out, { timeout: READY_MS }).toMatch(/^Open +http\S+$/m);
  clearInterval(looking);
  return /^Open +(\S+)$/m.exec(out)?.[1] ?? "";
}

async function freePort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return String(port);
}

// Uses only the last line of the terminal and the texts on the screen. Prints the duration of each step.
test(
  "a newcomer starts the service, scrapes a page and watches a crawl",
  { tags: ["long"], timeout: 240_000 },
  async () => {
    const page = tab();
    const steps: string[] = [];
    let beganAt = performance.now();
    const step = (name: string): void => {
      steps.push(`${name} ${Math.round(performance.now() - beganAt)} ms`);
      beganAt = performance.now();
    };
    const address = await startedAddress();
    step("npm start");
    await page.goto(address);
    await page.getByRole("button", { name: "Run" }).waitFor();
    step("first view");
    // Measured with the page's clock, which starts at the navigation.
    const [paintMs, usableMs] = await page.evaluate<[number, number]>(
      "[performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0, performance.now()].map(Math.round)",
    );
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByRole("tabpanel", { name: "Rendered" }).getByText("How an orb-weaver builds its web").waitFor();
    step("first scrape");
    await page.getByRole("link", { name: "Jobs" }).click();
    await page.getByRole("button", { name: "Start crawl" }).click();
    await page.locator(".page-item").first().waitFor();
    step("first page of a crawl, live");
    await page.locator(".page-actions").getByText("Completed", { exact: true }).waitFor({ timeout: 60_000 });
    await page.getByText("7 of 7 pages").waitFor();
    step("end of the crawl");
    console.log(`The newcomer's path: ${steps.join(", ")}`);
    console.log(`First view: painted after ${paintMs} ms, complete within ${usableMs} ms`);
  },
);
