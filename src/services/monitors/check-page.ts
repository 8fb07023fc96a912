import { v7 as uuidv7 } from "uuid";
import { diffTexts } from "../../content/text/text-changes.ts";
import type { ScrapeDocument } from "../../core/scrape/document.ts";
import { isAppError } from "../../core/errors.ts";
import type {
  Monitor,
  MonitorCheck,
  MonitorPage,
  MonitorTarget,
  PageState,
  PlannedPage,
} from "../../core/monitors/monitor.ts";
import { cutUtf8, utf8Length } from "../../core/text/utf8.ts";
import { MARKDOWN } from "../../formats/page/markdown.ts";
import { ScrapeOptions } from "../../formats/scrape-options.ts";
import type { Caller, Deps } from "../deps.ts";
import { failureWords } from "../scrape/failure-words.ts";
import { partId, payPart, recordPage } from "./monitor-credits.ts";
import { pageEvent } from "./monitor-events.ts";
import { estimateCredits } from "../scrape/scrape-credits.ts";
import { scrapePage } from "../scrape/scrape-page.ts";
import { V2_DEFAULTS } from "../scrape/scrape-plan.ts";
import { contentFingerprint } from "../scrape/content-fingerprint.ts";

/** A check in progress, and its payer. */
export interface CheckWork {
  monitor: Monitor;
  check: MonitorCheck;
  caller: Caller;
}

/** D1 limits rows to 2 MB. Longer text is compared as a whole by its hash, and line by line up to this size. */
const MAX_TEXT_BYTES = 600_000;
/**
 * Limit of a page's entry, which contains the diff twice: as text and as data. One response returns up to a hundred
 * entries.
 */
const MAX_ENTRY_BYTES = 250_000;
const MAX_TITLE_CHARS = 1000;
/** Status codes of a page that no longer exists. */
const GONE: ReadonlySet<number> = new Set([404, 410]);

type ReadTarget = Exclude<MonitorTarget, { type: "search" }>;

/**
 * Reads a page of a check, compares it with its previous state, and stores the result.
 * @returns false when the check no longer exists.
 */
export async function checkPage(deps: Deps, work: CheckWork, page: PlannedPage): Promise<boolean> {
  const { monitor } = work;
  const target = monitor.config.targets.find(({ id }) => id === page.targetId);
  // The target was removed from the monitor since the check began.
  if (target === undefined) return true;
  const before = await deps.monitors.state(monitor.id, page.targetId, page.url);
  if (target.type === "search") return await keepHit(deps, work, { page, before });
  const startedAtMs = deps.clock.now();
  const holdId = await partId(work.check, [page.targetId, page.url]);
  const finding = await lookAt(deps, work, { page, target, before, holdId });
  const credits = await recordPage(deps, work.caller, { holdId, entry: finding.entry, startedAtMs });
  return await keep(deps, work, finding, credits);
}

/** Stores a site or query that could not be listed as an error of the check. */
export async function keepFailure(
  deps: Deps,
  work: CheckWork,
  { error, ...page }: PlannedPage & { error: string },
): Promise<boolean> {
  return await keep(deps, work, { entry: entryOf(deps, page, { status: "error", error }) });
}

/** Stores a search result. Results are not read: a URL that no earlier search returned is new. */
async function keepHit(
  deps: Deps,
  work: CheckWork,
  { page, before }: { page: PlannedPage; before: PageState | undefined },
): Promise<boolean> {
  const entry = entryOf(deps, page, { status: before === undefined ? "new" : "same" });
  const state = { ...page, scrapeId: null, textHash: "", text: "" };
  return await keep(deps, work, { entry, state });
}

interface Finding {
  entry: MonitorPage;
  /**
   * Current state of the page. Absent when it could not be read: the next check then compares with the previous state.
   */
  state?: PageState | undefined;
}

async function keep(
  deps: Deps,
  { monitor, check }: CheckWork,
  { entry, state }: Finding,
  credits = 0,
): Promise<boolean> {
  const event = pageEvent(monitor, check, entry);
  return await deps.monitors.keepPage(check, entry, { credits, state, event, nowMs: deps.clock.now() });
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
  }: { page: PlannedPage; target: ReadTarget; before: PageState | undefined; holdId: string },
): Promise<Finding> {
  const previousScrapeId = before?.scrapeId ?? null;
  let document: ScrapeDocument;
  try {
    document = await read(deps, work, { page, target, holdId });
  } catch (error) {
    if (!isAppError(error)) deps.log({ event: "monitor_page_failed", checkId: work.check.id, message: String(error) });
    const found = { status: "error", error: failureWords(error), previousScrapeId } as const;
    return { entry: entryOf(deps, page, found) };
  }
  const { statusCode = 200, scrapeId = null, error } = document.metadata;
  const answer = { previousScrapeId, currentScrapeId: scrapeId, statusCode };
  const isGone = target.type === "crawl" && before !== undefined && GONE.has(statusCode);
  if (isGone) return { entry: entryOf(deps, page, { ...answer, status: "removed" }) };
  if (error !== undefined) return { entry: entryOf(deps, page, { ...answer, status: "error", error }) };
  const text = document.markdown ?? "";
  const state = { ...page, scrapeId, textHash: await contentFingerprint(text), text: cutUtf8(text, MAX_TEXT_BYTES) };
  const comparison = compare({ before, state, text });
  const entry = entryOf(deps, page, { ...answer, ...comparison, metadata: metadataOf(document) });
  const warning = [document.warning, comparison.warning].filter((each) => each !== undefined).join(" ");
  return { entry: withinRow(warning === "" ? entry : { ...entry, warning }), state };
}

function metadataOf({ metadata: { title, url, sourceURL } }: ScrapeDocument): MonitorPage["metadata"] {
  return { title: title?.slice(0, MAX_TITLE_CHARS), url, sourceURL };
}

/** Compares a page with its previous state; `text` is the whole current text. */
function compare({
  before,
  state,
  text,
}: {
  before: PageState | undefined;
  state: PageState;
  text: string;
}): Pick<MonitorPage, "status" | "diff" | "warning"> {
  if (before === undefined) return { status: "new", diff: null };
  if (before.textHash === state.textHash) return { status: "same", diff: null };
  const diff = diffTexts(before.text, state.text);
  const hasLines = diff.json.files.some(({ chunks }) => chunks.length > 0);
  if (!hasLines) return { status: "changed", diff: null, warning: `diff: ${COMPARED}, and they are the same.` };
  return { status: "changed", diff, ...(state.text.length < text.length ? { warning: `diff: ${COMPARED}.` } : {}) };
}

const COMPARED = `only the first ${MAX_TEXT_BYTES} bytes of the text are compared line by line`;

function withinRow(entry: MonitorPage): MonitorPage {
  const bytes = utf8Length(JSON.stringify(entry));
  if (bytes <= MAX_ENTRY_BYTES) return entry;
  const leftOut = `diff: it is left out, because the page's entry would take ${bytes} bytes with it, of ${MAX_ENTRY_BYTES} at most; previousScrapeId and currentScrapeId name both versions.`;
  return { ...entry, diff: null, warning: [entry.warning, leftOut].filter((each) => each !== undefined).join(" ") };
}

/** Scrapes the page, bypassing the cache unless the target sets `maxAge`. */
async function read(
  deps: Deps,
  { monitor, caller }: CheckWork,
  { page, target, holdId }: { page: PlannedPage; target: ReadTarget; holdId: string },
): Promise<ScrapeDocument> {
  const given = ScrapeOptions.parse(target.scrapeOptions ?? {});
  const formats = given.formats ?? [];
  const withText = formats.some(({ type }) => type === "markdown") ? formats : [...formats, MARKDOWN];
  const request = {
    url: page.url,
    options: { ...given, formats: withText, maxAge: given.maxAge ?? 0 },
    defaults: V2_DEFAULTS,
    apiVersion: "v2" as const,
    zeroDataRetention: false,
    publicOrigin: monitor.config.publicOrigin,
  };
  const payer = await payPart(deps, caller, { holdId, credits: estimateCredits(request) });
  const { document } = await scrapePage(deps, payer, request);
  return document;
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
    createdAt: new Date(clock.now()).toISOString(),
    ...found,
  };
}
