import { NOT_MODIFIED } from "../../core/scrape/page.ts";
import { v7 as uuidv7 } from "uuid";
import type { ScrapeDocument } from "../../core/scrape/document.ts";
import { isAppError } from "../../core/errors.ts";
import { ownerOf } from "../../core/fair-order.ts";
import type {
  Monitor,
  MonitorCheck,
  MonitorPage,
  PageState,
  PlannedPage,
  StoredValidators,
} from "../../core/monitors/monitor.ts";
import type { PageSource } from "../../core/scrape/page-source.ts";
import { sha256Hex } from "../../core/text/hash.ts";
import { utf8Length } from "../../core/text/utf8.ts";
import { MARKDOWN } from "../../formats/page/markdown.ts";
import type { ScrapeOptions } from "../../formats/scrape-options.ts";
import type { Caller, Deps, Payer } from "../deps.ts";
import { failureWords } from "../scrape/failure-words.ts";
import { partId, payerOrLack, payPart, recordPage } from "./monitor-credits.ts";
import { pageEvent } from "./monitor-events.ts";
import { estimateCredits } from "../scrape/scrape-credits.ts";
import { confirmIndexed, isIndexed, mayNeedRenewal } from "../scrape/index-pages.ts";
import { PageNotModified, scrapePage, type ScrapeRequest } from "../scrape/scrape-page.ts";
import { V2_DEFAULTS } from "../scrape/scrape-plan.ts";
import { comparePage, comparisonOf, MonitorHistory, stateOf } from "./compare-page.ts";
import { confirmedState, isConfirmedBySitemap, lookedAtState, validatorsFor } from "./known-unchanged.ts";
import { isJudged, judgePage } from "./judge-change.ts";
import { optionsOfPage, type ReadTarget } from "./target-options.ts";

/** A check in progress, and its payer. */
export interface CheckWork {
  monitor: Monitor;
  check: MonitorCheck;
  caller: Caller;
}

/**
 * Limit of a page's entry, which contains the diff twice: as text and as data. One response returns up to a hundred
 * entries.
 */
const MAX_ENTRY_BYTES = 250_000;
const MAX_TITLE_CHARS = 1000;
/** Status codes of a page that no longer exists. */
const GONE: ReadonlySet<number> = new Set([404, 410]);

/** Outcome for a page of a check. A page of a target that was removed or starts anew is neither read nor stored. */
export type PageOutcome = "stored" | "target_changed" | "check_deleted";

/** Reads a page of a check, compares it with its previous state, and stores the result. */
export async function checkPage(deps: Deps, work: CheckWork, page: PlannedPage): Promise<PageOutcome> {
  const { monitor } = work;
  const target = monitor.config.targets.find(({ id }) => id === page.targetId);
  const known = await deps.monitors.state(monitor.id, { ...page, revision: revisionOf(work, page) });
  if (target === undefined || known === undefined) return "target_changed";
  const { state: before } = known;
  const startedAtMs = deps.clock.now();
  const holdId = await partId(work.check, [page.targetId, page.url]);
  if (target.type === "search") return await keepHit(deps, work, { page, before, holdId, startedAtMs });
  const reading = await planReading(work, { page, target, before });
  if (reading.known !== undefined && isConfirmedBySitemap(page, reading.known, startedAtMs)) {
    const isLookedAt = renewLater(deps, work, reading);
    const previousScrapeId = before?.scrapeId ?? null;
    const entry = entryOf(deps, page, { status: "same", previousScrapeId });
    return await keep(deps, work, { entry, state: isLookedAt ? lookedAtState(before, startedAtMs) : undefined });
  }
  const finding = await lookAt(deps, work, { page, target, before, holdId, reading });
  const credits = await recordPage(deps, work.caller, { holdId, entry: finding.entry, startedAtMs });
  return await keep(deps, work, finding, credits);
}

/** Stores a site or query that could not be listed as an error of the check. */
export async function keepFailure(
  deps: Deps,
  work: CheckWork,
  { error, ...page }: PlannedPage & { error: string },
): Promise<PageOutcome> {
  const known = await deps.monitors.state(work.monitor.id, { ...page, revision: revisionOf(work, page) });
  if (known === undefined) return "target_changed";
  return await keep(deps, work, { entry: entryOf(deps, page, { status: "error", error }) });
}

/**
 * Stores a search result. Results are not read: a URL that no earlier search returned is new, and is judged by the
 * title and description of the result.
 */
async function keepHit(
  deps: Deps,
  work: CheckWork,
  {
    page,
    before,
    holdId,
    startedAtMs,
  }: { page: PlannedPage; before: PageState | undefined; holdId: string; startedAtMs: number },
): Promise<PageOutcome> {
  const { targetId, url } = page;
  const entry = entryOf(deps, page, { status: before === undefined ? "new" : "same" });
  const state = { targetId, url, scrapeId: null, textHash: "", text: "" };
  const { config } = work.monitor;
  if (before !== undefined || !isJudged(config)) return await keep(deps, work, { entry, state });
  const payer = await payPart(deps, work.caller, { holdId, credits: 0 });
  const judged = { ...entry, ...(await judgePage(deps, payer, { config, page, entry })) };
  const credits = await recordPage(deps, work.caller, { holdId, entry: judged, startedAtMs });
  return await keep(deps, work, { entry: judged, state }, credits);
}

interface Finding {
  entry: MonitorPage;
  /**
   * Current state of the page. Absent when it could not be read: the next check then compares with the previous state.
   */
  state?: PageState | undefined;
}

async function keep(deps: Deps, work: CheckWork, { entry, state }: Finding, credits = 0): Promise<PageOutcome> {
  const { monitor, check } = work;
  const event = pageEvent(monitor, check, entry);
  const found = { credits, state, revision: revisionOf(work, entry), event, nowMs: deps.clock.now() };
  return (await deps.monitors.keepPage(check, entry, found)) ? "stored" : "check_deleted";
}

/** Returns the revision of a page's target that the check reads; undefined for the first one. */
function revisionOf({ monitor }: CheckWork, { targetId }: Pick<PlannedPage, "targetId">): string | undefined {
  return monitor.config.revisions?.[targetId];
}

/**
 * Scrapes a page and compares it. A page that cannot be loaded, or that the site refuses, is an error and not a change.
 */
async function lookAt(
  deps: Deps,
  work: CheckWork,
  {
    page,
    target,
    before,
    holdId,
    reading: planned,
  }: {
    page: PlannedPage;
    target: ReadTarget;
    before: PageState | undefined;
    holdId: string;
    reading: PlannedReading;
  },
): Promise<Finding> {
  const previousScrapeId = before?.scrapeId ?? null;
  const history = new MonitorHistory(before);
  const credits = estimateCredits(planned.request);
  const payer = await payerOrLack(deps, work.caller, { holdId, credits });
  if (isAppError(payer)) {
    const lack = { status: "error", error: failureWords(payer), previousScrapeId } as const;
    return { entry: entryOf(deps, page, lack) };
  }
  let reading: Reading;
  try {
    reading = await read({ ...deps, changeHistory: history }, payer, { page, planned });
  } catch (error) {
    if (error instanceof PageNotModified && before !== undefined) {
      const isLookedAt = renewLater(deps, work, planned);
      const entry = entryOf(deps, page, { status: "same", statusCode: NOT_MODIFIED, previousScrapeId });
      return { entry, state: confirmedState(page, before, { nowMs: deps.clock.now(), isLookedAt }) };
    }
    if (!isAppError(error)) deps.log({ event: "monitor_page_failed", checkId: work.check.id, message: String(error) });
    const found = { status: "error", error: failureWords(error), previousScrapeId } as const;
    return { entry: entryOf(deps, page, found) };
  }
  const { document, options, validators, source } = reading;
  const { statusCode = 200, scrapeId = null, error } = document.metadata;
  const answer = { previousScrapeId, currentScrapeId: scrapeId, statusCode };
  const isGone = target.type === "crawl" && before !== undefined && GONE.has(statusCode);
  if (isGone) return { entry: entryOf(deps, page, { ...answer, status: "removed" }) };
  if (error !== undefined) return { entry: entryOf(deps, page, { ...answer, status: "error", error }) };
  const { state: compared, warning: unstored } = await stateOf(page, { document, saved: history.saved, source });
  // A document from the cache does not tell its source; the same text has that of the state before.
  const named = compared.source ?? (before?.textHash === compared.textHash ? before.source : undefined);
  const sourced = named === undefined ? compared : { ...compared, source: named };
  const state = validators === undefined ? sourced : { ...sourced, validators };
  const comparison = await comparePage(
    comparisonOf(options),
    { before, state, document },
    deps.textTasks(ownerOf(work.caller.key)),
  );
  const warning = [document.warning, comparison.warning, unstored].filter((each) => each !== undefined).join(" ");
  const found = { ...answer, ...comparison, metadata: metadataOf(document), ...(warning === "" ? {} : { warning }) };
  const entry = entryOf(deps, page, found);
  const judged = await judgePage(deps, payer, { config: work.monitor.config, page, entry });
  return { entry: withinRow({ ...entry, ...judged }), state };
}

function metadataOf({ metadata: { title, url, sourceURL } }: ScrapeDocument): MonitorPage["metadata"] {
  return { title: title?.slice(0, MAX_TITLE_CHARS), url, sourceURL };
}

function withinRow(entry: MonitorPage): MonitorPage {
  const bytes = utf8Length(JSON.stringify(entry));
  if (bytes <= MAX_ENTRY_BYTES) return entry;
  const leftOut = `diff: it is left out, because the page's entry would take ${bytes} bytes with it, of ${MAX_ENTRY_BYTES} at most; previousScrapeId and currentScrapeId name both versions.`;
  const { snapshot: _, ...rest } = entry;
  return { ...rest, diff: null, warning: [entry.warning, leftOut].filter((each) => each !== undefined).join(" ") };
}

/** A page that was scraped for a check, with the options it was scraped with. */
interface Reading {
  document: ScrapeDocument;
  options: ScrapeOptions;
  validators: StoredValidators | undefined;
  source: PageSource | undefined;
}

/** A scrape for a check, with what the stored state has to confirm that the page has not changed. */
interface PlannedReading {
  request: ScrapeRequest;
  optionsHash: string;
  known: StoredValidators | undefined;
}

async function planReading(
  { monitor }: CheckWork,
  { page, target, before }: { page: PlannedPage; target: ReadTarget; before: PageState | undefined },
): Promise<PlannedReading> {
  const given = optionsOfPage(target, page.url);
  const formats = given.formats ?? [];
  const withText = formats.some(({ type }) => type === "markdown") ? formats : [...formats, MARKDOWN];
  const request = {
    url: page.url,
    options: { ...given, formats: withText, maxAge: given.maxAge ?? 0 },
    defaults: V2_DEFAULTS,
    apiVersion: "v2" as const,
    zeroDataRetention: false,
    publicOrigin: monitor.config.publicOrigin,
    isOneOfMany: true,
    namesSource: true,
  };
  const optionsHash = await sha256Hex(JSON.stringify(request.options));
  return { request, optionsHash, known: validatorsFor(request.options, before, optionsHash) };
}

/** Scrapes the page, bypassing the cache unless the target sets `maxAge`. */
async function read(
  deps: Deps,
  payer: Payer,
  { page, planned: { request, optionsHash, known } }: { page: PlannedPage; planned: PlannedReading },
): Promise<Reading> {
  const readAtMs = deps.clock.now();
  const isConditional = known?.etag !== undefined || known?.lastModified !== undefined;
  const asked = isConditional ? { ...request, validators: known } : request;
  const { document, validators, source } = await scrapePage(deps, payer, asked).catch((error: unknown) => {
    // Another page may have the same validator by chance.
    if (error instanceof PageNotModified && error.url !== known?.url) return scrapePage(deps, payer, request);
    throw error;
  });
  const { etag, lastModified } = validators ?? {};
  const { url } = document.metadata;
  const { sitemapDate } = page;
  const hasOne = url !== undefined && [etag, lastModified, sitemapDate].some((each) => each !== undefined);
  const stored = hasOne
    ? {
        url,
        optionsHash,
        readAtMs,
        ...(etag && { etag }),
        ...(lastModified && { lastModified }),
        ...(sitemapDate && { sitemapDate }),
      }
    : undefined;
  return { document, options: request.options, validators: stored, source };
}

/**
 * Renews the entry of an unchanged page in the search index, after the page is recorded, where it may be due.
 * @returns true when the entry is looked at, which the state of the page then says.
 */
function renewLater(deps: Deps, { caller }: CheckWork, { request, known }: PlannedReading): boolean {
  if (known === undefined || !isIndexed(deps, request) || !mayNeedRenewal(deps, known)) return false;
  deps.defer(confirmIndexed(deps, caller.key.teamId, [known.url]));
  return true;
}

function entryOf(
  { clock }: Pick<Deps, "clock">,
  page: PlannedPage,
  found: Partial<MonitorPage> & Pick<MonitorPage, "status">,
): MonitorPage {
  return {
    id: uuidv7(),
    targetId: page.targetId,
    url: page.url,
    previousScrapeId: null,
    currentScrapeId: null,
    statusCode: null,
    error: null,
    metadata: null,
    diff: null,
    judgment: null,
    createdAt: new Date(clock.now()).toISOString(),
    ...found,
  };
}
