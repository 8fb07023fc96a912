import { describe, expect, test, vi } from "vitest";
import { NO_COUNTS } from "../../../../../src/core/account/meter.ts";
import type { JobSpecification } from "../../../../../src/jobs/kind.ts";
import { anonymousCaller } from "../../../../../src/services/account/anonymous-caller.ts";
import { reextractJob } from "../../../../../src/services/archive/reextract-job.ts";
import type { Deps } from "../../../../../src/services/deps.ts";
import { createIdempotencyKeys } from "../../../../../src/storage/jobs/idempotency-keys.ts";
import { createJobList } from "../../../../../src/storage/jobs/job-list.ts";
import { createJobStore } from "../../../../../src/storage/jobs/jobs.ts";
import { createMonitorStore } from "../../../../../src/storage/monitors/monitors.ts";
import { fixedClock } from "../../../../fakes/fixed-clock.ts";
import { memoryStepJobs } from "../../../../fakes/memory/memory-step-jobs.ts";
import { nodeD1 } from "../../../../fakes/memory/node-d1.ts";
import { testApp } from "../../../../fakes/services/test-app.ts";
import { ADMIN_KEY, testDeps } from "../../../../fakes/services/test-deps.ts";
import { memoryBlobs } from "../../../../fakes/memory/memory-blobs.ts";

interface Job {
  id: string;
  kind: string;
  status: string;
  target: string;
  statusPath: string;
}
interface Details {
  job: Job;
  request: { path: string; body: Record<string, unknown> } | null;
  pages: Record<string, number> | null;
}

const URLS = ["https://a.example/", "https://b.example/two"];

/** A service whose jobs start and do no work. */
function service() {
  const clock = fixedClock();
  const db = nodeD1();
  const progress = {
    status: "scraping",
    createdAtMs: 0,
    expiresAtMs: 0,
    creditsUsed: 3,
    total: 10,
    limit: 10,
    completed: 3,
    failed: 1,
    pending: 7,
    skipped: 5,
    discovered: 16,
    pageTimes: { stepMs: 1_000, counts: [1, 2] },
    costs: NO_COUNTS,
  };
  const stepJobs = memoryStepJobs(clock);
  const specifications = new Map<string, string>();
  const frontiers = {
    start: async (id: string, { specification }: { specification: string }) => {
      specifications.set(id, specification);
      return "started";
    },
    recordedOptions: async (id: string) =>
      (JSON.parse(specifications.get(id) ?? "{}") as JobSpecification).record?.optionsJson,
    progress: async () => progress,
    urls: async () => ({ lines: URLS.map((url) => ({ url, outcome: "pending", depth: 0 })), next: undefined }),
  } as unknown as Deps["frontiers"];
  const app = testApp(
    testDeps({
      clock,
      jobs: createJobStore(db, { frontiers, stepJobs }),
      jobList: createJobList(db),
      monitors: createMonitorStore(db, memoryBlobs()),
      idempotencyKeys: createIdempotencyKeys(db),
      stepJobs,
      sleep: async (ms) => clock.advance(ms),
      frontiers,
    }),
  );
  const read = async <Body>(path: string, key?: string) => {
    const response = await app.ask(path, key === undefined ? {} : { key });
    return { http: response.status, body: (await response.json()) as Body & { error?: string; code?: string } };
  };
  const start = async (path: string, body: object) => {
    const response = await app.post(path, body);
    const answer = (await response.json()) as { id: string };
    expect(response.status, JSON.stringify(answer)).toBe(200);
    return answer.id;
  };
  const makeKey = async (fields: object) => {
    const made = await app.post("/v2/team/keys", { name: "other", ...fields }, { key: ADMIN_KEY });
    return ((await made.json()) as { data: { key: string } }).data.key;
  };
  return { ...app, clock, read, start, makeKey };
}

const SCRAPE_OPTIONS = {
  formats: ["markdown", { type: "json", prompt: "The price", schema: { type: "object" } }],
  onlyMainContent: false,
  waitFor: 100,
};
const STARTS: [string, string, object][] = [
  [
    "crawl",
    "/v2/crawl",
    { url: "https://a.example/docs", limit: 7, includePaths: ["docs/.*"], maxDiscoveryDepth: 2, robotsUserAgent: "reader", scrapeOptions: SCRAPE_OPTIONS },
  ],
  ["batch_scrape", "/v2/batch/scrape", { urls: URLS, ...SCRAPE_OPTIONS, archive: true, maxConcurrency: 2 }],
  ["extract", "/v2/extract", { urls: URLS, prompt: "The price", schema: { type: "object" }, showSources: true, timeout: 9_000 }],
  ["agent", "/v2/agent", { prompt: "What is the price?", urls: ["https://a.example/*"], effort: "low", maxCredits: 9 }],
  [
    "deep_research",
    "/v1/deep-research",
    { query: "Tides", maxDepth: 2, maxUrls: 3, timeLimit: 60, systemPrompt: "Be short", formats: ["json"], jsonOptions: { prompt: "Height" } },
  ],
  ["llmstxt", "/v1/llmstxt", { url: "https://a.example/", maxUrls: 3, showFullText: true, cache: false }],
]; // prettier-ignore

describe("jobs", () => {
  test.each(STARTS)("of the kind %s name the request that starts them again", async (kind, path, body) => {
    const { read, start } = service();
    const first = (await read<Details>(`/v2/jobs/${await start(path, body)}`)).body;
    expect(first.job).toMatchObject({ kind, statusPath: `${path}/${first.job.id}` });
    expect(first.request?.path).toBe(path);
    const again = await start(path, first.request?.body ?? {});
    expect(again).not.toBe(first.job.id);
    const second = (await read<Details>(`/v2/jobs/${again}`)).body;
    expect(second.request).toEqual(first.request);
    expect(second.request?.body).toMatchObject(
      kind === "deep_research" ? { query: "Tides", timeLimit: 60, systemPrompt: "Be short" } : toStored(body),
    );
  });

  test.each(STARTS.filter(([, path]) => path.startsWith("/v2/")))(
    "of the kind %s name options of 20 kB too",
    async (_kind, path, body) => {
      const { read, start, deps } = service();
      const schema = { type: "object", description: "d".repeat(20_000) };
      const formats = [{ type: "json", schema }];
      const long =
        "scrapeOptions" in body ? { scrapeOptions: { formats } } : "formats" in body ? { formats } : { schema };
      const id = await start(path, { ...body, ...long });
      expect((await deps.jobs.find(id))?.optionsJson.length).toBeLessThan(1_000);
      expect((await read<Details>(`/v2/jobs/${id}`)).body.request?.body).toMatchObject(long);
    },
  );

  test("of version 1 that are crawls name their request with the names of version 1", async () => {
    const { read, start, deps } = service();
    const scrapeOptions = {
      formats: ["markdown", "screenshot@fullPage", "changeTracking", "extract"],
      extract: { prompt: "The price" },
      changeTrackingOptions: { modes: ["json"], prompt: "The price" },
      parsePDF: false,
      waitFor: 100,
    };
    const body = {
      url: "https://a.example/docs",
      maxDepth: 3,
      ignoreSitemap: true,
      allowBackwardLinks: true,
      scrapeOptions,
    };
    const id = await start("/v1/crawl", body);
    const { request } = (await read<Details>(`/v2/jobs/${id}`)).body;
    const { allowBackwardLinks: crawlEntireDomain, ...others } = body;
    expect(request).toMatchObject({ path: "/v1/crawl", body: { ...others, crawlEntireDomain } });
    const again = await start("/v1/crawl", request?.body ?? {});
    expect((await read<Details>(`/v2/jobs/${again}`)).body.request).toEqual(request);
    const options = await Promise.all([id, again].map(async (each) => (await deps.jobs.find(each))?.optionsJson));
    expect(options[1]).toBe(options[0]);
  });

  const V1_OPTIONS = {
    formats: ["markdown", "screenshot@fullPage", "json"],
    jsonOptions: { prompt: "The price", schema: { type: "object" } },
    parsePDF: true,
    waitFor: 100,
  };
  test.each([
    { path: "/v1/batch/scrape", body: { urls: URLS, ...V1_OPTIONS, maxConcurrency: 3 } },
    { path: "/v1/batch/scrape", body: { urls: URLS, formats: ["extract"], extract: { prompt: "The price" } } },
    { path: "/v1/extract", body: { urls: URLS, prompt: "The price", scrapeOptions: V1_OPTIONS, timeout: 9_000 } },
    { path: "/v1/extract", body: { urls: URLS, prompt: "The price", timeout: 60_000 } },
  ])("of version 1 name their request at $path", async ({ path, body }) => {
    const { read, start, deps } = service();
    const id = await start(path, body);
    const { request } = (await read<Details>(`/v2/jobs/${id}`)).body;
    expect(request).toMatchObject({ path, body });
    const again = await start(path, request?.body ?? {});
    expect((await read<Details>(`/v2/jobs/${again}`)).body.request).toEqual(request);
    const options = await Promise.all([id, again].map(async (each) => (await deps.jobs.find(each))?.optionsJson));
    expect(options[1]).toBe(options[0]);
  });

  const SECRETS = {
    headers: { Authorization: "Bearer hush", Accept: "text/html" },
    actions: [
      { type: "write", text: "hush" },
      { type: "executeJavascript", script: "login('hush')" },
      { type: "press", key: "Enter" },
    ],
  };
  test.each([
    ["/v2/batch/scrape", { urls: URLS, ...SECRETS }],
    ["/v1/batch/scrape", { urls: URLS, ...SECRETS }],
    ["/v2/crawl", { url: URLS[0], scrapeOptions: SECRETS }],
    ["/v1/crawl", { url: URLS[0], scrapeOptions: SECRETS }],
  ])("that %s started show their secrets to their own key alone", async (path, body) => {
    const { read, start, post, makeKey } = service();
    const id = await start(path, body);
    const key = await makeKey({ scopes: { endpoints: ["batch_scrape", "crawl"] } });
    const own = (await read<Details>(`/v2/jobs/${id}`)).body.request?.body ?? {};
    expect(JSON.stringify(own).split("hush")).toHaveLength(4);
    const other = (await read<Details>(`/v2/jobs/${id}`, key)).body.request?.body ?? {};
    const { headers, actions } = (other["scrapeOptions"] ?? other) as typeof SECRETS;
    expect(headers).toEqual({ Authorization: "(hidden)", Accept: "text/html" });
    expect(actions).toEqual([
      { type: "write", text: "(hidden)" },
      { type: "executeJavascript", script: "(hidden)" },
      { type: "press", key: "Enter" },
    ]);
    const again = await post(path, other, { key });
    expect([again.status, await again.text()]).toEqual([
      400,
      expect.stringContaining("stands for a value of another key"),
    ]);
    for (const list of path.endsWith("crawl") ? [`${path}/active`, `${path}/ongoing`] : []) {
      const shown = JSON.stringify((await read(list, key)).body);
      expect(shown).toContain("(hidden)");
      expect(shown).not.toContain("hush");
      expect(JSON.stringify((await read(list)).body)).toContain("hush");
    }
  });

  test("that read an archive name the request that reads it again", async () => {
    const { read, start, deps } = service();
    const own = await deps.jobs.find(await start("/v2/batch/scrape", { urls: URLS }));
    const { key } = anonymousCaller();
    const from = { id: "01a20544-0786-7638-97c7-e4533cc4bae8", createdAtMs: 0 };
    const id = await reextractJob(
      deps,
      { key: { ...key, teamId: own?.teamId ?? "" } },
      {
        from,
        urls: URLS,
        options: { formats: [{ type: "links" }] },
        publicOrigin: "",
        idempotency: undefined,
      },
    );
    const { request } = (await read<Details>(`/v2/jobs/${id}`)).body;
    expect(request).toEqual({
      method: "POST",
      path: `/v2/crawl/${from.id}/reextract`,
      body: { formats: [{ type: "links" }] },
    });
  });

  test("of deep research ask the topic where the query is blank", async () => {
    const { read, start } = service();
    for (const query of ["", "  "]) {
      const id = await start("/v1/deep-research", { query, topic: " tidal power " });
      expect((await read<Details>(`/v2/jobs/${id}`)).body).toMatchObject({
        job: { target: "tidal power" },
        request: { body: { query: "tidal power" } },
      });
    }
  });

  test("have numbers of pages that add up", async () => {
    const { read, start } = service();
    const { pages, ...details } = (await read<Details>(`/v2/jobs/${await start("/v2/crawl", { url: URLS[0] })}`)).body;
    expect(pages).toEqual({
      limit: 10,
      total: 10,
      completed: 3,
      failed: 1,
      pending: 7,
      skipped: 5,
      discovered: 16,
      creditsUsed: 3,
    });
    expect(details).toMatchObject({ pageTimes: { stepMs: 1_000, counts: [1, 2] }, job: { status: "running" } });
  });

  test("are listed with filters, and page by page", async () => {
    const { read, start, clock } = service();
    for (const [, path, body] of STARTS) {
      await start(path, body);
      clock.advance(10);
    }
    const all = await read<{ jobs: Job[]; cursor: string | null }>("/v2/jobs?limit=4");
    expect(all.body.jobs.map(({ kind }) => kind)).toEqual(["llmstxt", "deep_research", "agent", "extract"]);
    const rest = await read<{ jobs: Job[]; cursor: string | null }>(`/v2/jobs?limit=4&cursor=${all.body.cursor}`);
    expect(rest.body).toMatchObject({ jobs: [{ kind: "batch_scrape" }, { kind: "crawl" }], cursor: null });
    const some = await read<{ jobs: Job[] }>("/v2/jobs?kind=crawl,extract&status=running&search=A.EXAMPLE");
    expect(some.body.jobs.map(({ kind }) => kind)).toEqual(["extract", "crawl"]);
  });

  test.each([
    ["kind=crawls", /^kind must be one of crawl, /],
    ["status=scraping", /^status must be one of queued, /],
    ["cursor=newest", /cursor/],
    ["limit=0", /limit/],
    ["from=yesterday", /from/],
  ])("refuse the query %s", async (query, message) => {
    const { http, body } = await service().read(`/v2/jobs?${query}`);
    expect(http).toBe(400);
    expect(body.error).toMatch(message);
  });

  test("are not visible to other teams, nor to keys without their endpoint", async () => {
    const { read, start, makeKey } = service();
    const crawl = await start("/v2/crawl", { url: URLS[0] });
    await start("/v2/extract", { urls: URLS, prompt: "The price" });
    const stranger = await makeKey({ teamId: crypto.randomUUID() });
    expect(await read("/v2/jobs", stranger)).toMatchObject({ http: 200, body: { jobs: [], cursor: null } });
    expect(await read(`/v2/jobs/${crawl}`, stranger)).toMatchObject({ http: 404, body: { error: "Job not found" } });
    expect(await read(`/v2/jobs/${crypto.randomUUID()}`)).toMatchObject({
      http: 404,
      body: { error: "Job not found" },
    });

    const limited = await makeKey({ scopes: { endpoints: ["extract"] } });
    const seen = await read<{ jobs: Job[] }>("/v2/jobs", limited);
    expect(seen.body.jobs.map(({ kind }) => kind)).toEqual(["extract"]);
    expect((await read("/v2/jobs?kind=crawl", limited)).http).toBe(403);
    expect((await read(`/v2/jobs/${crawl}`, limited)).http).toBe(403);
  });

  test("are counted by kind with their expiry, for their team alone", async () => {
    const { deps, read, start, makeKey } = service();
    for (const path of ["/v2/crawl", "/v2/crawl"]) await start(path, { url: URLS[0] });
    const { body } = await read<{ jobs: object[]; searchIndex: object }>("/v2/team/storage");
    expect(body.searchIndex).toEqual({ pages: 0, bytes: expect.any(Number), databases: 1 });
    const index = vi.spyOn(deps.pageIndex, "size");
    index.mockResolvedValueOnce({ pages: 12, bytes: 3_000, shards: 2, isFull: true });
    expect((await read<{ searchIndex: object }>("/v2/team/storage")).body.searchIndex).toEqual({
      pages: 12,
      bytes: 3_000,
      databases: 2,
      warning: expect.stringContaining("not added"),
    });
    expect(body).toMatchObject({
      jobs: [{ kind: "crawl", count: 2, firstExpiresAt: expect.stringMatching(/Z$/) }],
      retentionHours: { results: 24, pageCache: 24, searchIndex: 24 },
    });
    const room = { usedShare: 0.85, isNearlyFull: true, warning: "nearly full" };
    Object.assign(deps.databaseRoom, room);
    const { body: full } = await read<{ database: object }>("/v2/team/storage");
    expect(full.database).toEqual({ percentUsed: 85, warning: "nearly full" });
    const stranger = await makeKey({ teamId: crypto.randomUUID() });
    expect((await read<{ jobs: object[] }>("/v2/team/storage", stranger)).body.jobs).toEqual([]);
  });

  test("with zero data retention have no request and no target", async () => {
    const { deps, read, start } = service();
    Object.assign(deps.settings, { zeroDataRetention: true });
    const id = await start("/v2/crawl", { url: URLS[0], zeroDataRetention: true });
    expect((await read<Details>(`/v2/jobs/${id}`)).body).toMatchObject({
      request: null,
      job: { target: "", zeroDataRetention: true },
    });
    await start("/v2/crawl", { url: URLS[0] });
    const { jobs } = (await read<{ jobs: object[] }>("/v2/jobs")).body;
    expect(jobs.map((job) => "zeroDataRetention" in job).toSorted()).toEqual([false, true]);
    expect(jobs).toContainEqual(expect.objectContaining({ id, zeroDataRetention: true }));
  });
});

/** Returns the body as it is stored: formats have their object form. */
function toStored(body: object): object {
  const text = JSON.stringify(body).replaceAll('"markdown"', '{"type":"markdown"}');
  return JSON.parse(text) as object;
}
