import { readJson } from "../client.ts";
import type { Client, Reply } from "../client.ts";
import { costOf } from "../proc.ts";
import type { ProcessCost } from "../proc.ts";
import { articlePage, scriptedPage } from "./article-pages.ts";
import { startBareBrowser } from "./bare-browser.ts";
import { closedLoop, latencies } from "./closed-loop.ts";
import type { LoadResult } from "./closed-loop.ts";
import { averageServerTiming } from "./server-timing.ts";

/** What is measured, and from where. */
export interface Target {
  service: string;
  key: string;
  /** Absent: no CPU time and no memory. */
  pid: number | undefined;
  pages: string[];
  /** Address of the bench's own site; absent where another site is measured, which has no sizes and no scripted pages. */
  ownSite: string | undefined;
}

export interface Plan {
  levels: number[];
  requests: number;
  sizesMb: number[];
  browser: boolean;
  log: (line: string) => void;
}

export interface Row {
  section: string;
  name: string;
  concurrency: number;
  requests: number;
  good: number;
  perSecond: number;
  p50: number;
  p95: number;
  p99: number;
  /** Median over the median of the bare load of the same pages. */
  ratio?: number;
  cpuMsPerPage?: number;
  peakMb?: number;
  /** Percent of the machine that was busy with something else. */
  othersPercent?: number;
  failures: Record<string, number>;
  /** Averages of `Server-Timing`. */
  timing: Record<string, number>;
}

export interface ScrapeReport {
  rows: Row[];
}

const WARM_UP_REQUESTS = 20;
const BROWSER_REQUESTS = 24;
const BROWSER_LEVELS = [1, 4];

/** All sections, one after the other, on one service. */
export async function measureScrapes(target: Target, plan: Plan): Promise<ScrapeReport> {
  const rows: Row[] = [];
  plan.log("Warming up");
  await closedLoop({ ...bareLoad(target.pages), concurrency: 4, requests: target.pages.length });
  await closedLoop({ ...scrapeLoad(target, { fresh: true }), concurrency: 4, requests: WARM_UP_REQUESTS });
  for (const concurrency of plan.levels) {
    plan.log(`Plain pages, ${concurrency} at a time`);
    rows.push(...(await plainRows(target, { concurrency, requests: plan.requests })));
  }
  plan.log("A cached page");
  rows.push(await cachedRow(target, { concurrency: 1, requests: plan.requests }));
  if (target.ownSite !== undefined) {
    for (const sizeMb of plan.sizesMb) {
      plan.log(`A page of ${sizeMb} MB`);
      rows.push(...(await sizeRows(target, target.ownSite, sizeMb)));
    }
    if (plan.browser) {
      plan.log("Pages in a browser");
      rows.push(...(await browserRows(target, target.ownSite)));
    }
  }
  return { rows };
}

async function plainRows(target: Target, round: { concurrency: number; requests: number }): Promise<Row[]> {
  const bare = await closedLoop({ ...bareLoad(target.pages), ...round });
  const scraped = await measured(target, () => closedLoop({ ...scrapeLoad(target, { fresh: true }), ...round }));
  return [
    toRow({ section: "plain", name: "bare fetch" }, bare),
    toRow({ section: "plain", name: "scrape", bare: bare.p50 }, scraped),
  ];
}

async function cachedRow(target: Target, round: { concurrency: number; requests: number }): Promise<Row> {
  const page = { ...target, pages: target.pages.slice(0, 1) };
  await closedLoop({ ...scrapeLoad(page, { fresh: false }), concurrency: 1, requests: 2 });
  const result = await measured(target, () => closedLoop({ ...scrapeLoad(page, { fresh: false }), ...round }));
  const hits = result.replies.filter((reply) => /"cacheState":"hit"/.test(JSON.stringify(readJson(reply)))).length;
  return toRow({ section: "cached", name: `cached page (${hits} of ${result.good} from the cache)` }, result);
}

/** Cached answers at several levels, beside the same page loaded each time. */
export async function measureCached(
  target: Target,
  plan: Pick<Plan, "levels" | "requests" | "log">,
): Promise<ScrapeReport> {
  const rows: Row[] = [];
  const page = { ...target, pages: target.pages.slice(0, 1) };
  await closedLoop({ ...scrapeLoad(page, { fresh: true }), concurrency: 4, requests: WARM_UP_REQUESTS });
  for (const concurrency of plan.levels) {
    const round = { concurrency, requests: plan.requests };
    plan.log(`${concurrency} at a time`);
    const fresh = await measured(target, () => closedLoop({ ...scrapeLoad(page, { fresh: true }), ...round }));
    rows.push(toRow({ section: "cached", name: "the same page, fresh" }, fresh), await cachedRow(target, round));
  }
  return { rows };
}

async function sizeRows(target: Target, site: string, sizeMb: number): Promise<Row[]> {
  const pages = [`${site}/size/${sizeMb}`];
  const requests = Math.max(3, Math.min(20, Math.round(20 / sizeMb)));
  const round = { concurrency: 1, requests };
  // The site makes a page when it is first asked for.
  await closedLoop({ ...bareLoad(pages), concurrency: 1, requests: 1 });
  const bare = await closedLoop({ ...bareLoad(pages), ...round });
  const load = { ...scrapeLoad({ ...target, pages }, { fresh: true }), ...round };
  const scraped = await measured(target, () => closedLoop(load));
  return [
    toRow({ section: "size", name: `${sizeMb} MB, bare fetch` }, bare),
    toRow({ section: "size", name: `${sizeMb} MB, scrape`, bare: bare.p50 }, scraped),
  ];
}

/** The same pages in a browser of our own, warm and without anything around it, and through the service. */
async function browserRows(target: Target, site: string): Promise<Row[]> {
  const rows: Row[] = [];
  const kinds = [
    {
      name: "article in a browser",
      path: "p",
      options: { waitFor: 1 },
      marker: (page: number) => articlePage(page).marker,
    },
    { name: "page built by a script", path: "app", options: {}, marker: (page: number) => scriptedPage(page).marker },
  ];
  for (const { name, path, options, marker } of kinds) {
    const bareMs = await bareBrowserMs((page) => `${site}/${path}/${page}`, marker);
    if (bareMs !== undefined) rows.push({ ...emptyRow("browser", `${name}, bare`), ...bareMs });
    const pages = Array.from({ length: BROWSER_REQUESTS }, (_, page) => `${site}/${path}/${page}`);
    const load = scrapeLoad({ ...target, pages }, { fresh: true, options });
    await closedLoop({ ...load, concurrency: 4, requests: 8 });
    for (const concurrency of BROWSER_LEVELS) {
      const result = await measured(target, () => closedLoop({ ...load, concurrency, requests: BROWSER_REQUESTS }));
      rows.push(toRow({ section: "browser", name: `${name}, scrape`, bare: bareMs?.p50 }, result));
    }
  }
  return rows;
}

async function bareBrowserMs(
  urlOf: (page: number) => string,
  markerOf: (page: number) => string,
): Promise<Partial<Row> | undefined> {
  const browser = await startBareBrowser();
  if (browser === undefined) return undefined;
  try {
    const times: number[] = [];
    for (let page = 0; page < 4; page++) await browser.load(urlOf(page), markerOf(page));
    for (let page = 0; page < BROWSER_REQUESTS; page++) times.push(await browser.load(urlOf(page), markerOf(page)));
    const perSecond = (1000 * times.length) / times.reduce((sum, ms) => sum + ms, 0);
    return { ...latencies(times), concurrency: 1, requests: times.length, good: times.length, perSecond };
  } finally {
    await browser.close();
  }
}

/** The pages themselves, without the service. */
function bareLoad(pages: readonly string[]) {
  return {
    send: (client: Client, index: number) => client.get(pages[index % pages.length] ?? ""),
    judge: (reply: Reply) => (reply.status === 200 ? undefined : `status ${reply.status} ${reply.error ?? ""}`.trim()),
  };
}

function scrapeLoad(target: Target, request: { fresh: boolean; options?: object }) {
  const options = { ...request.options, ...(request.fresh ? { maxAge: 0 } : {}) };
  return {
    key: target.key,
    send: (client: Client, index: number) =>
      client.post(`${target.service}/v2/scrape`, {
        url: target.pages[index % target.pages.length],
        formats: ["markdown"],
        timeout: 120_000,
        ...options,
      }),
    judge: judgeScrape,
  };
}

/** The bench's pages say which they are, so an answer with another page's content does not count. */
function judgeScrape(reply: Reply): string | undefined {
  if (reply.error !== undefined) return reply.error;
  const answer = readJson(reply) as
    | { success?: boolean; code?: string; data?: { markdown?: string; metadata?: { sourceURL?: string } } }
    | undefined;
  if (reply.status !== 200 || answer?.success !== true) return `status ${reply.status} ${answer?.code ?? ""}`.trim();
  const markdown = answer.data?.markdown ?? "";
  if (markdown.trim() === "") return "empty markdown";
  const page = /\/(?:p|app)\/(\d+)$/.exec(answer.data?.metadata?.sourceURL ?? "")?.[1];
  return page === undefined || markdown.includes(`page ${page} of the`) ? undefined : "another page's content";
}

type Measured = LoadResult & Partial<ProcessCost>;

async function measured(target: Target, work: () => Promise<LoadResult>): Promise<Measured> {
  if (target.pid === undefined) return work();
  const { result, cost } = await costOf(target.pid, work);
  return { ...result, ...cost };
}

function toRow(about: { section: string; name: string; bare?: number | undefined }, result: Measured): Row {
  return {
    ...emptyRow(about.section, about.name),
    concurrency: result.concurrency,
    requests: result.requests,
    good: result.good,
    perSecond: result.perSecond,
    p50: result.p50,
    p95: result.p95,
    p99: result.p99,
    ...(about.bare === undefined ? {} : { ratio: result.p50 / about.bare }),
    ...(result.cpuMs === undefined ? {} : { cpuMsPerPage: result.cpuMs / result.requests }),
    ...(result.peakBytes === undefined ? {} : { peakMb: result.peakBytes / 2 ** 20 }),
    ...(result.othersShare === undefined ? {} : { othersPercent: result.othersShare * 100 }),
    failures: result.failures,
    timing: averageServerTiming(result.replies),
  };
}

function emptyRow(section: string, name: string): Row {
  const none = {
    concurrency: 1,
    requests: 0,
    good: 0,
    perSecond: 0,
    p50: Number.NaN,
    p95: Number.NaN,
    p99: Number.NaN,
  };
  return { section, name, ...none, failures: {}, timing: {} };
}
