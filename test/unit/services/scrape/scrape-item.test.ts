import { describe, expect, test } from "vitest";
import type { ScrapeDocument } from "../../../../src/core/scrape/document.ts";
import type { EngineOutcome } from "../../../../src/core/scrape/page.ts";
import { AppError } from "../../../../src/core/errors.ts";
import type { Engine } from "../../../../src/engines/engine.ts";
import { FairAdmission } from "../../../../src/core/waits/fair-admission.ts";
import { compileRules } from "../../../../src/core/crawl/crawl-scope.ts";
import { crawl } from "../../../../src/jobs/crawl/crawl.ts";
import { batchScrape } from "../../../../src/jobs/crawl/batch-scrape.ts";
import { ScrapeOptions } from "../../../../src/formats/scrape-options.ts";
import type { JobKind, JobSpecification } from "../../../../src/jobs/kind.ts";
import type { ChangeHistory } from "../../../../src/ports/storage/change-history.ts";
import type { PageCache } from "../../../../src/ports/storage/stores.ts";
import type { SearchProvider } from "../../../../src/search/provider.ts";
import { CrawlTemplate } from "../../../../src/services/crawl/crawl-template.ts";
import type { Deps } from "../../../../src/services/deps.ts";
import { scrapeItem } from "../../../../src/services/scrape/scrape-item.ts";
import { V2_DEFAULTS } from "../../../../src/services/scrape/scrape-plan.ts";
import { fixedClock } from "../../../fakes/fixed-clock.ts";
import { memoryChangeHistory } from "../../../fakes/memory/memory-change-history.ts";
import { emptyPageCache } from "../../../fakes/memory/memory-scrapes.ts";
import { tinyPdf } from "../../../fakes/tiny-pdf.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

const URL = "http://a.example/page";
const GITHUB = "https://github.com/harrow/bell";
const JOB = "01a1fca9-c0e6-70a0-9c2a-f06008640789";

/** Scrapes one item with an engine that does what the test says. */
function scrapeWith(
  load: Engine["load"],
  {
    attempt = 1,
    lost,
    url = URL,
    teamId = "team",
    admission,
    hasEnded = () => false,
    raise = async () => true,
    isExternal = false,
    input = {},
    ...more
  }: {
    attempt?: number;
    lost?: number;
    url?: string;
    teamId?: string;
    admission?: FairAdmission;
    hasEnded?: () => boolean;
    raise?: (credits: number) => Promise<boolean>;
    isExternal?: boolean;
    input?: object;
    kind?: JobKind;
    files?: Deps["files"];
    log?: Deps["log"];
    changeHistory?: ChangeHistory;
    job?: string;
    options?: object;
    /** The cache of pages, and the time (ms): the job keeps versions of its pages. */
    cached?: { pageCache: PageCache; nowMs: number };
  } = {},
) {
  const {
    changeHistory = memoryChangeHistory(),
    job = JOB,
    options = {},
    cached,
    kind = batchScrape,
    files,
    log,
  } = more;
  const github = { name: "github" } as unknown as SearchProvider;
  const deps = testDeps({
    changeHistory,
    engines: [{ engine: "fetch", provides: new Set(), load }],
    searchProviders: [github],
    ...(admission && { admission }),
    ...(files && { files }),
    ...(log && { log }),
    ...(cached && { pageCache: cached.pageCache, clock: { now: () => cached.nowMs } }),
  });
  const specification = {
    id: job,
    kind: "batch_scrape",
    scrapeOptions: ScrapeOptions.parse(options),
    scrapeDefaults: V2_DEFAULTS,
    key: { id: `key of ${teamId}`, teamId },
    zeroDataRetention: false,
    keepsVersions: cached !== undefined,
    publicOrigin: "http://service.example",
    input,
  } as unknown as JobSpecification;
  const item = { key: "#0", url, depth: 0, isExternal, attempt, ...(lost === undefined ? {} : { lost }) };
  const template = new CrawlTemplate({ specification, kind });
  return scrapeItem(deps, { item, documentNumber: 65, specification, kind, template, hasEnded, raise });
}

function page(statusCode: number, headers: Record<string, string> = {}): EngineOutcome {
  const text = "A page of a small harbour, with enough words that nobody takes it for an empty shell. ".repeat(20);
  const body = `<html><head><title>Harbour</title></head><body><main><h1>Harbour</h1><p>${text}</p></main></body></html>`;
  const loaded = {
    engine: "fetch" as const,
    url: URL,
    statusCode,
    headers,
    contentType: "text/html",
    body,
    warnings: [],
  };
  return { kind: "loaded", page: loaded };
}

test("a page becomes a document with an id that leads back to its job", async () => {
  const { result, json, credits } = await scrapeWith(async () => page(200));
  expect(result).toMatchObject({ kind: "scraped", key: "#0", attempt: 1, credits: 1 });
  expect(credits).toBe(1);
  expect(JSON.parse(json ?? "")).toMatchObject({
    markdown: expect.stringContaining("small harbour"),
    metadata: { sourceURL: URL, statusCode: 200, scrapeId: result.kind === "scraped" ? result.scrapeId : "none" },
  });
});

test("a PDF reserves its further pages before it is charged, and fails where they cannot be paid for", async () => {
  const body = tinyPdf(["One", "Two", "Three"]);
  const load: Engine["load"] = async () => {
    const { page: loaded } = page(200) as EngineOutcome & { kind: "loaded" };
    return { kind: "loaded", page: { ...loaded, contentType: "application/pdf", body } };
  };
  const raised: number[] = [];
  const raise = async (credits: number) => (raised.push(credits), true);
  const paid = await scrapeWith(load, { raise, options: { redactPII: true } });
  expect(paid).toMatchObject({ credits: 15, result: { kind: "scraped", credits: 15 } });
  const refused = await scrapeWith(load, { raise: async () => false });
  expect(refused.credits).toBe(0);
  expect(refused.result).toMatchObject({ kind: "failed", code: "INSUFFICIENT_CREDITS", retryable: false });
  await scrapeWith(async () => page(200), { raise });
  expect(raised).toEqual([10]);
});

test.each([
  { what: "the site that was requested", more: {}, sees: true },
  { what: "another site", more: { isExternal: true }, sees: false },
  { what: "a site that the start page has moved to", more: { hasMoved: true }, sees: false },
  { what: "a page without TLS", more: {}, start: URL.replace("http:", "https:"), sees: false },
])(
  "$what receives the caller's headers: $sees",
  async ({ more: { isExternal = false, ...moved }, start = URL, sees }) => {
    const seen: (Record<string, string> | undefined)[] = [];
    const load: Engine["load"] = async ({ headers }) => (seen.push(headers), page(200));
    const rules = compileRules(start, { allowExternalLinks: true });
    const input = { rules, sitemap: "skip", isLanded: true, ...moved };
    const options = {
      headers: { Authorization: "Bearer secret", Cookie: "a=1", "X-Team": "b", "Accept-Language": "fi" },
    };
    await scrapeWith(load, { kind: crawl as unknown as JobKind, input, options, isExternal });
    const names = Object.keys(seen[0] ?? {}).map((name) => name.toLowerCase());
    expect(names).toContain("accept-language");
    expect(["authorization", "cookie", "x-team"].map((name) => names.includes(name))).toEqual([sees, sees, sees]);
  },
);

test("an unexpected failure of a page is logged, and tried again", async () => {
  const logged: object[] = [];
  const load = () => Promise.reject(new TypeError("body is not a function"));
  const { result } = await scrapeWith(load, { log: (event) => void logged.push(event) });
  expect(result).toMatchObject({ kind: "failed", code: "UNKNOWN_ERROR", retryable: true });
  const message = expect.stringContaining("TypeError: body is not a function");
  expect(logged).toContainEqual({ event: "page_failed_unexpectedly", jobId: JOB, message });
});

test("a page that was not requested is tried again, and nothing is reported of its host", async () => {
  const message = "The team has no connection left";
  const failed = { kind: "failed", code: "SCRAPE_TIMEOUT", message } as const;
  const lost = await scrapeWith(async () => failed);
  expect(lost.report).toEqual({ failed: true });
  const unsent = async () => ({ ...failed, isUnsent: true }) as const;
  const { report, result } = await scrapeWith(unsent);
  expect(report).toBeUndefined();
  const words = { kind: "failed", code: "SCRAPE_TIMEOUT", error: message, retryAfterMs: 15_000 };
  expect(result).toEqual({ key: "#0", attempt: 1, ...words, retryable: true });
  expect((await scrapeWith(unsent, { attempt: 3 })).result).toMatchObject({ ...words, retryable: false });
});

test("the links of a page that is too large for a document are followed", async () => {
  const kind = {
    ...batchScrape,
    follow: (_landing: unknown, links: () => readonly string[]) => ({
      candidates: links().map((url) => ({ url })),
      filtered: [],
    }),
  } as unknown as JobKind;
  const files = { put: () => Promise.reject(new AppError("SCRAPE_WORK_LIMIT")) } as unknown as Deps["files"];
  const loaded = page(200);
  if (loaded.kind === "loaded") {
    loaded.page.body = `<a href="/quay">Quay</a>${String(loaded.page.body)}`;
    const file = { bytes: new Uint8Array(1), contentType: "image/png" };
    loaded.page.actions = { screenshots: [file], scrapes: [], javascriptReturns: [], pdfs: [] };
  }
  const { result, discoveries } = await scrapeWith(async () => loaded, {
    kind,
    files,
  });
  expect(result).toMatchObject({ kind: "failed", code: "SCRAPE_WORK_LIMIT", retryable: false });
  expect(discoveries.candidates).toEqual([{ url: "http://a.example/quay" }]);
});

test("a page that waits for its turn is not begun, and not charged, when its job ends meanwhile", async () => {
  const admission = new FairAdmission({ places: 1, isProcessorBusy: () => true });
  let loads = 0;
  let hasEnded = false;
  const { promise: first, resolve: finish } = Promise.withResolvers<void>();
  const before = admission.run({ teamId: "other", keyId: "other" }, () => first);
  const load = async () => (loads++, page(200));
  const waiting = scrapeWith(load, { admission, hasEnded: () => hasEnded });
  hasEnded = true;
  finish();
  await before;
  expect(await waiting).toMatchObject({ url: URL, result: { kind: "deferred" }, credits: 0 });
  expect(loads).toBe(0);
});

test.each([
  { from: "the cache", entries: true, readAtMs: 60_000 },
  { from: "the site", entries: false, readAtMs: 90_000 },
])("the version of a page from $from is dated by when the site was read", async ({ entries, readAtMs }) => {
  const outcome = page(200);
  if (outcome.kind !== "loaded") throw new Error("The page was not loaded");
  const pageCache: PageCache = {
    ...emptyPageCache(),
    find: async (key) =>
      entries ? { kind: "page", found: { key, waitForMs: 0, storedAtMs: 60_000, page: outcome.page } } : undefined,
  };
  const { result } = await scrapeWith(async () => page(200), {
    cached: { pageCache, nowMs: 90_000 },
    options: { maxAge: 50_000 },
  });
  expect(result).toMatchObject({ kind: "scraped", version: { readAtMs } });
});

test("its document has the tools for the host of the page, with domainTools", async () => {
  const load = async (): Promise<EngineOutcome> => {
    const outcome = page(200);
    return outcome.kind === "loaded" && outcome.page !== undefined
      ? { kind: "loaded", page: { ...outcome.page, url: GITHUB } }
      : outcome;
  };
  const { json } = await scrapeWith(load, { url: GITHUB, options: { domainTools: true, toolDetail: "compact" } });
  expect(JSON.parse(json ?? "")).toMatchObject({ tools: [{ provider: "github", capability: "repositories/search" }] });
  expect(JSON.parse((await scrapeWith(load, { url: GITHUB })).json ?? "")).not.toHaveProperty("tools");
});

test("a page whose processing throws has failed, and is worth another try", async () => {
  const outcome = await scrapeWith(() => Promise.reject(new TypeError("secret inside")));
  expect(outcome.result).toMatchObject({ kind: "failed", code: "UNKNOWN_ERROR", retryable: true });
  expect(JSON.stringify(outcome)).not.toContain("secret inside");
});

test.each([
  { why: "a name that does not exist", code: "SCRAPE_DNS_RESOLUTION_ERROR", attempt: 1, retryable: false },
  { why: "a page that took all its time", code: "SCRAPE_TIMEOUT", attempt: 1, retryable: true },
  { why: "one that did so twice", code: "SCRAPE_TIMEOUT", attempt: 2, retryable: true },
] as const)("$why fails with its code", async ({ code, attempt, retryable }) => {
  const { result, credits } = await scrapeWith(() => Promise.reject(new AppError(code)), { attempt });
  expect(result).toMatchObject({ kind: "failed", code, retryable });
  expect(credits).toBe(0);
});

test("a site that says “not now” is asked again when it wants, and taken at its word in the end", async () => {
  const busy = async () => page(503, { "retry-after": "120" });
  const first = await scrapeWith(busy);
  expect(first).toMatchObject({
    result: { kind: "failed", retryable: true, retryAfterMs: 120_000 },
    report: { statusCode: 503, retryAfterMs: 120_000 },
  });
  const last = await scrapeWith(busy, { attempt: 3 });
  expect(last.result.kind).toBe("scraped");
  // Two worker runs have stopped before they asked the site.
  const lost = await scrapeWith(busy, { attempt: 3, lost: 2 });
  expect(lost.result).toMatchObject({ kind: "failed", retryable: true });
});

test.each([
  { text: "Thu, 01 Jan 1970 00:02:00 GMT", ms: 0 },
  { inMs: 120_000, ms: 120_000 },
  { inMs: 86_400_000, ms: 300_000 },
  { text: "soon", ms: 0 },
])("Retry-After may be a date: $text, in $inMs ms", async ({ text, inMs = 0, ms }) => {
  const date = text ?? new Date(fixedClock().now() + inMs).toUTCString();
  const { result } = await scrapeWith(async () => page(429, { "retry-after": date }));
  expect(result).toMatchObject({ kind: "failed", retryAfterMs: ms });
});

test("the first page of a team's job begins at once, however many pages of another team's job wait", async () => {
  const admission = new FairAdmission({ places: 2, isProcessorBusy: () => true });
  const begun: (string | undefined)[] = [];
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  const scrape = (teamId: string) =>
    scrapeWith(async ({ owner }) => (begun.push(owner?.teamId), await opened, page(200)), { teamId, admission });
  const busy = Array.from({ length: 20 }, () => scrape("busy"));
  await expect.poll(() => begun).toEqual(["busy", "busy"]);
  const quiet = scrape("quiet");
  await expect.poll(() => begun).toEqual(["busy", "busy", "quiet"]);
  open();
  const ends = await Promise.all([...busy, quiet]);
  expect(ends.map(({ result }) => result.kind)).toEqual(Array(21).fill("scraped"));
});

describe("a page of a job that tracks changes", () => {
  const options = { formats: ["markdown", { type: "changeTracking", modes: ["git-diff"] }] };
  const saying = (words: string): EngineOutcome => {
    const outcome = page(200);
    if (outcome.kind === "loaded")
      outcome.page.body = String(outcome.page.body).replace("</main>", `<p>${words}</p></main>`);
    return outcome;
  };
  const track = async (words: string, work: { changeHistory: ChangeHistory; job: string }) => {
    const { json = "{}" } = await scrapeWith(async () => saying(words), { ...work, options });
    return (JSON.parse(json) as ScrapeDocument).changeTracking;
  };

  test("is compared with what the job before saw", async () => {
    const changeHistory = memoryChangeHistory();
    const jobs = ["1", "2", "3"].map((digit) => JOB.slice(0, -1) + digit);
    const [first = "", second = "", third = ""] = jobs;
    expect(await track("The ferry sails at nine.", { changeHistory, job: first })).toMatchObject({
      changeStatus: "new",
    });
    const changed = await track("The ferry sails at ten.", { changeHistory, job: second });
    expect(changed?.diff?.text).toContain("-The ferry sails at nine.\n+The ferry sails at ten.");
    expect(await track("The ferry sails at ten.", { changeHistory, job: third })).toMatchObject({
      changeStatus: "same",
    });
  });

  test("is not compared with itself when its run was lost and it is scraped once more", async () => {
    const changeHistory = memoryChangeHistory();
    const [first = "", second = ""] = ["1", "2"].map((digit) => JOB.slice(0, -1) + digit);
    for (const _ of [1, 2]) {
      const again = await track("The ferry sails at nine.", { changeHistory, job: first });
      expect(again?.changeStatus).toBe("new");
    }
    for (const _ of [1, 2, 3]) {
      const again = await track("The ferry sails at ten.", { changeHistory, job: second });
      expect(again?.changeStatus).toBe("changed");
      expect(again?.diff?.text).toContain("-The ferry sails at nine.");
    }
  });

  test("is scraped also where its history fails, in words", async () => {
    const fails = () => Promise.reject(new Error("D1 is down"));
    const changeHistory: ChangeHistory = { find: fails, save: fails, purge: fails };
    const { result, json = "{}" } = await scrapeWith(async () => page(200), { changeHistory, options });
    expect(result.kind).toBe("scraped");
    const document = JSON.parse(json) as ScrapeDocument;
    expect(document).not.toHaveProperty("changeTracking");
    expect(document.warning).toContain("history could not be read or written");
  });
});
