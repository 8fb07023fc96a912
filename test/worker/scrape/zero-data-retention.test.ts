import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { buildDeps, layFoundation } from "../../../src/compose.ts";
import { createApp } from "../../../src/http/app.ts";
import { DEFAULT_TEAM_ID } from "../../../src/services/account/bootstrap-keys.ts";
import { runTask } from "../../../src/services/upkeep/run-task.ts";
import { API_KEY as KEY } from "../keys.ts";

/** Stands in the pages and in their addresses, and nowhere else. */
const MARK = "zdr-marker-heron";
const PAGES = ["one", "two", "three"].map((name) => `https://quiet.example/${MARK}/${name}`);
const HOOK = "https://hooks.example/in";

let delivered: string[];
/** Status of the webhook's responses. */
let answer: number;
const deferred: Promise<unknown>[] = [];

/** Pages of the team in the search index before a test: other files may have indexed some. */
let pagesBefore = 0;
const indexedPages = async (): Promise<number> => (await deps().pageIndex.size(DEFAULT_TEAM_ID)).pages;

beforeEach(async () => {
  pagesBefore = await indexedPages();
  delivered = [];
  answer = 204;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input as RequestInfo, init as RequestInit);
    const { hostname, pathname } = new URL(request.url);
    if (hostname === "hooks.example") {
      const event = await request.text();
      if (answer === 204) delivered.push(event);
      return new Response(null, { status: answer });
    }
    if (hostname !== "quiet.example") return Response.json({ Status: 0, Answer: [{ type: 1, TTL: 60, data: "93.184.215.14" }] }); // prettier-ignore
    if (pathname === "/robots.txt" || pathname.endsWith(".xml")) return new Response(null, { status: 404 });
    const links = PAGES.map((url) => `<a href="${url}">Page</a>`).join(" ");
    const text = `<title>${MARK}</title><main><h1>${MARK}</h1><p>${`The ${MARK} stands in the reeds. `.repeat(20)}</p>${links}</main>`;
    return new Response(text, { headers: { "content-type": "text/html" } });
  });
});
afterEach(() => vi.restoreAllMocks());

const deps = () =>
  buildDeps(
    layFoundation({ ...env, API_KEY: KEY, ZERO_DATA_RETENTION: "true" } as never),
    { url: "http://service.example/" },
    (work) => void deferred.push(work),
  );

async function ask(path: string, body?: unknown) {
  const app = createApp(() => deps());
  const response = await app.request(`http://service.example${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, never> };
}

interface Status {
  status: string;
  completed: number;
  total: number;
  warning?: string;
  data: { metadata: { scrapeId: string } }[];
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Looks at the job's own object, which counts as no reading of its documents. */
async function settled(id: string): Promise<void> {
  const { frontiers } = deps();
  for (let tries = 0; tries < 200; tries++) {
    const progress = await frontiers.progress(id);
    if (progress !== undefined && progress.status !== "scraping" && progress.inFlight === 0) break;
    await pause(50);
  }
  // The run ends with the job's record.
  await pause(300);
}

/** Everything of D1, of the bucket and of the job's object that holds the mark. */
async function traces(id: string): Promise<string[]> {
  const found: string[] = [];
  const { results: tables } = await env.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
  ).run<{ name: string }>();
  for (const { name } of tables) {
    const { results } = await env.DB.prepare(`SELECT * FROM "${name}"`).run();
    if (JSON.stringify(results).includes(MARK)) found.push(`D1 ${name}`);
  }
  for (const { key } of (await env.BUCKET.list()).objects) {
    const text = (await (await env.BUCKET.get(key))?.text()) ?? "";
    if (key.includes(id) || text.includes(MARK)) found.push(`R2 ${key}`);
  }
  const rows = await runInDurableObject(env.CRAWL_FRONTIER.getByName(id), (_instance, state) => {
    const names = state.storage.sql
      .exec<{ name: string }>(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
      )
      .toArray();
    return names.map(({ name }) => JSON.stringify(state.storage.sql.exec(`SELECT * FROM "${name}"`).toArray())).join();
  });
  if (rows.includes(MARK)) found.push("the job's object");
  if ((await indexedPages()) > pagesBefore) found.push("the search index");
  return found;
}

describe.each([
  {
    path: "/v2/crawl",
    body: { url: PAGES[0], limit: 3, sitemap: "skip", crawlEntireDomain: true, zeroDataRetention: true },
  },
  { path: "/v2/batch/scrape", body: { urls: PAGES, zeroDataRetention: true } },
  { path: "/v1/batch/scrape", body: { urls: PAGES, zeroDataRetention: true } },
  {
    path: "/v1/crawl",
    body: { url: PAGES[0], limit: 3, ignoreSitemap: true, crawlEntireDomain: true, zeroDataRetention: true },
  },
])("zero data retention at $path", ({ path, body }) => {
  test("hands documents over once and leaves nothing in any storage", async () => {
    const started = await ask(path, { ...body, webhook: HOOK });
    expect(started.status).toBe(200);
    const { id } = started.body as unknown as { id: string };
    await settled(id);
    expect(delivered.filter((event) => event.includes(MARK)).length).toBeGreaterThanOrEqual(3);
    const page = delivered.find((event) => event.includes(".page")) ?? "";
    const [document] = (JSON.parse(page) as Status).data;
    const scrapeId = document?.metadata.scrapeId ?? "";
    expect(scrapeId).toMatch(/^[0-9a-f-]{36}$/);
    expect((await ask(`/v2/scrape/${scrapeId}`)).status).toBe(404);
    expect((await ask(`/v1/scrape/${scrapeId}`)).status).toBe(404);
    expect((await ask(`/v2/scrape/${scrapeId}/interact`, { code: "1" })).status).toBe(404);

    const read = (await ask(`${path}/${id}`)).body as unknown as Status;
    expect(read).toMatchObject({ status: "completed", completed: 3 });
    expect(read.data).toHaveLength(3);
    if (path.startsWith("/v2")) expect(read.warning).toContain("zeroDataRetention");
    await Promise.all(deferred.splice(0));
    expect((await ask(`${path}/${id}`)).status).toBe(404);
    expect(await traces(id)).toEqual([]);
  });
});

test("documents are deleted only when all of them were read, whatever the order of the pages", async () => {
  const { body } = await ask("/v2/batch/scrape", { urls: PAGES, zeroDataRetention: true });
  const { id } = body as unknown as { id: string };
  await settled(id);
  const read = async (query: string) => {
    const { status, body: page } = await ask(`/v2/batch/scrape/${id}?${query}`);
    await Promise.all(deferred.splice(0));
    return [status, status === 200 ? (page as unknown as Status).data.length : 0];
  };
  expect(await read("skip=100000")).toEqual([200, 0]);
  expect(await read("skip=2&limit=1")).toEqual([200, 1]);
  expect(await read("skip=0&limit=1")).toEqual([200, 1]);
  expect(await read("skip=2&limit=1")).toEqual([200, 1]);
  expect(await read("skip=1&limit=1")).toEqual([200, 1]);
  expect(await read("skip=2&limit=1")).toEqual([200, 1]);
  expect(await read("skip=0")).toEqual([404, 0]);
  expect(await traces(id)).toEqual([]);
});

test("what nobody fetches is deleted when its time is over", async () => {
  const { body } = await ask("/v2/batch/scrape", { urls: PAGES, zeroDataRetention: true });
  const { id } = body as unknown as { id: string };
  await settled(id);
  expect(await traces(id)).not.toEqual([]);
  const job = await deps().jobs.find(id);
  await runTask(deps(), { type: "forget_job", jobId: id, createdAtMs: job?.createdAtMs ?? 0 });
  await runTask(deps(), { type: "forget_job", jobId: id, createdAtMs: job?.createdAtMs ?? 0 });
  expect(await traces(id)).toEqual([]);
  expect((await ask(`/v2/batch/scrape/${id}`)).status).toBe(404);
});

/** Sets the time, and lets the alarm of a job come. */
async function wakeAt(id: string, nowMs: number): Promise<void> {
  vi.useFakeTimers({ toFake: ["Date"], now: nowMs });
  await runDurableObjectAlarm(env.CRAWL_FRONTIER.getByName(id));
  // Nobody waits for the run, nor for the message.
  await pause(300);
}

/** Waits until the object of a job has sent the message that deletes it: it asks again later, or is deleted already. */
async function asksForDeletion(id: string): Promise<void> {
  await vi.waitFor(
    async () => {
      if ((await deps().frontiers.progress(id)) === undefined) return;
      const [row] = await runInDurableObject(env.CRAWL_FRONTIER.getByName(id), (_instance, { storage }) =>
        storage.sql.exec<{ state: string }>("SELECT state FROM frontier").toArray(),
      );
      const { forgetting } = JSON.parse(row?.state ?? "{}") as { forgetting?: { atMs: number } };
      expect(forgetting?.atMs).toBeGreaterThan(Date.now());
    },
    { timeout: 20_000, interval: 100 },
  );
}

const messageFor = async (id: string) => {
  const job = await deps().jobs.find(id);
  return { type: "forget_job", jobId: id, createdAtMs: job?.createdAtMs ?? 0 } as const;
};

describe("a job that is to be deleted", () => {
  afterEach(() => void vi.useRealTimers());

  test("is kept while events wait for their delivery, and is deleted after the last one", async () => {
    answer = 503;
    const { body } = await ask("/v2/batch/scrape", { urls: PAGES, zeroDataRetention: true, webhook: HOOK });
    const { id } = body as unknown as { id: string };
    await settled(id);
    for (let reads = 0; reads < 2; reads++) {
      const read = await ask(`/v2/batch/scrape/${id}`);
      expect(read).toMatchObject({ status: 200, body: { status: "completed", completed: 3 } });
      await Promise.all(deferred.splice(0));
    }
    await runTask(deps(), await messageFor(id));
    expect(await traces(id)).not.toEqual([]);

    answer = 204;
    await wakeAt(id, Date.now() + 61_000);
    await vi.waitFor(() => expect(delivered.filter((event) => event.includes(".completed")).length).toBe(1));
    expect(delivered.filter((event) => event.includes(MARK)).length).toBe(3);
    await asksForDeletion(id);
    await runTask(deps(), await messageFor(id));
    expect(await traces(id)).toEqual([]);
  });

  test("asks for it by itself when the message that deletes it was not sent", async () => {
    const { body } = await ask("/v2/batch/scrape", { urls: PAGES, zeroDataRetention: true });
    const { id } = body as unknown as { id: string };
    await settled(id);
    const endMs = Date.now();
    await wakeAt(id, endMs + 300_000);
    expect(await traces(id)).not.toEqual([]);
    await wakeAt(id, endMs + 361_000);
    await asksForDeletion(id);
    await runTask(deps(), await messageFor(id));
    expect(await traces(id)).toEqual([]);
  });
});

test("a scrape and a search's pages leave nothing either", async () => {
  const { status, body } = await ask("/v2/scrape", { url: PAGES[0], zeroDataRetention: true, formats: ["markdown", "changeTracking"] }); // prettier-ignore
  expect(status).toBe(200);
  const { metadata } = (body as unknown as { data: { metadata: { scrapeId: string } } }).data;
  await Promise.all(deferred.splice(0));
  expect((await ask(`/v2/scrape/${metadata.scrapeId}`)).status).toBe(404);
  expect(await traces(crypto.randomUUID())).toEqual([]);
});
