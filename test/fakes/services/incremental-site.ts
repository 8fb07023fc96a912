import { compileRules } from "../../../src/core/crawl/crawl-scope.ts";
import type { FrontierConfig } from "../../../src/core/crawl/frontier.ts";
import type { ScrapeDocument } from "../../../src/core/scrape/document.ts";
import type { EngineOutcome } from "../../../src/core/scrape/page.ts";
import type { PageRequest } from "../../../src/engines/engine.ts";
import { crawl, type CrawlInput } from "../../../src/jobs/crawl/crawl.ts";
import type { JobKind, JobSpecification } from "../../../src/jobs/kind.ts";
import type { Frontiers } from "../../../src/ports/crawl/frontier.ts";
import type { PageIndex } from "../../../src/ports/search/page-index.ts";
import { JobRun } from "../../../src/services/crawl/run/job-run.ts";
import { readJob } from "../../../src/services/jobs/read-job.ts";
import { V2_DEFAULTS } from "../../../src/services/scrape/scrape-plan.ts";
import { Frontier } from "../../../src/storage/crawl/frontier.ts";
import { readDocuments, progressOf } from "../../../src/storage/crawl/frontier-read.ts";
import { readTombstones } from "../../../src/storage/crawl/frontier-tombstones.ts";
import { readMissing, readVersions } from "../../../src/storage/crawl/frontier-versions.ts";
import { memoryBlobs } from "../memory/memory-blobs.ts";
import { memoryPageIndex } from "../memory/memory-page-index.ts";
import { nodeSql, type NodeSql } from "../memory/node-sql.ts";
import { testDeps } from "./test-deps.ts";

export const SITE = "http://site.example/";
export const DAY_MS = 86_400_000;
export const IDS = [1, 2, 3, 4].map((number) => `01a1fca9-c0e${number}-70a0-9c2a-f06008640789`);

interface SitePage {
  text: string;
  links: string[];
  /** Without a version the page has no validators. */
  etag?: string;
  status?: number;
  /** URL that the page redirects to. */
  moved?: string;
}

let pages: Map<string, SitePage>;
let sitemap: { url: string; lastModified?: string }[] | undefined;
let requests: { url: string; status: number }[];
let databases: NodeSql[];
let frontiers: Map<string, Frontier>;
let blobs: ReturnType<typeof memoryBlobs>;
let nowMs: number;
let pageIndex: PageIndex;

/** Sets up the site and forgets all crawls, before each test. */
export function resetSite(): void {
  pages = new Map([
    ["", { text: "the start page of the site", links: ["a", "b", "c", "d"], etag: '"start"' }],
    ["a", { text: "page a, with its own words", links: ["e"], etag: '"a1"' }],
    ["b", { text: "page b, without any validators", links: [] }],
    ["c", { text: "page c, which will change", links: [], etag: '"c1"' }],
    ["d", { text: "page d, which will go", links: [], etag: '"d1"' }],
    ["e", { text: "page e, behind page a alone", links: [], etag: '"e1"' }],
  ]);
  sitemap = undefined;
  requests = [];
  databases = [];
  frontiers = new Map();
  blobs = memoryBlobs();
  pageIndex = memoryPageIndex();
  nowMs = Date.UTC(2026, 5, 15, 8);
  site.engine = "fetch";
}

export function closeCrawls(): void {
  databases.forEach((sql) => sql.close());
}

/** The site that is crawled, and what has happened; tests change it. */
export const site = {
  get pages() {
    return pages;
  },
  get sitemap() {
    return sitemap;
  },
  set sitemap(entries) {
    sitemap = entries;
  },
  get requests() {
    return requests;
  },
  set requests(some) {
    requests = some;
  },
  get frontiers() {
    return frontiers;
  },
  get pageIndex() {
    return pageIndex;
  },
  get blobs() {
    return blobs;
  },
  get nowMs() {
    return nowMs;
  },
  set nowMs(ms) {
    nowMs = ms;
  },
  /** Hosts whose robots.txt is answered with 503. */
  closedHosts: new Set<string>(),
  /** The engine that loads pages. */
  engine: "fetch" as "fetch" | "browser",
};

async function load({ url, validators }: PageRequest): Promise<EngineOutcome> {
  const path = url.slice(SITE.length);
  const asked = pages.get(path);
  const page = asked?.moved === undefined ? asked : pages.get(asked.moved);
  const isSame = page?.etag !== undefined && validators?.etag === page.etag;
  const statusCode = isSame ? 304 : (page?.status ?? (page === undefined ? 404 : 200));
  requests.push({ url: path, status: statusCode });
  const links = (page?.links ?? []).map((link) => `<a href="${SITE}${link}">${link}</a>`).join(" ");
  const body = isSame ? "" : `<html><head><title>Page ${path}</title></head><body><main><h1>${page?.text ?? "Nothing"}</h1><p>${(page?.text ?? "Not here").repeat(5)}</p></main>${links}</body></html>`; // prettier-ignore
  const loaded = {
    engine: site.engine,
    url: asked?.moved === undefined ? url : `${SITE}${asked.moved}`,
    statusCode,
    headers: page?.etag === undefined ? {} : ({ etag: page.etag } as Record<string, string>),
    contentType: "text/html",
    body,
    screenshot: { bytes: new Uint8Array(1), contentType: "image/png" },
    warnings: [],
  };
  return { kind: "loaded", page: loaded };
}

interface Options {
  since?: number;
  output?: "all" | "changes";
  formats?: { type: string }[];
  /** Further scrape options. */
  scrapeOptions?: object;
  /** Ends the run after so many requests to the frontier, as a crash does. */
  crashAfter?: number;
  limit?: number;
  /** True to follow robots.txt. */
  asksRobots?: boolean;
}

/** Crawls the site as job number `job`, in one run or, after a crash, in a second one. */
export async function crawlSite(job: number, options: Options = {}): Promise<Frontier> {
  const { since, output = "all", crashAfter = Infinity, limit, formats, scrapeOptions, asksRobots = false } = options;
  const id = IDS[job] ?? "";
  const sinceId = since === undefined ? undefined : (IDS[since] ?? "");
  const known = frontiers.get(id);
  const frontier = known ?? new Frontier(openSql());
  if (known === undefined) {
    frontiers.set(id, frontier);
    const config: FrontierConfig = {
      maxConcurrency: 20,
      delayMs: 0,
      failsWhenEmpty: true,
      leaseMs: 12_000,
      expiresAtMs: nowMs + DAY_MS,
      ...(limit === undefined ? {} : { limit }),
      hasSeed: sitemap !== undefined,
      events: ["page", "page.removed"],
      ...(sinceId === undefined ? {} : { since: { jobId: sinceId, output } }),
    };
    const start = { key: "site.example", url: SITE, depth: 0, isExternal: false, parent: undefined };
    frontier.start(config, [start], nowMs, sinceId === undefined ? undefined : frontiers.get(sinceId)?.template());
  }
  let calls = 0;
  const work: Frontiers["work"] = async (_, request) => {
    if (++calls > crashAfter) throw new Error("The run has crashed");
    if (request.completion !== undefined) frontier.complete(request.completion, nowMs);
    const held = { leaseIds: request.leaseIds, lastClaim: request.lastClaim ?? 0 };
    const claim = request.isLeaving === true || request.capacity === 0 ? undefined : frontier.claim(request.capacity, nowMs, { held, unreported: request.unreported ?? 0 }); // prettier-ignore
    const { after = "", lacksSitemap = false } = frontier.state()?.comparison ?? {};
    const template = request.knowsTemplate === true ? undefined : frontier.template();
    return {
      hasMore: request.capacity > 0 && frontier.hasMore(nowMs),
      status: frontier.state()?.status ?? "failed",
      ...(template === undefined ? {} : { template }),
      ...(claim === undefined
        ? {}
        : {
            claim: {
              ...claim,
              ...(claim.isComparison === true ? { comparison: { after, lacksSitemap } } : {}),
              items: claim.items.map((item) => ({ ...item, startAtMs: 0 })),
            },
          }),
    };
  };
  const rules = compileRules(SITE, {});
  const input: CrawlInput = { rules, sitemap: sitemap === undefined ? "skip" : "include", robotsAgent: asksRobots ? "bot" : undefined, isLanded: false }; // prettier-ignore
  const specification = {
    id,
    kind: "crawl",
    key: { teamId: "team" },
    scrapeOptions: { ...(formats === undefined ? {} : { formats }), ...scrapeOptions },
    scrapeDefaults: V2_DEFAULTS,
    zeroDataRetention: false,
    publicOrigin: "http://service.example",
    createdAtMs: frontier.state()?.createdAtMs ?? nowMs,
    input,
    keepsVersions: true,
    ...(sinceId === undefined ? {} : { since: { id: sinceId, output } }),
  } as unknown as JobSpecification;
  const deps = testDeps({
    clock: { now: () => nowMs },
    engines: [{ engine: site.engine, provides: new Set(["browser", "actions", "screenshot"]), load }],
    frontiers: {
      work,
      versions: async (from: string, query: never) => readVersions(sqlOf(from), query),
      missing: async (from: string, keys: string[]) => readMissing(sqlOf(from), keys),
    } as unknown as Frontiers,
    blobs,
    pageIndex,
    http: { request: async ({ url }: { url: string }) => robotsFailure(url) ?? sitemapOrNothing(url) } as never,
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, Math.min(ms, 5))),
  });
  await new JobRun({ deps, specification, kind: crawl as unknown as JobKind, messageId: `run ${nowMs} ${calls}` })
    .run(() => undefined)
    .catch((error: unknown) => {
      if (crashAfter === Infinity) throw error;
    });
  return frontier;
}

function robotsFailure(url: string) {
  const { host, pathname } = new URL(url);
  if (pathname !== "/robots.txt" || !site.closedHosts.has(host)) return undefined;
  return {
    kind: "response" as const,
    response: { url, statusCode: 503, headers: {}, body: new Uint8Array(), redirects: 0 },
  };
}

function sitemapOrNothing(url: string) {
  const entries = (sitemap ?? []).map(({ url: loc, lastModified }) => `<url><loc>${SITE}${loc}</loc>${lastModified === undefined ? "" : `<lastmod>${lastModified}</lastmod>`}</url>`); // prettier-ignore
  const isSitemap = url === `${SITE}sitemap.xml` && sitemap !== undefined && sitemap.length > 0;
  const body = new TextEncoder().encode(`<urlset>${entries.join("")}</urlset>`);
  const response = isSitemap
    ? { url, statusCode: 200, headers: { "content-type": "text/xml" }, body, redirects: 0 }
    : { url, statusCode: 404, headers: {}, body: new Uint8Array(), redirects: 0 };
  return { kind: "response" as const, response };
}

function openSql(): NodeSql {
  const sql = nodeSql();
  databases.push(sql);
  return sql;
}

const sqlOf = (id: string) => {
  const frontier = frontiers.get(id);
  if (frontier === undefined) throw new Error(`There is no job ${id}`);
  return frontier.sql;
};

export async function documentsOf(frontier: Frontier): Promise<Map<string, ScrapeDocument>> {
  const page = await readJob(
    {
      blobs,
      frontiers: { documents: async (_: string, at: never) => ({ progress: progress(frontier), ...readDocuments(frontier.sql, at) }) } as never, // prettier-ignore
    },
    "",
    { skip: 0, limit: 100 },
  );
  const text = await new Response(page?.documents).text();
  const documents = JSON.parse(`[${text}]`) as ScrapeDocument[];
  return new Map(documents.map((document) => [document.metadata.sourceURL.slice(SITE.length), document]));
}

export const progress = (frontier: Frontier) => {
  const state = frontier.state();
  if (state === undefined) throw new Error("There is no job");
  return { ...progressOf(state), rowsWritten: 0, messagesSent: 0 };
};
export const changes = (frontier: Frontier) => progress(frontier).changes;
export const removed = (frontier: Frontier) => readTombstones(frontier.sql, { after: 0, limit: 100 }).tombstones;
export const statuses = async (frontier: Frontier) =>
  Object.fromEntries([...(await documentsOf(frontier))].map(([path, { metadata }]) => [path, metadata.changeStatus]));
export const changePages = (): void => {
  pages.set("c", { text: "page c, and it has changed", links: ["f"], etag: '"c2"' });
  pages.set("f", { text: "page f, which is new", links: [] });
  pages.delete("d");
};
