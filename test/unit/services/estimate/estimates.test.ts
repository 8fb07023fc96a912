import { describe, expect, test } from "vitest";
import type { ComparedEstimate, Estimate } from "../../../../src/core/account/estimate.ts";
import { NO_COUNTS } from "../../../../src/core/account/meter.ts";
import { Meter } from "../../../../src/core/account/meter.ts";
import { createPlainFetchEngine } from "../../../../src/engines/plain-fetch.ts";
import type { Frontiers, JobProgress } from "../../../../src/ports/crawl/frontier.ts";
import type { StepJobs } from "../../../../src/ports/step-jobs.ts";
import { createEstimateStore } from "../../../../src/storage/jobs/estimates.ts";
import { createJobList } from "../../../../src/storage/jobs/job-list.ts";
import { createJobStore } from "../../../../src/storage/jobs/jobs.ts";
import { createMonitorStore } from "../../../../src/storage/monitors/monitors.ts";
import { fixedClock } from "../../../fakes/fixed-clock.ts";
import { memoryKeyLedger } from "../../../fakes/memory/memory-key-ledger.ts";
import { nodeD1 } from "../../../fakes/memory/node-d1.ts";
import { testApp } from "../../../fakes/services/test-app.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";
import { scriptedHttp, type ScriptedResponse } from "../../../fakes/upstream/scripted-http.ts";
import { memoryBlobs } from "../../../fakes/memory/memory-blobs.ts";

const TEXT = "<p>The keeper of the harbour wrote down what the gulls had done that day, and the next.</p>".repeat(5);
const page = (links: readonly string[]): string =>
  `<html><title>Log</title><body><main><h1>Log</h1>${TEXT}</main>${links.map((url) => `<a href="${url}">More</a>`).join("")}</body></html>`;

/** A service whose web lives in a table; jobs are recorded and never run. */
function service(web: Record<string, ScriptedResponse>) {
  const clock = fixedClock(1_000_000_000_000);
  const meter = new Meter();
  const d1 = nodeD1();
  const scripted = scriptedHttp(web);
  const loads: { url: string; atMs: number }[] = [];
  const http: typeof scripted = {
    ...scripted,
    request: (request) => {
      loads.push({ url: request.url, atMs: clock.now() });
      return scripted.request(request);
    },
  };
  const started: string[] = [];
  const progress: Partial<JobProgress> = {
    status: "completed",
    completed: 4,
    total: 4,
    creditsUsed: 4,
    createdAtMs: clock.now(),
    endedAtMs: clock.now() + 1000,
    expiresAtMs: clock.now() + 86_400_000,
    costs: { ...NO_COUNTS, pages: 4, browserMs: 500 },
    robotsBlocked: 0,
  };
  const start = async (id: string): Promise<"started"> => {
    started.push(id);
    return "started";
  };
  const jobs = createJobStore(d1);
  const deps = testDeps({
    clock,
    meter,
    keyLedger: memoryKeyLedger(clock, meter),
    http,
    engines: [createPlainFetchEngine(http, { userAgent: "Orbweaver test", maxBodyBytes: 1_000_000 })],
    jobs,
    jobList: createJobList(d1),
    estimates: createEstimateStore(d1),
    monitors: createMonitorStore(d1, memoryBlobs()),
    // Only the start of a job and its progress are used.
    frontiers: {
      start,
      progress: async () => progress,
      documents: async () => ({ progress, count: 0, runs: [] }),
    } as unknown as Frontiers,
    stepJobs: {
      start,
      progress: async () => ({ ...progress, creditsUsed: 7, costs: { ...NO_COUNTS, pages: 5 } }),
    } as unknown as StepJobs,
    sleep: async (ms) => void clock.advance(ms),
  });
  const app = testApp(deps);
  const post = async (path: string, body: object) => {
    const creditsBefore = meter.counts.credits;
    const response = await app.post(path, body);
    // What the tests read of it is compared field by field.
    const answer = (await response.json()) as { id: string; estimate: Estimate; receipt: { credits: number } };
    return { status: response.status, ...answer, credits: meter.counts.credits - creditsBefore };
  };
  const get = async (path: string) => (await (await app.ask(path)).json()) as { estimate?: ComparedEstimate };
  const end = async (id: string): Promise<void> => await jobs.setStatus(id, "completed", clock.now());
  return { post, get, end, seen: () => http.seen.map(({ url }) => url), loads, started, clock, d1 };
}

const host = (): string => `https://${crypto.randomUUID()}.example`;
const sitemapOf = (urls: readonly string[]): string =>
  `<urlset>${urls.map((url) => `<url><loc>${url}</loc></url>`).join("")}</urlset>`;

/** A site of so many pages in a tree, in which each page also links back to the start. */
function treeSite(site: string, { pages, children }: { pages: number; children: number }): Record<string, string> {
  const url = (number: number): string => (number === 0 ? `${site}/` : `${site}/page/${number}`);
  return Object.fromEntries(
    Array.from({ length: pages }, (_, number) => {
      const below = Array.from({ length: children }, (_unused, index) => number * children + index + 1);
      return [url(number), page([`${site}/`, ...below.filter((child) => child < pages).map(url)])];
    }),
  );
}

describe("an estimate of a crawl", () => {
  test("is exact where every page was seen, and starts nothing", async () => {
    const site = host();
    const { post, started, seen } = service({
      [`${site}/`]: page([`${site}/a`, `${site}/hidden/b`, "https://elsewhere.example/"]),
      [`${site}/a`]: page([`${site}/c`]),
      [`${site}/c`]: page([]),
      [`${site}/listed`]: page([`${site}/a`]),
      [`${site}/robots.txt`]: { body: "User-agent: *\nDisallow: /hidden/", type: "text/plain" },
      [`${site}/sitemap.xml`]: sitemapOf([`${site}/`, `${site}/listed`]),
    });
    const { status, estimate, credits } = await post("/v2/crawl", { url: site, estimate: true });
    expect(status).toBe(200);
    expect(estimate.pages).toEqual({ low: 4, expected: 4, high: 4 });
    expect(estimate.credits.expected).toBe(4);
    expect(estimate.browserSeconds).toEqual({ low: 0, expected: 0, high: 0 });
    expect(estimate.dollars.expected).toBeGreaterThan(0);
    expect(estimate.dollars.low).toBeLessThan(estimate.dollars.high);
    expect(estimate.basis.map(({ source }) => source)).toEqual(["sitemap", "links", "robots", "rates"]);
    expect(credits).toBe(1);
    expect(started).toEqual([]);
    expect(seen()).not.toContain(`${site}/hidden/b`);
  });

  test("follows the rules of the request: its limit, paths and depth", async () => {
    const site = host();
    const { post } = service(treeSite(site, { pages: 40, children: 3 }));
    const pagesOf = async (options: object) =>
      (await post("/v2/crawl", { url: site, estimate: true, ...options })).estimate.pages.expected;
    expect(await pagesOf({})).toBe(40);
    expect(await pagesOf({ limit: 10 })).toBe(10);
    expect(await pagesOf({ maxDiscoveryDepth: 1 })).toBe(4);
    expect(await pagesOf({ excludePaths: ["^/page/1$"], maxDiscoveryDepth: 1 })).toBe(3);
  });

  test.each([
    { pages: 400, children: 6 },
    { pages: 1_500, children: 12 },
  ])("of a tree of $pages pages is within a quarter, from 100 of them at most", async ({ pages, children }) => {
    const site = host();
    const { post, seen } = service(treeSite(site, { pages, children }));
    const { estimate } = await post("/v2/crawl", { url: site, estimate: true });
    expect(Math.abs(estimate.pages.expected - pages) / pages).toBeLessThan(0.25);
    expect(estimate.pages.low).toBeLessThanOrEqual(pages);
    expect(estimate.pages.high).toBeGreaterThanOrEqual(pages);
    expect(seen().filter((url) => url.includes("/page/")).length).toBeLessThanOrEqual(100);
  });

  test("of a site whose pages link to each other is within a quarter", async () => {
    const site = host();
    const url = (number: number): string => (number === 0 ? `${site}/` : `${site}/page/${number}`);
    const web = Object.fromEntries(
      Array.from({ length: 300 }, (_, number) => {
        const below = Array.from({ length: 5 }, (_unused, index) => number * 5 + index + 1).filter((one) => one < 300);
        const across = Array.from({ length: 7 }, (_unused, index) => (number * 7_919 + index * 104_729) % 300);
        return [url(number), page([...below, ...across].map(url))];
      }),
    );
    const { post } = service(web);
    const { estimate } = await post("/v2/crawl", { url: site, estimate: true });
    expect(Math.abs(estimate.pages.expected - 300) / 300).toBeLessThan(0.25);
  });

  test("of numbered pages of posts reads the numbered pages to their end", async () => {
    const site = host();
    const list = (number: number): string => (number === 0 ? `${site}/` : `${site}/page/${number}`);
    const web: Record<string, string> = {};
    for (let number = 0; number < 30; number++) {
      const posts = Array.from({ length: 10 }, (_, index) => `${site}/posts/${number * 10 + index}`);
      web[list(number)] = page([...posts, ...(number < 29 ? [list(number + 1)] : [])]);
      for (const post of posts) web[post] = page([`${site}/`]);
    }
    const { post, seen } = service(web);
    const { estimate } = await post("/v2/crawl", { url: site, estimate: true });
    expect(estimate.pages).toMatchObject({ low: 330, expected: 330 });
    expect(seen().length).toBeLessThan(60);
  });

  test("takes no more links of a page than a crawl follows", { tags: ["long"] }, async () => {
    const site = host();
    const links = Array.from({ length: 5_000 }, (_, number) => `<a href="${number}">More</a>`).join("");
    const folder = `${site}/${"a".repeat(1_900)}/`;
    const { post } = service({ [`${site}/`]: `<html><base href="${folder}"><body>${TEXT}${links}</body></html>` });
    const { estimate } = await post("/v2/crawl", { url: site, estimate: true, maxDiscoveryDepth: 1 });
    const followed = Number(/link to (\d+) pages/.exec(JSON.stringify(estimate.basis))?.[1]);
    expect(followed).toBeGreaterThan(4_000);
    expect(followed).toBeLessThan(4_200);
  });

  test.each([
    { delayed: "by its robots.txt", robots: "Crawl-delay: 10", options: {} },
    { delayed: "by the request", robots: "Allow: /", options: { delay: 10 } },
  ])("of a site that is delayed $delayed keeps the delay, and pages that have no turn lower nothing", async (given) => {
    const site = host();
    const { post, loads } = service({
      ...treeSite(site, { pages: 41, children: 40 }),
      [`${site}/robots.txt`]: { body: `User-agent: *\n${given.robots}`, type: "text/plain" },
    });
    const { estimate } = await post("/v2/crawl", { url: site, estimate: true, ...given.options });
    expect(estimate.pages).toMatchObject({ low: 41, expected: 41, high: 44 });
    const times = loads.filter(({ url }) => url === `${site}/` || url.includes("/page/")).map(({ atMs }) => atMs);
    const [first = 0] = times;
    expect(times.map((atMs) => atMs - first)).toEqual([0, 10_000]);
  });

  test("compares the URLs of sitemaps with half of the work for patterns, and extrapolates the rest", async () => {
    const site = host();
    // More than 3 million steps a URL, of 200 million.
    const url = (number: number): string => `${site}/p/${"a".repeat(1_900)}${number + 100}`;
    const listed = Array.from({ length: 150 }, (_, number) => url(number));
    const web = Object.fromEntries([`${site}/`, ...listed].map((address) => [address, page([])]));
    const { post } = service({ ...web, [`${site}/sitemap.xml`]: sitemapOf(listed) });
    const includePaths = ["^/p/", `^/q${"z".repeat(900)}`, `^/r${"z".repeat(900)}`];
    const { estimate } = await post("/v2/crawl", { url: site, estimate: true, includePaths });
    const detail = estimate.basis.find(({ source }) => source === "sitemap")?.detail ?? "";
    const [, pages = "", uncompared = ""] =
      /with (\d+) further pages to crawl; (\d+) more were not compared with the rules$/.exec(detail) ?? [];
    expect(Number(pages)).toBeGreaterThan(50);
    expect(Number(pages) + Number(uncompared)).toBe(150);
    expect(estimate.pages.expected).toBeGreaterThan(145);
    expect(estimate.pages.expected).toBeLessThan(155);
    expect(estimate.pages.low).toBeLessThan(70);
  });

  test("of a site that cannot be loaded has no pages and costs nothing", async () => {
    const site = host();
    const { post } = service({ [`${site}/`]: { failed: "SCRAPE_SITE_ERROR" } });
    const { estimate, credits } = await post("/v2/crawl", { url: site, estimate: true });
    expect(estimate.pages).toEqual({ low: 0, expected: 0, high: 0 });
    expect(credits).toBe(0);
  });

  test("is beside the outcome of the crawl that the same request starts within an hour, and of no other", async () => {
    const site = host();
    const { post, get, clock } = service(treeSite(site, { pages: 5, children: 4 }));
    const { estimate } = await post("/v2/crawl", { url: site, limit: 50, estimate: true });
    const { id } = await post("/v2/crawl", { limit: 50, url: site, webhook: "https://hook.example/" });
    const compared = (await get(`/v2/crawl/${id}`)).estimate;
    expect(compared?.pages).toEqual({ ...estimate.pages, outcome: 4 });
    expect(compared?.credits).toEqual({ ...estimate.credits, outcome: 4 });
    expect(compared?.browserSeconds.outcome).toBe(0.5);
    expect(compared?.dollars.outcome).toBeGreaterThan(0);
    const other = await post("/v2/crawl", { url: site, limit: 51 });
    expect((await get(`/v2/crawl/${other.id}`)).estimate).toBeUndefined();
    clock.advance(3_600_001);
    const late = await post("/v2/crawl", { url: site, limit: 50 });
    expect((await get(`/v2/crawl/${late.id}`)).estimate).toBeUndefined();
  });

  test("rests on earlier crawls of the host where they know more", async () => {
    const site = host();
    const { post, end } = service(treeSite(site, { pages: 1_500, children: 12 }));
    const { id } = await post("/v2/crawl", { url: site });
    await end(id);
    const { estimate } = await post("/v2/crawl", { url: site, estimate: true });
    expect(estimate.pages.expected).toBe(4);
    expect(estimate.browserSeconds.expected).toBe(0.5);
    expect(estimate.basis.filter(({ source }) => source === "receipts")).toHaveLength(2);
  });
});

describe("an estimate of a batch", () => {
  test("is of the URLs that can be loaded, and of those that are named", async () => {
    const site = host();
    const web = treeSite(site, { pages: 6, children: 5 });
    const { post, get, started } = service({ ...web, [`${site}/page/5`]: { failed: "SCRAPE_SITE_ERROR" } });
    const body = { urls: Object.keys(web), redactPII: true };
    const { estimate, credits } = await post("/v2/batch/scrape", { ...body, estimate: true });
    expect(estimate.pages).toEqual({ low: 5, expected: 5, high: 5 });
    expect(estimate.credits.expected).toBe(25);
    expect(credits).toBe(1);
    expect(started).toEqual([]);
    const { id } = await post("/v2/batch/scrape", body);
    expect((await get(`/v2/batch/scrape/${id}`)).estimate?.pages).toEqual({ ...estimate.pages, outcome: 4 });
  });

  test.each([
    ["with the default options", undefined, {}],
    ["with a concurrency of their own", undefined, { maxConcurrency: 2 }],
    ["of an earlier version with them", "{}", {}],
  ])("is by earlier batches %s", async (_which, older, own) => {
    const site = host();
    const web = treeSite(site, { pages: 4, children: 3 });
    const { post, end, d1 } = service(web);
    const body = { urls: Object.keys(web) };
    const sourcesOf = ({ basis }: Estimate) => basis.map(({ source }) => source);
    expect(sourcesOf((await post("/v2/batch/scrape", { ...body, estimate: true })).estimate)).not.toContain("receipts");
    await end((await post("/v2/batch/scrape", { ...body, ...own })).id);
    if (older !== undefined) await d1.prepare("UPDATE jobs SET options = ?").bind(older).run();
    const { estimate } = await post("/v2/batch/scrape", { ...body, estimate: true });
    expect(sourcesOf(estimate)).toContain("receipts");
    const html = await post("/v2/batch/scrape", { ...body, formats: ["html"], estimate: true });
    expect(sourcesOf(html.estimate)).not.toContain("receipts");
  });
});

describe("an estimate of an agent", () => {
  test("is free: by the limits of the effort, then by earlier runs", async () => {
    const { post, end, started, seen } = service({});
    const body = { prompt: "Which ferries run?", effort: "low" };
    const first = await post("/v2/agent", { ...body, estimate: true });
    expect(first.credits).toBe(0);
    expect(first.estimate.pages).toEqual({ low: 1, expected: 2, high: 4 });
    expect(first.estimate.credits.high).toBe(10);
    expect((await post("/v2/agent", { ...body, maxCredits: 3, estimate: true })).estimate.credits.high).toBe(3);
    expect(seen()).toEqual([]);
    expect(started).toEqual([]);
    for (let run = 0; run < 2; run++) await end((await post("/v2/agent", body)).id);
    const { estimate } = await post("/v2/agent", { ...body, estimate: true });
    expect(estimate).toMatchObject({ pages: { expected: 5 }, credits: { expected: 7 } });
    expect(estimate.basis.map(({ source }) => source)).toEqual(["receipts"]);
  });
});

describe("an estimate of a monitor", () => {
  test("is of one check and of a month's, and stays with the monitor", async () => {
    const site = host();
    const { post, get } = service(treeSite(site, { pages: 12, children: 11 }));
    const body = {
      name: "Logs",
      schedule: { cron: "0 0 * * *" },
      targets: [
        { type: "crawl", url: site, crawlOptions: { limit: 8 } },
        { type: "scrape", urls: [`${site}/page/1`, `${site}/page/2`] },
      ],
    };
    const { estimate, credits } = await post("/v2/monitor", { ...body, estimate: true });
    expect(estimate.pages.expected).toBe(10);
    expect(estimate.credits.expected).toBe(11);
    expect(estimate.perMonth).toMatchObject({ checks: 30, credits: { expected: 330 } });
    expect(credits).toBe(1);
    expect(await get("/v2/monitor")).toMatchObject({ data: [] });
    const broken = await post("/v2/monitor", { ...body, schedule: { cron: "never" }, estimate: true });
    expect(broken.status).toBe(400);
  });

  test("counts targets that are not sampled by the price of their formats, and as what may have no page", async () => {
    const site = host();
    const { post } = service({ [`${site}/`]: page([]) });
    const target = { type: "scrape", urls: [`${site}/`], scrapeOptions: { redactPII: true } };
    const body = { name: "Logs", schedule: { cron: "0 0 * * *" }, targets: Array.from({ length: 6 }, () => target) };
    const { estimate } = await post("/v2/monitor", { ...body, estimate: true });
    expect(estimate.pages).toEqual({ low: 4, expected: 6, high: 6 });
    expect(estimate.credits).toEqual({ low: 20, expected: 30, high: 30 });
  });
});
