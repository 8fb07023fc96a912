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
import { ScrapeOptions } from "../../formats/scrape-options.ts";
import type { Caller, Deps } from "../deps.ts";
import { failureWords } from "../scrape/failure-words.ts";
import { partId, payPart, recordPage } from "./monitor-credits.ts";
import { pageEvent } from "./monitor-events.ts";
import { estimateCredits, scrapePage } from "../scrape/scrape-page.ts";
import { V2_DEFAULTS } from "../scrape/scrape-plan.ts";
import { contentFingerprint } from "../scrape/content-fingerprint.ts";

/** A check that is worked on, and who pays. */
export interface CheckWork {
  monitor: Monitor;
  check: MonitorCheck;
  caller: Caller;
}

/** Rows of D1 end at 2 MB. What is longer is compared as a whole by its hash, and line by line up to here. */
const MAX_TEXT_BYTES = 600_000;
/** Of a page's entry, which holds the diff twice: as text and as data. A hundred of them are answered at once. */
const MAX_ENTRY_BYTES = 250_000;
const MAX_TITLE_CHARS = 1000;
/** What a page answers that is no longer there. */
const GONE: ReadonlySet<number> = new Set([404, 410]);

type ReadTarget = Exclude<MonitorTarget, { type: "search" }>;

/**
 * Reads a page of a check, compares it with what it said before, and writes down what came of it.
 * @returns false when the check is no longer there.
 */
export async function checkPage(deps: Deps, work: CheckWork, page: PlannedPage): Promise<boolean> {
  const { monitor } = work;
  const target = monitor.config.targets.find(({ id }) => id === page.targetId);
  // Taken out of the monitor since the check began: it is no longer watched.
  if (target === undefined) return true;
  const before = await deps.monitors.state(monitor.id, page.targetId, page.url);
  if (target.type === "search") return await keepHit(deps, work, { page, before });
  const startedAtMs = deps.clock.now();
  const holdId = await partId(work.check, [page.targetId, page.url]);
  const finding = await lookAt(deps, work, { page, target, before, holdId });
  const credits = await recordPage(deps, work.caller, { holdId, entry: finding.entry, startedAtMs });
  return await keep(deps, work, finding, credits);
}

/** What cannot be had is told as an error of the check, beside what was asked for and could be. */
export async function keepFailure(
  deps: Deps,
  work: CheckWork,
  { error, ...page }: PlannedPage & { error: string },
): Promise<boolean> {
  return await keep(deps, work, { entry: entryOf(deps, page, { status: "error", error }) });
}

/** Search results are not read: an address that no earlier search brought is new. */
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
  /** What the page says now. Absent when it could not be read: then the next check compares with what it said before. */
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

/** A page that cannot be loaded, or that the site does not give us, is an error and no news of its text. */
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

/** The page beside what it said before; `text` is the whole of what it says now. */
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

/** What the page says now, past the cache. */
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
  const { documentJson } = await scrapePage(deps, payer, request);
  // Made from a document just now, and not parsed again to prove it.
  return JSON.parse(documentJson) as ScrapeDocument;
}

const MARKDOWN = { type: "markdown" as const };

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
