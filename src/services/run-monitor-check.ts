import { v7 as uuidv7 } from "uuid";
import type { ScrapeDocument } from "../core/document.ts";
import type { CheckPlan, Monitor, MonitorCheck, MonitorPage, MonitorTarget, PageState } from "../core/monitor.ts";
import { isAppError } from "../core/errors.ts";
import { NO_PAGES } from "../core/monitor.ts";
import { ScrapeOptions } from "../formats/scrape-options.ts";
import { diffTexts } from "../content/text-changes.ts";
import { textMark } from "./text-mark.ts";
import type { Caller, Deps } from "./deps.ts";
import { completedEvent, pageEvent, sendMonitorEvents } from "./monitor-events.ts";
import { monitorKey } from "./monitor-key.ts";
import { estimateCheck, pay, planCheck, wordsOf } from "./plan-check.ts";
import { estimateCredits, scrapePage } from "./scrape-page.ts";
import { V2_DEFAULTS } from "./scrape-plan.ts";

/** Longer than a turn ever takes; a turn that was cut off is taken over after it. */
const LEASE_MS = 600_000;
/** After this a turn hands over to the next. */
const TURN_MS = 240_000;
/** A row of D1 ends at 2 MB. What is longer is compared as a whole, and shown up to here. */
const MAX_TEXT_CHARS = 300_000;

interface Work {
  monitor: Monitor;
  check: MonitorCheck;
  caller: Caller;
}

/**
 * Works on a check for a while: lists its pages, reads those that no turn has read yet, and ends it. Every page is written
 * when it is read, so that a turn that is cut off loses no more than the page it was at. Bears being delivered twice.
 */
export async function runMonitorCheck(deps: Deps, checkId: string): Promise<void> {
  const startedAtMs = deps.clock.now();
  if (!(await deps.monitors.leaseCheck(checkId, startedAtMs, startedAtMs + LEASE_MS))) return;
  const check = await deps.monitors.findCheck(checkId);
  const monitor = check && (await deps.monitors.find(check.monitorId));
  if (check === undefined || monitor === undefined) return;
  const key = await monitorKey(deps, monitor);
  if (key === undefined) {
    return await end(deps, { monitor, check }, { status: "failed", error: "The monitor's API key is no longer valid" });
  }
  const work: Work = { monitor, check, caller: { key } };
  const plan = check.plan ?? (await makePlan(deps, work));
  if (plan === undefined) return await end(deps, work, { status: "skipped_no_credits" });
  const seen = await deps.monitors.seen(checkId);
  for (const page of plan.pages) {
    if (seen.has(`${page.targetId} ${page.url}`)) continue;
    if (deps.clock.now() - startedAtMs > TURN_MS) return await handOver(deps, checkId);
    await checkPage(deps, work, page);
  }
  for (const page of plan.failed) if (!seen.has(`${page.targetId} ${page.url}`)) await keepError(deps, work, page);
  await keepRemoved(deps, work, { plan, seen });
  await end(deps, work);
}

/** @returns undefined when the key has not enough credits for the check. */
async function makePlan(deps: Deps, { monitor, check, caller }: Work): Promise<CheckPlan | undefined> {
  const estimate = estimateCheck(monitor.config.targets);
  try {
    await pay(deps, caller, estimate);
  } catch (error) {
    if (isAppError(error) && error.code === "INSUFFICIENT_CREDITS") return undefined;
    throw error;
  }
  await pay(deps, caller, -estimate);
  const { plan, credits } = await planCheck(deps, caller, monitor.config.targets);
  await deps.monitors.keepPlan(check.id, plan, credits);
  return plan;
}

async function handOver(deps: Deps, checkId: string): Promise<void> {
  await deps.monitors.releaseCheck(checkId, deps.clock.now());
  await deps.tasks.send({ type: "check_monitor", checkId });
}

type PlannedPage = CheckPlan["pages"][number];

async function checkPage(deps: Deps, work: Work, page: PlannedPage): Promise<void> {
  const { monitor, check } = work;
  const target = monitor.config.targets.find(({ id }) => id === page.targetId);
  if (target === undefined) return;
  const before = await deps.monitors.state(monitor.id, page.targetId, page.url);
  if (target.type === "search") return await keepHit(deps, work, { page, before });
  let document: ScrapeDocument;
  try {
    document = await read(deps, work, { page, target });
  } catch (error) {
    return await keepError(deps, work, { ...page, error: wordsOf(error) }, before);
  }
  const { statusCode = 200, creditsUsed: credits = 0, error = null } = document.metadata;
  const scrapeId = document.metadata.scrapeId ?? null;
  if (statusCode >= 400) {
    const words = error ?? `The page answered ${statusCode}`;
    return await keepError(deps, work, { ...page, error: words, statusCode, credits }, before);
  }
  const text = document.markdown ?? "";
  const state = { ...page, scrapeId, textHash: await textMark(text), text: text.slice(0, MAX_TEXT_CHARS) };
  const status = before === undefined ? "new" : before.textHash === state.textHash ? "same" : "changed";
  const diff = before !== undefined && status === "changed" ? diffTexts(before.text, state.text) : null;
  const { title, url, sourceURL } = document.metadata;
  const found = { status, currentScrapeId: scrapeId, statusCode, diff, metadata: { title, url, sourceURL } } as const;
  const entry = entryOf(deps, page, { ...found, previousScrapeId: before?.scrapeId ?? null });
  const event = pageEvent(monitor, check, entry);
  await deps.monitors.keepPage(check, entry, { credits, state, event, nowMs: deps.clock.now() });
}

/** What the page says now, past the cache. */
async function read(
  deps: Deps,
  { monitor, caller }: Work,
  { page, target }: { page: PlannedPage; target: Exclude<MonitorTarget, { type: "search" }> },
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
  await pay(deps, caller, estimateCredits(request));
  const { documentJson } = await scrapePage(deps, caller, request);
  // Made from a document just now, and not parsed again to prove it.
  return JSON.parse(documentJson) as ScrapeDocument;
}

const MARKDOWN = { type: "markdown" as const };

/** Search results are not read: an address that no earlier search brought is new. */
async function keepHit(
  deps: Deps,
  { monitor, check }: Work,
  { page, before }: { page: PlannedPage; before: PageState | undefined },
): Promise<void> {
  const entry = entryOf(deps, page, { status: before === undefined ? "new" : "same" });
  const state = { ...page, scrapeId: null, textHash: "", text: "" };
  const event = pageEvent(monitor, check, entry);
  await deps.monitors.keepPage(check, entry, { credits: 0, state, event, nowMs: deps.clock.now() });
}

/** What was known of the page stays known: the next check compares with it. */
async function keepError(
  deps: Deps,
  { monitor, check }: Work,
  {
    error,
    statusCode = null,
    credits = 0,
    ...page
  }: PlannedPage & { error: string; statusCode?: number | null; credits?: number },
  before?: PageState,
): Promise<void> {
  const found = { status: "error" as const, error, statusCode, previousScrapeId: before?.scrapeId ?? null };
  const entry = entryOf(deps, page, found);
  const event = pageEvent(monitor, check, entry);
  await deps.monitors.keepPage(check, entry, { credits, event, nowMs: deps.clock.now() });
}

/** Pages of crawled sites that the map no longer lists. */
async function keepRemoved(
  deps: Deps,
  { monitor, check }: Work,
  { plan, seen }: { plan: CheckPlan; seen: Set<string> },
): Promise<void> {
  const nowMs = deps.clock.now();
  const failed = new Set(plan.failed.map(({ targetId }) => targetId));
  for (const { id: targetId, type } of monitor.config.targets) {
    if (type !== "crawl" || failed.has(targetId)) continue;
    const listed = new Set(plan.pages.filter((page) => page.targetId === targetId).map(({ url }) => url));
    for (const { url, scrapeId } of await deps.monitors.stateUrls(monitor.id, targetId)) {
      if (listed.has(url) || seen.has(`${targetId} ${url}`)) continue;
      const entry = entryOf(deps, { targetId, url }, { status: "removed", previousScrapeId: scrapeId });
      await deps.monitors.keepPage(check, entry, { credits: 0, nowMs });
    }
  }
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

/** Without a given end it is told by the pages: all failed, some, or none. */
async function end(
  deps: Deps,
  { monitor, check }: Omit<Work, "caller">,
  given?: { status: "failed" | "skipped_no_credits"; error?: string },
): Promise<void> {
  const summary = given === undefined ? await deps.monitors.summary(check.id) : NO_PAGES;
  const isFailed = summary.error > 0 && summary.error === summary.totalPages;
  const status = given?.status ?? (isFailed ? "failed" : summary.error > 0 ? "partial" : "completed");
  const error = given?.error ?? (isFailed ? "No page could be read" : undefined);
  const event = completedEvent(monitor, check, { status, summary });
  await deps.monitors.finishCheck(check, { status, summary, error, event, nowMs: deps.clock.now() });
  await sendMonitorEvents(deps, check.id);
}
