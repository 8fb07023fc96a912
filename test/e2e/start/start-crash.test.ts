import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeKey } from "../../../src/tools/setup/kept-keys.ts";
import { makeOwnedFolder } from "../../../src/tools/process/run-leftovers.ts";
import { startSite, type Site } from "../../site/start-site.ts";
import { call } from "../client.ts";
import { startService, type TestService } from "../service.ts";

/** `START_CRASHES=20` for the full proof. */
const ROUNDS = Number(process.env["START_CRASHES"] ?? 1);
const REQUESTS = 30;
const LEAST_KILL_MS = 15;
const MOST_KILL_MS = 400;

const settings = { API_KEY: makeKey(), ADMIN_KEY: makeKey(), CREDITS_PER_MONTH: "100000" };

let site: Site;
let persist: string;
let service: TestService | undefined;
beforeAll(async () => {
  persist = makeOwnedFolder("crash");
  site = await startSite({ treePages: 50 });
});
afterAll(async () => {
  await service?.stop();
  await site.close();
  await rm(persist, { recursive: true, force: true, maxRetries: 3 });
});

interface Start {
  path: string;
  status: string;
  body: object;
  headers: { "x-idempotency-key": string };
}

/** Starts of every kind, each with a key of its own. */
function starts(): Start[] {
  const page = `${site.url}/final`;
  const kinds = [
    { path: "/v2/crawl", status: "/v2/crawl", body: { url: `${site.url}/tree/`, limit: 3, sitemap: "skip" } },
    { path: "/v2/batch/scrape", status: "/v2/batch/scrape", body: { urls: [page, `${site.url}/echo`] } },
    { path: "/v2/extract", status: "/v2/extract", body: { urls: [page], prompt: "the title" } },
    { path: "/v2/agent", status: "/v2/agent", body: { prompt: "the title", urls: [page], maxCredits: 3 } },
    { path: "/v1/llmstxt", status: "/v1/llmstxt", body: { url: page, maxUrls: 1 } },
    { path: "/v1/deep-research", status: "/v1/deep-research", body: { query: "gulls", maxDepth: 1, maxUrls: 1 } },
  ];
  return Array.from({ length: REQUESTS }, (_, index) => ({
    ...(kinds[index % kinds.length] as (typeof kinds)[number]),
    headers: { "x-idempotency-key": crypto.randomUUID() },
  }));
}

test(
  `${REQUESTS} starts at once and a crash, ${ROUNDS} times: no slot is held, no job hangs, and every repeat gets its job`,
  { timeout: 60_000 + ROUNDS * 90_000, retry: 0 },
  async () => {
    service = await startService({ persist, settings });
    for (let round = 0; round < ROUNDS; round++) {
      const requests = starts();
      const killAfterMs = LEAST_KILL_MS + ((round + 0.5) / ROUNDS) * (MOST_KILL_MS - LEAST_KILL_MS);
      const answered = new Map<Start, string>();
      const asking = requests.map(async (request) => {
        const { status, text } = await call(request.path, { ...request, service: service as TestService });
        if (status === 200) answered.set(request, idOf(text));
      });
      const asked = Promise.allSettled(asking);
      await new Promise((resolve) => setTimeout(resolve, killAfterMs));
      await service.kill();
      await asked;
      service = await startService({ persist, settings });

      await Promise.all(requests.map((request) => repeat(request, answered.get(request))));
      await expect.poll(slotsHeld, { timeout: 60_000, interval: 500 }).toBe(0);
      expect(await hangingRows()).toEqual([]);
    }
  },
);

const CHECK = { timeout: 150_000, retry: 0 };

test(
  "a monitor's check that a crash cuts off goes on within seconds, and each of its pages is paid once",
  CHECK,
  async () => {
    service ??= await startService({ persist, settings });
    const urls = Array.from({ length: 6 }, (_, page) => `${site.url}/slow?ms=1500&page=${page}`);
    const body = { name: "crash", schedule: { text: "weekly" }, targets: [{ type: "scrape", urls }] };
    const { id } = (await read<{ data: { id: string } }>("/v2/monitor", body)).data;
    const before = await remainingCredits();
    const run = await read<{ id: string }>(`/v2/monitor/${id}/run`, {});
    interface Check {
      data: { status: string; pages: { url: string }[]; actualCredits: number };
    }
    const check = async () => (await read<Check>(`/v2/monitor/${id}/checks/${run.id}`)).data;
    await expect.poll(async () => (await check()).pages.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(2);
    await service.kill();
    service = await startService({ persist, settings });
    // Twelve seconds of lease, and the pages that are left; minutes when nobody notices.
    await expect.poll(async () => (await check()).status, { timeout: 50_000, interval: 500 }).toBe("completed");
    const { pages, actualCredits } = await check();
    expect(pages.map(({ url }) => url).toSorted()).toEqual(urls.toSorted());
    expect(actualCredits).toBe(urls.length);
    expect(before - (await remainingCredits())).toBe(urls.length);
  },
);

async function read<Answer>(path: string, body?: object): Promise<Answer> {
  const answer = await call(path, { ...(body === undefined ? {} : { body }), service: service as TestService });
  expect(answer.status, answer.text).toBe(200);
  return JSON.parse(answer.text) as Answer;
}

async function remainingCredits(): Promise<number> {
  return (await read<{ data: { remainingCredits: number } }>("/v2/team/credit-usage")).data.remainingCredits;
}

/** The repeat gets the job that the first request was told of, if it was told, and the job runs to its end. */
async function repeat(request: Start, firstId: string | undefined): Promise<void> {
  const { status, text } = await call(request.path, { ...request, service: service as TestService });
  expect(status, text).toBe(200);
  const id = idOf(text);
  if (firstId !== undefined) expect(id).toBe(firstId);
  const read = async (): Promise<string> => {
    const answer = await call(`${request.status}/${id}`, { service: service as TestService });
    return (JSON.parse(answer.text) as { status: string }).status;
  };
  await expect.poll(read, { timeout: 60_000, interval: 500 }).toMatch(/^(completed|failed)$/);
}

function idOf(text: string): string {
  return (JSON.parse(text) as { id: string }).id;
}

async function slotsHeld(): Promise<number> {
  const { text } = await call("/v2/concurrency-check", { service: service as TestService });
  return (JSON.parse(text) as { concurrency: number }).concurrency;
}

/** Rows of the list of jobs that say that a job runs. */
async function hangingRows(): Promise<unknown[]> {
  const folder = join(persist, "v3/d1/miniflare-D1DatabaseObject");
  const files = (await readdir(folder)).filter((name) => name.endsWith(".sqlite") && name !== "metadata.sqlite");
  return files.flatMap((name) => {
    const database = new DatabaseSync(join(folder, name), { readOnly: true });
    try {
      return database.prepare("SELECT id, kind FROM jobs WHERE status = 'scraping'").all();
    } finally {
      database.close();
    }
  });
}
