import { afterEach, beforeEach, expect, test } from "vitest";
import { compileRules } from "../../../../src/core/crawl/crawl-scope.ts";
import type { FrontierConfig } from "../../../../src/core/crawl/frontier.ts";
import type { ScrapeDocument } from "../../../../src/core/scrape/document.ts";
import type { EngineOutcome } from "../../../../src/core/scrape/page.ts";
import type { PageRequest } from "../../../../src/engines/engine.ts";
import { crawl, type CrawlInput } from "../../../../src/jobs/crawl/crawl.ts";
import type { JobKind, JobSpecification } from "../../../../src/jobs/kind.ts";
import type { Frontiers } from "../../../../src/ports/crawl/frontier.ts";
import { JobRun } from "../../../../src/services/crawl/job-run.ts";
import { readJob } from "../../../../src/services/jobs/read-job.ts";
import { V2_DEFAULTS } from "../../../../src/services/scrape/scrape-plan.ts";
import { Frontier } from "../../../../src/storage/crawl/frontier.ts";
import { readDocuments, readUrls, progressOf } from "../../../../src/storage/crawl/frontier-read.ts";
import { readTombstones } from "../../../../src/storage/crawl/frontier-tombstones.ts";
import { readMissing, readVersions } from "../../../../src/storage/crawl/frontier-versions.ts";
import { memoryBlobs } from "../../../fakes/memory/memory-blobs.ts";
import { nodeSql, type NodeSql } from "../../../fakes/memory/node-sql.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

const SITE = "http://site.example/";
const DAY_MS = 86_400_000;
const IDS = [1, 2, 3, 4].map((number) => `01a1fca9-c0e${number}-70a0-9c2a-f06008640789`);

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
let reads: string[];

beforeEach(() => {
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
  nowMs = Date.UTC(2026, 5, 15, 8);
  reads = [];
});
afterEach(() => databases.forEach((sql) => sql.close()));

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
    engine: "fetch" as const,
    url: asked?.moved === undefined ? url : `${SITE}${asked.moved}`,
    statusCode,
    headers: page?.etag === undefined ? {} : ({ etag: page.etag } as Record<string, string>),
    contentType: "text/html",
    body,
    warnings: [],
  };
  return { kind: "loaded", page: loaded };
}

interface Options {
  since?: number;
  output?: "all" | "changes";
  formats?: { type: string }[];
  /** Ends the run after so many requests to the frontier, as a crash does. */
  crashAfter?: number;
  limit?: number;
}

/** Crawls the site as job number `job`, in one run or, after a crash, in a second one. */
async function crawlSite(job: number, options: Options = {}): Promise<Frontier> {
  const { since, output = "all", crashAfter = Infinity, limit, formats } = options;
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
    const start = { key: "site.example/", url: SITE, depth: 0, isExternal: false, parent: undefined };
    frontier.start(config, [start], nowMs, sinceId === undefined ? undefined : frontiers.get(sinceId)?.template());
  }
  let calls = 0;
  const work: Frontiers["work"] = async (_, request) => {
    if (++calls > crashAfter) throw new Error("The run has crashed");
    if (request.completion !== undefined) frontier.complete(request.completion, nowMs);
    const held = { leaseIds: request.leaseIds, lastClaim: request.lastClaim ?? 0 };
    const claim = request.isLeaving === true || request.capacity === 0 ? undefined : frontier.claim(request.capacity, nowMs, held); // prettier-ignore
    const { after = "", lacksSitemap = false } = frontier.state()?.comparison ?? {};
    const template = request.knowsTemplate === true ? undefined : frontier.template();
    return {
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
  const input: CrawlInput = { rules, sitemap: sitemap === undefined ? "skip" : "include", robotsAgent: undefined, isLanded: false }; // prettier-ignore
  const specification = {
    id,
    kind: "crawl",
    key: { teamId: "team" },
    scrapeOptions: formats === undefined ? {} : { formats },
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
    engines: [{ engine: "fetch", provides: new Set(), load }],
    frontiers: {
      work,
      versions: async (from: string, query: never) => readVersions(sqlOf(from), query),
      missing: async (from: string, keys: string[]) => readMissing(sqlOf(from), keys),
    } as unknown as Frontiers,
    blobs: { ...blobs, get: async (key, range) => (reads.push(key), await blobs.get(key, range)) },
    http: { request: async ({ url }: { url: string }) => sitemapOrNothing(url) } as never,
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, Math.min(ms, 5))),
  });
  await new JobRun({ deps, specification, kind: crawl as unknown as JobKind, messageId: `run ${nowMs} ${calls}` })
    .run(() => undefined)
    .catch((error: unknown) => {
      if (crashAfter === Infinity) throw error;
    });
  return frontier;
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

async function documentsOf(frontier: Frontier): Promise<Map<string, ScrapeDocument>> {
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

const progress = (frontier: Frontier) => {
  const state = frontier.state();
  if (state === undefined) throw new Error("There is no job");
  return { ...progressOf(state), rowsWritten: 0, messagesSent: 0 };
};
const changes = (frontier: Frontier) => progress(frontier).changes;
const removed = (frontier: Frontier) => readTombstones(frontier.sql, { after: 0, limit: 100 }).tombstones;
const statuses = async (frontier: Frontier) =>
  Object.fromEntries([...(await documentsOf(frontier))].map(([path, { metadata }]) => [path, metadata.changeStatus]));
const changePages = (): void => {
  pages.set("c", { text: "page c, and it has changed", links: ["f"], etag: '"c2"' });
  pages.set("f", { text: "page f, which is new", links: [] });
  pages.delete("d");
};

test("a page that has not changed costs one conditional request, and its document is that of the earlier job", async () => {
  const before = await documentsOf(await crawlSite(0));
  requests = [];
  const writes = blobs.objects.size;
  const second = await crawlSite(1, { since: 0 });
  expect(second.state()).toMatchObject({ status: "completed", creditsUsed: 1, counters: { completed: 6 } });
  expect(changes(second)).toMatchObject({ new: 0, changed: 0, unchanged: 6, removed: 0, isCompared: true });
  expect(requests.toSorted((left, right) => (left.url < right.url ? -1 : 1))).toEqual([
    { url: "", status: 304 },
    { url: "a", status: 304 },
    { url: "b", status: 200 },
    { url: "c", status: 304 },
    { url: "d", status: 304 },
    { url: "e", status: 304 },
  ]);
  expect(blobs.objects.size).toBe(writes);
  const after = await documentsOf(second);
  for (const [path, document] of before) {
    expect(after.get(path)?.markdown).toBe(document.markdown);
    expect(after.get(path)?.metadata).toMatchObject({ changeStatus: "unchanged", title: document.metadata.title });
    expect(after.get(path)?.metadata.scrapeId).toMatch(/^01a1fca9-c0e2-8/);
  }
  expect(after.get("a")?.metadata.creditsUsed).toBe(0);
  expect(after.get("b")?.metadata.creditsUsed).toBe(1);
});

test("changed, new and removed pages are told apart, and the links of unchanged pages are followed", async () => {
  await crawlSite(0);
  changePages();
  const second = await crawlSite(1, { since: 0 });
  expect(await statuses(second)).toEqual({ "": "unchanged", a: "unchanged", b: "unchanged", c: "changed", d: "removed", e: "unchanged", f: "new" }); // prettier-ignore
  expect(changes(second)).toMatchObject({ new: 1, changed: 1, unchanged: 4, removed: 1 });
  expect(removed(second)).toEqual([{ url: `${SITE}d`, reason: "gone", scrapeId: expect.any(String), chunks: [] }]);
  const state = second.state();
  if (state === undefined) throw new Error("There is no job");
  const { lines } = readUrls(second.sql, state, { cursor: { part: "queue", row: 0, place: 0 }, limit: 100 });
  expect(lines.find(({ url }) => url === `${SITE}a`)).toMatchObject({ outcome: "scraped", change: "unchanged", detail: "not_modified" }); // prettier-ignore
  expect(lines.find(({ url }) => url === `${SITE}b`)).toMatchObject({ change: "unchanged", detail: "fingerprint" });
  expect(lines.find(({ url }) => url === `${SITE}d`)).toMatchObject({ change: "removed", detail: "HTTP 404" });
});

test("a page that nothing leads to any more is named as not found", async () => {
  await crawlSite(0, { formats: [{ type: "markdown" }, { type: "chunks", maxTokens: 400, overlapTokens: 0, tokenizer: "estimate" } as never] }); // prettier-ignore
  pages.set("a", { text: "page a, which leads nowhere now", links: [], etag: '"a2"' });
  const options = { formats: [{ type: "markdown" }, { type: "chunks", maxTokens: 400, overlapTokens: 0, tokenizer: "estimate" } as never] }; // prettier-ignore
  const second = await crawlSite(1, { since: 0, ...options });
  const gone = removed(second).find(({ url }) => url === `${SITE}e`);
  expect(gone).toMatchObject({ reason: "not_found" });
  expect(gone?.chunks).not.toEqual([]);
  expect(requests.filter(({ url }) => url === "e")).toHaveLength(1);
  expect(changes(second)).toMatchObject({ changed: 1, removed: 1 });
  // The changed page has lost its chunks, and says so itself.
  const lost = removed(second).find(({ url }) => url === `${SITE}a`);
  expect(lost).toMatchObject({ reason: "changed" });
  expect((await documentsOf(second)).get("a")?.metadata.removedChunks).toEqual(lost?.chunks);
  const events = second.sql.rows<{ content: string }>("SELECT content FROM outbox WHERE event = 'page.removed'");
  expect(events.map(({ content }) => JSON.parse(content))).toMatchObject([{ metadata: { sourceURL: `${SITE}e`, changeStatus: "removed", removalReason: "not_found", removedChunks: gone?.chunks } }]); // prettier-ignore
  const state = second.state();
  if (state === undefined) throw new Error("There is no job");
  const { lines } = readUrls(second.sql, state, { cursor: { part: "queue", row: 0, place: 0 }, limit: 100 });
  expect(lines.at(-1)).toEqual({
    url: `${SITE}e`,
    outcome: "removed",
    change: "removed",
    reason: "not_found",
    depth: 0,
  });
});

test("with changes alone, unchanged pages are not among the documents, and a later crawl still knows them", async () => {
  await crawlSite(0);
  changePages();
  const second = await crawlSite(1, { since: 0, output: "changes" });
  expect(await statuses(second)).toEqual({ c: "changed", d: "removed", f: "new" });
  expect(progress(second)).toMatchObject({ completed: 7, documents: 3 });
  expect(second.sql.rows("SELECT id FROM outbox WHERE event = 'page'")).toHaveLength(3);
  const third = await crawlSite(2, { since: 1 });
  expect(await statuses(third)).toEqual({ "": "unchanged", a: "unchanged", b: "unchanged", c: "unchanged", e: "unchanged", f: "unchanged", d: undefined }); // prettier-ignore
});

test("documents of an earlier day are copied, so that the end of the first job takes none from the later ones", async () => {
  const before = await documentsOf(await crawlSite(0));
  nowMs += DAY_MS;
  changePages();
  await crawlSite(1, { since: 0 });
  await blobs.deletePrefix("results/2026-06-15/");
  frontiers.delete(IDS[0] ?? "");
  const second = await documentsOf(frontiers.get(IDS[1] ?? "") as Frontier);
  expect(second.size).toBe(7);
  expect(second.get("a")?.markdown).toBe(before.get("a")?.markdown);
  requests = [];
  const third = await crawlSite(2, { since: 1 });
  expect(changes(third)).toMatchObject({ new: 0, changed: 0, unchanged: 6, removed: 0 });
  expect(requests.filter(({ status }) => status === 304)).toHaveLength(4);
  const documents = await documentsOf(third);
  expect(documents.get("a")).toMatchObject({
    markdown: before.get("a")?.markdown,
    metadata: { changeStatus: "unchanged" },
  });
  expect(documents.get("c")?.metadata.changeStatus).toBe("unchanged");
});

test("pages whose stored documents are gone are read again, and compared by their content", async () => {
  await crawlSite(0);
  await blobs.deletePrefix("results/");
  requests = [];
  const second = await crawlSite(1, { since: 0 });
  expect(requests.filter(({ status }) => status === 200)).toHaveLength(6);
  expect(changes(second)).toMatchObject({ new: 0, changed: 0, unchanged: 6 });
  expect((await documentsOf(second)).get("a")?.markdown).toContain("with its own words");
});

test("a page whose date in the sitemap is not newer costs no request", async () => {
  const dated = (path: string, lastModified: string) => ({ url: path, lastModified });
  sitemap = [dated("a", "2026-06-01"), dated("c", "2026-06-10T10:00:00Z"), dated("b", "2026-06-15"), dated("e", "yesterday")]; // prettier-ignore
  await crawlSite(0);
  requests = [];
  nowMs += 3_600_000;
  pages.set("c", { text: "page c, and it has changed", links: [], etag: '"c2"' });
  sitemap[1] = dated("c", "2026-06-15T08:30:00Z");
  const second = await crawlSite(1, { since: 0 });
  expect(requests.map(({ url }) => url).toSorted()).toEqual(["", "b", "c", "d", "e"]);
  expect(changes(second)).toMatchObject({ changed: 1, unchanged: 5 });
  expect((await documentsOf(second)).get("a")?.metadata).toMatchObject({ changeStatus: "unchanged", creditsUsed: 0 });
});

test("pages that only a sitemap named are not removed when it cannot be read", async () => {
  sitemap = [{ url: "a" }, { url: "lonely" }];
  pages.set("lonely", { text: "a page that nothing links to", links: [], etag: '"l"' });
  await crawlSite(0);
  sitemap = [];
  const second = await crawlSite(1, { since: 0 });
  expect(changes(second)).toMatchObject({ removed: 0, unchanged: 6, lacksSitemap: true });
  sitemap = [{ url: "a" }];
  const third = await crawlSite(2, { since: 0 });
  expect(removed(third)).toMatchObject([{ url: `${SITE}lonely`, reason: "not_found" }]);
});

test("a refusal is no change: the pages behind it stay, and the next crawl compares with the state before", async () => {
  await crawlSite(0);
  pages.set("a", { text: "Service unavailable", links: [], status: 403, etag: '"x"' });
  const second = await crawlSite(1, { since: 0 });
  expect(changes(second)).toMatchObject({ changed: 0, new: 0, removed: 0, unchanged: 5 });
  expect((await statuses(second))["a"]).toBeUndefined();
  pages.set("a", { text: "page a, with its own words", links: ["e"], etag: '"a1"' });
  const third = await crawlSite(2, { since: 1 });
  expect(changes(third)).toMatchObject({ unchanged: 6, new: 0 });
});

test("a run that crashes leaves the rest to the next one, and everything counts once", async () => {
  await crawlSite(0);
  changePages();
  for (let crashAfter = 1; crashAfter <= 8; crashAfter++) {
    frontiers.delete(IDS[1] ?? "");
    await crawlSite(1, { since: 0, crashAfter });
    for (let round = 0; round < 3; round++) {
      nowMs += 20_000;
      const frontier = frontiers.get(IDS[1] ?? "");
      frontier?.reap(nowMs);
      if (frontier?.state()?.status === "scraping") await crawlSite(1, { since: 0 });
    }
    const second = frontiers.get(IDS[1] ?? "") as Frontier;
    expect(second.state()?.status).toBe("completed");
    expect(changes(second)).toMatchObject({ new: 1, changed: 1, unchanged: 4, removed: 1, isCompared: true });
    expect(await statuses(second)).toEqual({ "": "unchanged", a: "unchanged", b: "unchanged", c: "changed", d: "removed", e: "unchanged", f: "new" }); // prettier-ignore
  }
});

test("a crawl that ends at its limit names no page as not found", async () => {
  await crawlSite(0);
  const second = await crawlSite(1, { since: 0, limit: 3 });
  expect(second.state()).toMatchObject({ status: "completed", counters: { completed: 3 } });
  expect(changes(second)).toMatchObject({ unchanged: 3, removed: 0, isCompared: false });
});

test("a page that now redirects to another one is removed, and one that always did is not", async () => {
  pages.set("d", { text: "", links: [], moved: "e" });
  await crawlSite(0);
  pages.set("b", { text: "", links: [], moved: "c" });
  const second = await crawlSite(1, { since: 0 });
  expect(removed(second)).toMatchObject([{ url: `${SITE}b`, reason: "redirected" }]);
});
