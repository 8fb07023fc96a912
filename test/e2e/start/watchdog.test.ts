import { mkdtempSync, readFileSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeKey } from "../../../src/tools/setup/kept-keys.ts";
import { isRunning } from "../../../src/tools/process/process-family.ts";
import { markedProcesses } from "../../../src/tools/process/run-leftovers.ts";
import { seedBrowser } from "../../../src/tools/browser/seed-browser.ts";
import { watchService, type WatchedService } from "../../../src/tools/service/watch-service.ts";
import { startSite, type Site } from "../../site/start-site.ts";
import { shortAndLong } from "../../sample.ts";
import { call } from "../client.ts";

const PAGES = 50;
/** Two questions that are waited for, seven seconds each, and a start, on a busy machine. */
const BACK_MS = 120_000;

const key = makeKey();
const settings = {
  API_KEY: key,
  ADMIN_KEY: makeKey(),
  ALLOW_PRIVATE_HOSTS: "127.0.0.1",
  SEARCH_PROVIDERS: "own-index",
};
const said: string[] = [];

let site: Site;
let persistDir: string;
let watched: WatchedService;
let service: { url: string; key: string; adminKey: string };
beforeAll(async () => {
  persistDir = mkdtempSync(join(tmpdir(), "watchdog-"));
  site = await startSite({ treePages: PAGES });
  await seedBrowser({ log: console.log });
  watched = await watchService({ persistDir, settings, log: (line) => said.push(line) });
  service = { url: watched.url, key, adminKey: settings.ADMIN_KEY };
});
afterAll(async () => {
  const temporary = temporaryDir();
  await watched.stop();
  // Neither a process nor a temporary file is left.
  expect(markedProcesses(temporary).filter(isRunning)).toEqual([]);
  expect(readdirSync(tmpdir()).map((name) => join(tmpdir(), name))).not.toContain(temporary);
  await site.close();
  rmSync(persistDir, { recursive: true, force: true, maxRetries: 3 });
});

/** Of the service's present life. */
function temporaryDir(): string {
  const place = join(persistDir, "orbweaver");
  const run = readdirSync(place).find((name) => name.startsWith("run-")) ?? "";
  return readlinkSync(join(place, run, "temporary"));
}

const commandOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ");
  } catch {
    return "";
  }
};

const processes = (pattern: RegExp): number[] =>
  markedProcesses(temporaryDir()).filter((pid) => isRunning(pid) && pattern.test(commandOf(pid)));

interface Status {
  status: string;
  completed: number;
  total: number;
  data: { metadata: { sourceURL: string } }[];
}

const startCrawl = async (): Promise<string> => {
  const body = {
    url: `${site.url}/tree/`,
    limit: 1000,
    sitemap: "skip",
    maxConcurrency: 4,
    scrapeOptions: { maxAge: 0 },
  };
  return (JSON.parse((await call("/v2/crawl", { body, service })).text) as { id: string }).id;
};

/** undefined while the service is away. */
async function statusOf(id: string, query = "?limit=1"): Promise<Status | undefined> {
  try {
    const response = await fetch(`${service.url}/v2/crawl/${id}${query}`, {
      headers: { Authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(5_000),
    });
    return response.ok ? ((await response.json()) as Status) : undefined;
  } catch {
    return undefined;
  }
}

async function sourcesOf(id: string): Promise<string[]> {
  const sources: string[] = [];
  for (let skip = 0; skip < PAGES;) {
    const { data } = (await statusOf(id, `?skip=${skip}`)) ?? { data: [] };
    if (data.length === 0) break;
    sources.push(...data.map(({ metadata }) => metadata.sourceURL));
    skip += data.length;
  }
  return sources;
}

// A crash of the whole service in a crawl: crawl/crawl-crash.test.ts.
const SIGNALS = ["SIGSTOP", "SIGKILL"] as const;
for (const { tags, entries } of shortAndLong(SIGNALS, (signal) => signal === "SIGSTOP"))
  test.each(entries)(
    "a crawl goes on to its exact end after %s to workerd in its midst",
    { timeout: 2 * BACK_MS, retry: 0, tags },
    async (signal) => {
      said.length = 0;
      const id = await startCrawl();
      await expect.poll(async () => (await statusOf(id))?.completed ?? 0, { timeout: BACK_MS }).toBeGreaterThan(20);
      const runtimes = processes(/\/workerd /);
      expect(runtimes.length).toBeGreaterThan(0);
      for (const pid of runtimes) process.kill(pid, signal);
      // wrangler starts a runtime that has ended again by itself, one that hangs it does not notice.
      if (signal === "SIGSTOP") {
        await expect
          .poll(() => said, { timeout: BACK_MS })
          .toContainEqual(expect.stringContaining("answers again after"));
        expect(said[0]).toMatch(/^The service (?:does not answer|ended by itself .*); starting it again$/);
      }
      await expect.poll(() => runtimes.filter(isRunning), { timeout: BACK_MS }).toEqual([]);
      // Nobody listens yet, or again: the request waits outside.
      expect((await fetch(`${service.url}/health`)).status).toBe(200);
      await expect.poll(async () => (await statusOf(id))?.status, { timeout: BACK_MS }).toBe("completed");
      expect(await statusOf(id)).toMatchObject({ completed: PAGES, total: PAGES });
      const sources = await sourcesOf(id);
      expect(sources).toHaveLength(PAGES);
      expect(new Set(sources).size).toBe(PAGES);
    },
  );

test(
  "a browser that hangs is ended, and the next page is loaded by another",
  { tags: ["long"], timeout: 2 * BACK_MS },
  async () => {
    said.length = 0;
    const load = (path: string): Promise<{ status: number }> =>
      call("/v2/scrape", { body: { url: `${site.url}${path}`, formats: ["screenshot"], maxAge: 0 }, service });
    expect((await load("/")).status).toBe(200);
    const browsers = processes(/--user-data-dir=/);
    expect(browsers.length).toBeGreaterThan(1);
    for (const pid of browsers) process.kill(pid, "SIGSTOP");
    await expect.poll(() => said, { timeout: BACK_MS }).toContainEqual(expect.stringContaining("The browser (process"));
    await expect.poll(() => browsers.filter(isRunning), { timeout: BACK_MS }).toEqual([]);
    await expect.poll(async () => (await load("/")).status, { timeout: BACK_MS, interval: 1_000 }).toBe(200);
  },
);
