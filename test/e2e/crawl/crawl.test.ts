import { Firecrawl, type CrawlJob } from "firecrawl";
import { beforeAll, describe, expect, test } from "vitest";
import { startSite, type Site } from "../../site/start-site.ts";
import { inject } from "../inject.ts";
import { call, sitePage } from "../client.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

let client: Firecrawl;
beforeAll(() => {
  client = new Firecrawl({ apiKey: inject("apiKey"), apiUrl: inject("serviceUrl") });
});

/** Where each document came from. */
function sources(job: Pick<CrawlJob, "data">): string[] {
  return job.data.map(({ metadata }) => String(metadata?.sourceURL));
}

/** Every line of the list of a crawl's URLs. */
async function urlLines(
  id: string,
): Promise<{ url: string; outcome: string; reason?: string; detail?: string; depth: number }[]> {
  const lines = [];
  let path: string | undefined = `/v2/crawl/${id}/urls?limit=50`;
  while (path !== undefined) {
    const { text } = await call(path);
    const page = JSON.parse(text) as { urls: { url: string; outcome: string; depth: number }[]; next?: string };
    lines.push(...page.urls);
    path = page.next?.slice(inject("serviceUrl").length);
  }
  return lines;
}

test("an estimate starts nothing, and is beside the outcome of the crawl that the same request starts", async () => {
  const body = { url: sitePage("/docs/"), sitemap: "skip" };
  const { status, body: answer } = await call("/v2/crawl", { body: { ...body, estimate: true } });
  expect({ status, ...answer }).toMatchObject({ status: 200, success: true, receipt: { credits: 1 } });
  const { id } = JSON.parse((await call("/v2/crawl", { body })).text) as { id: string };
  let job: { status?: string; completed?: number; estimate?: { pages: { expected: number; outcome: number } } } = {};
  while (job.status === undefined || job.status === "scraping") {
    await new Promise((resolve) => setTimeout(resolve, 200));
    job = JSON.parse((await call(`/v2/crawl/${id}`)).text) as typeof job;
  }
  expect(job.completed).toBeGreaterThan(2);
  expect(job.estimate?.pages).toMatchObject({ expected: job.completed, outcome: job.completed });
});

describe("a crawl by the JavaScript SDK", () => {
  test("scrapes as many pages as were asked for, all of them of the site", async () => {
    const job = await client.crawl(sitePage("/tree/"), { limit: 5, sitemap: "skip", pollInterval: 1 });
    expect(job).toMatchObject({ status: "completed", completed: 5, total: 5, creditsUsed: 5 });
    expect(sources(job)).toHaveLength(5);
    for (const source of sources(job)) expect(source).toContain(sitePage("/tree/"));
    expect(job.data[0]?.markdown).toContain("keeper");
    expect(await client.getCrawlErrors(job.id ?? "")).toEqual({ errors: [], robotsBlocked: [] });
    const again = await call(`/v2/scrape/${String(job.data[2]?.metadata?.["scrapeId"])}`);
    expect(again.body.data).toEqual(job.data[2]);
  });

  test("is read in pages that overlap nowhere", async () => {
    const { id, url } = await client.startCrawl(sitePage("/tree/"), { limit: 110, sitemap: "skip" });
    expect(id).toMatch(UUID);
    expect(url).toBe(`${inject("serviceUrl")}/v2/crawl/${id}`);
    await finished(id);
    const first = await client.getCrawlStatus(id, { autoPaginate: false });
    expect(first.data).toHaveLength(100);
    expect(first.next).toBe(`${url}?skip=100`);
    const second = await call(`/v2/crawl/${id}?skip=100`);
    const rest = JSON.parse(second.text) as CrawlJob;
    expect(rest.data).toHaveLength(10);
    expect(Object.keys(rest)).not.toContain("next");
    expect(new Set([...sources(first), ...sources(rest)]).size).toBe(110);
    expect((await client.getCrawlStatus(id)).data).toHaveLength(110);
  });

  test("keeps to the paths that it was told", async () => {
    const job = await client.crawl(sitePage("/"), {
      includePaths: ["^/articles/"],
      excludePaths: ["ferry"],
      sitemap: "skip",
      pollInterval: 1,
    });
    const paths = sources(job).map((source) => new URL(source).pathname);
    expect(paths).toContain("/articles/seagrass");
    expect(paths.filter((path) => path !== "/" && !path.startsWith("/articles/"))).toEqual([]);
    expect(paths.filter((path) => path.includes("ferry"))).toEqual([]);
    const lines = await urlLines(String(job.id));
    expect(lines.find(({ url }) => url.endsWith("/articles/ferry-timetable"))).toMatchObject({
      outcome: "skipped",
      reason: "EXCLUDE_PATTERN",
    });
  });

  test("goes no further than it was told", async () => {
    const job = await client.crawl(sitePage("/tree/"), { maxDiscoveryDepth: 1, sitemap: "skip", pollInterval: 1 });
    const lines = await urlLines(String(job.id));
    expect(lines.filter(({ outcome }) => outcome === "scraped").every(({ depth }) => depth <= 1)).toBe(true);
    expect(lines.some(({ reason }) => reason === "DEPTH_LIMIT")).toBe(true);
  });

  test("takes what the sitemap names and nothing else, when it is told so", async () => {
    // Without the hundreds of other pages that the sitemap names.
    const includePaths = ["^/(?:sitemap-only|lists|articles/.*)$"];
    const job = await client.crawl(sitePage("/"), { sitemap: "only", includePaths, limit: 200, pollInterval: 1 });
    const paths = sources(job).map((source) => new URL(source).pathname);
    expect(paths).toContain("/sitemap-only");
    expect(paths).not.toContain("/lists");
  });

  test("leaves alone what robots.txt disallows, and says so", async () => {
    const job = await client.crawl(sitePage("/private/ledger"), { sitemap: "skip", pollInterval: 1 });
    expect(sources(job)).toEqual([]);
    const { robotsBlocked } = await client.getCrawlErrors(String(job.id));
    expect(robotsBlocked).toEqual([sitePage("/private/ledger")]);
    const { text } = await call(`/v2/crawl/${job.id}`);
    expect(JSON.parse(text)).toMatchObject({ warning: expect.stringContaining("robots.txt") });
  });

  test("ends at once when it is cancelled, and only once", async () => {
    const { id } = await client.startCrawl(sitePage("/tree/"), { limit: 1000, sitemap: "skip", delay: 1 });
    expect((await client.getActiveCrawls()).crawls.map((crawl) => crawl.id)).toContain(id);
    expect(await client.cancelCrawl(id)).toBe(true);
    expect((await client.getCrawlStatus(id)).status).toBe("cancelled");
    expect((await client.getActiveCrawls()).crawls.map((crawl) => crawl.id)).not.toContain(id);
    await expect(client.cancelCrawl(id)).rejects.toMatchObject({ status: 409 });
    // A page that was being scraped comes to its end and is listed; the others are cancelled.
    const waiting = async () => (await urlLines(id)).filter(({ outcome }) => outcome === "pending");
    await expect.poll(waiting, { timeout: 10_000 }).toEqual([]);
    const scraped = (await urlLines(id)).filter(({ outcome }) => outcome === "scraped");
    expect(sources(await client.getCrawlStatus(id)).toSorted()).toEqual(scraped.map(({ url }) => url).toSorted());
    expect((await client.getCrawlStatus(id)).status).toBe("cancelled");
  });

  test("lists the pages that were being scraped when it was cancelled", async () => {
    const slow = Array.from({ length: 8 }, (_, place) => sitePage(`/slow?ms=4000&page=${place}`));
    const { id } = await client.startBatchScrape([...slow, sitePage("/final")]);
    await expect.poll(async () => (await client.getBatchScrapeStatus(id)).completed).toBe(1);
    const cancelled = await call(`/v2/batch/scrape/${id}`, { method: "DELETE" });
    const told = { status: "cancelled", pagesInFlight: 8, warning: expect.stringContaining("Up to 8 page(s)") };
    expect(JSON.parse(cancelled.text)).toEqual({ success: true, ...told });
    expect(await client.getBatchScrapeStatus(id)).toMatchObject({ status: "cancelled", completed: 1 });
    await expect.poll(async () => (await client.getBatchScrapeStatus(id)).data.length, { timeout: 10_000 }).toBe(9);
    expect(await client.getBatchScrapeStatus(id)).toMatchObject({ status: "cancelled", completed: 9, creditsUsed: 9 });
  });

  test("is told page by page to who watches", async () => {
    const { id } = await client.startCrawl(sitePage("/tree/"), { limit: 30, sitemap: "skip" });
    const documents: unknown[] = [];
    const watcher = client.watcher(id, { kind: "crawl", pollInterval: 1 });
    const ends: unknown[] = [];
    watcher.on("document", (document) => documents.push(document));
    const done = new Promise<void>((resolve) => watcher.on("done", (state) => void (ends.push(state), resolve())));
    await watcher.start();
    await done;
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(ends).toHaveLength(1);
    expect(documents).toHaveLength(30);
  });

  test("starts once for one idempotency key", async () => {
    const headers = { "x-idempotency-key": crypto.randomUUID() };
    const body = { url: sitePage("/final"), limit: 1 };
    const ids = await Promise.all(
      [1, 2, 3].map(async () => (JSON.parse((await call("/v2/crawl", { body, headers })).text) as { id: string }).id),
    );
    expect(new Set(ids).size).toBe(1);
    const other = await call("/v2/crawl", { body: { ...body, limit: 2 }, headers });
    expect(other).toMatchObject({ status: 409, body: { error: "Idempotency key already used" } });
  });

  test("says why it came to nothing", async () => {
    const { text } = await call("/v2/crawl", { body: { url: "http://no-such-host.invalid/" } });
    const { id } = JSON.parse(text) as { id: string };
    const job = await finishedRaw(id);
    expect(job).toMatchObject({
      success: false,
      status: "failed",
      data: [],
      error: expect.stringContaining("resolve"),
    });
  });
});

describe("a crawl of a site with faults", () => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite({ treePages: 100 });
    return () => site.close();
  });

  // A larger one: crawl-maze.test.ts.
  test("counts every URL once, and none is without a reason", { timeout: 120_000, tags: ["long"] }, async () => {
    const { text } = await call("/v2/crawl", {
      body: { url: `${site.url}/`, crawlEntireDomain: true, limit: 200, scrapeOptions: { timeout: 3000 } },
    });
    const { id } = JSON.parse(text) as { id: string };
    await finishedRaw(id, 110_000);
    const lines = await urlLines(id);
    const { counts } = JSON.parse((await call(`/v2/crawl/${id}/urls?limit=1`)).text) as {
      counts: Record<string, number>;
    };
    const { discovered, completed = 0, failed = 0, skipped = 0, pending = 0 } = counts;
    expect(completed + failed + skipped + pending).toBe(discovered);
    expect(pending).toBe(0);
    expect(lines).toHaveLength(discovered ?? 0);
    expect(lines.filter(({ outcome, reason }) => outcome !== "scraped" && reason === undefined)).toEqual([]);
    expect(lines.filter(({ outcome }) => outcome === "scraped")).toHaveLength(completed);
  });
});

test("a site that moved is crawled where it is", async () => {
  const { text } = await call("/v2/crawl", { body: { url: sitePage("/tree"), limit: 3, sitemap: "skip" } });
  const job = await finishedRaw((JSON.parse(text) as { id: string }).id);
  expect(job).toMatchObject({ status: "completed", completed: 3 });
});

async function finished(id: string): Promise<void> {
  await finishedRaw(id);
}

/** The status answer of a job that has ended. */
async function finishedRaw(id: string, withinMs = 50_000): Promise<Record<string, unknown>> {
  const endsAtMs = Date.now() + withinMs;
  for (;;) {
    const { text } = await call(`/v2/crawl/${id}?limit=1`);
    const job = JSON.parse(text) as { status: string };
    if (job.status !== "scraping") return job;
    if (Date.now() > endsAtMs) throw new Error(`The crawl goes on: ${text.slice(0, 400)}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

test("a crawl of an app with hash routes scrapes each route once, with its own text", { tags: ["long"] }, async () => {
  const start = sitePage("/app/routes");
  const job = await client.crawl(start, { limit: 10, sitemap: "skip", pollInterval: 1 });
  expect(job).toMatchObject({ status: "completed", completed: 4 });
  const titles = Object.fromEntries(job.data.map(({ metadata }) => [metadata?.sourceURL, metadata?.title]));
  expect(titles).toEqual({
    [start]: "Harbour board",
    [`${start}#/tides`]: "Tide tables",
    [`${start}#/ferries/1`]: "The early ferry",
    [`${start}#/ferries/2`]: "The late ferry",
  });
  for (const { markdown, metadata } of job.data) expect(markdown).toContain(`# ${metadata?.title}`);
});
