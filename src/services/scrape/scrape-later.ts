import { assertKnownProxy } from "../../core/egress-routes.ts";
import { AppError, ERRORS, isAppError } from "../../core/errors.ts";
import { placeOfPage } from "../../core/scrape/cache-key.ts";
import { toDocumentParts } from "../../core/scrape/document-text.ts";
import { newScrapeId } from "../../core/scrape/scrape-id.ts";
import type { ScrapeDocument } from "../../core/scrape/document.ts";
import { toReceipt } from "../../core/account/receipt.ts";
import type { Task } from "../../core/jobs/task.ts";
import type { ScrapeRecord } from "../../ports/storage/stores.ts";
import type { Caller, Deps, Payer } from "../deps.ts";
import { cacheKeyOf } from "./look-up-page.ts";
import { planScrape } from "./scrape-plan.ts";
import { isKeyOver } from "../account/is-key-over.ts";
import { estimateCredits } from "./scrape-credits.ts";
import { scrapePage, type ScrapeRequest } from "./scrape-page.ts";
import { storeScrape } from "./store-scrape.ts";

type LaterDeps = Pick<Deps, "settings" | "scrapes" | "tasks" | "clock" | "queuedScrapes">;

/**
 * Queues scrapes: their IDs can be read at once, and return the pages when the queue has processed them. Each scrape is
 * charged when it runs.
 */
export async function scrapeLater(
  deps: LaterDeps,
  { key }: Caller,
  requests: readonly ScrapeRequest[],
): Promise<string[]> {
  for (const { options } of requests) assertKnownProxy(deps.settings.egress, options.proxy);
  const promised = requests.map((request) => {
    const { url, options, defaults } = request;
    return {
      ...request,
      id: newScrapeId(placeOfPage(cacheKeyOf(deps, planScrape(url, options, defaults), key.teamId))),
    };
  });
  const ids = promised.map(({ id }) => id);
  const withdraw = deps.queuedScrapes?.expect(key.teamId, ids);
  try {
    await Promise.all(promised.map((request) => keepPlaceholder(deps, { key }, request, { warning: PENDING })));
    await deps.tasks.sendAll(promised.map((request) => ({ type: "scrape_page", request, key: { ...key } })));
  } catch (error) {
    withdraw?.();
    throw error;
  }
  return ids;
}

const KEY_OVER = { statusCode: ERRORS.TOKEN_INVALID.status, error: "The API key of this scrape is no longer valid" };
const PENDING = "This page is still being scraped; try again in a moment.";
/** Warnings by which placeholders of earlier versions are known, whose records do not say it. */
const PENDING_WARNINGS: readonly string[] = ["This page is still being scraped; try again in a moment."];

type PromisedScrape = ScrapeRequest & { id: string };
type PromisedTask = Extract<Task, { type: "scrape_page" }>;

/** Stores a placeholder document under the ID, before or instead of the page. */
async function keepPlaceholder(
  deps: Pick<Deps, "scrapes" | "settings" | "clock">,
  caller: Caller,
  request: PromisedScrape,
  fields: Pick<ScrapeDocument, "warning"> & { metadata?: Partial<ScrapeDocument["metadata"]> },
): Promise<void> {
  const { id, url } = request;
  const parts = toDocumentParts({ ...fields, metadata: { sourceURL: url, scrapeId: id, ...fields.metadata } });
  const isPending = fields.warning === PENDING;
  await storeScrape(deps, caller, { id, parts, request, creditsUsed: 0, createdAtMs: deps.clock.now(), isPending });
}

/**
 * Runs a queued scrape. A second delivery finds the page, and charges it where the first one did not come to that. A page
 * that cannot be loaded is stored as an error.
 * @throws when the page cannot be stored: nothing is charged, and the task can be run again.
 */
export async function scrapePromised(deps: Deps, task: PromisedTask): Promise<void> {
  const { request, caller: asker } = readPromise(task);
  const caller: Payer = { ...asker, creditSource: { kind: "hold", holdId: request.id } };
  const startedAtMs = deps.clock.now();
  const known = await findPromised(deps, caller, request);
  // A crash may have come after the page was stored.
  if (known !== undefined && !known.isPending) return await recordOnce(deps, caller, request, known.record);
  const isOver = await isKeyOver(deps, caller.key);
  const failure = isOver ? KEY_OVER : await scrape(deps, caller, request);
  if (failure !== undefined) {
    // Another delivery of the message may have stored the page meanwhile.
    const now = await findPromised(deps, caller, request);
    if (now !== undefined && !now.isPending) return await recordOnce(deps, caller, request, now.record);
    await keepPlaceholder(deps, caller, request, { metadata: failure });
  }
  await deps.keyLedger.record(caller.key.id, {
    ...workOf(request),
    ms: deps.clock.now() - startedAtMs,
    hasFailed: failure !== undefined,
    pages: failure === undefined ? 1 : 0,
    receipt: toReceipt(deps.meter.total()),
  });
}

/**
 * Stores the failure of a queued scrape that is not tried again, unless an attempt has stored its page, and settles the
 * credits that are held for it: a failure costs none, a page that no attempt came to charge is charged.
 */
export async function failPromised(
  deps: Pick<Deps, "scrapes" | "settings" | "clock" | "keyLedger">,
  task: PromisedTask,
): Promise<void> {
  const { request, caller } = readPromise(task);
  const known = await findPromised(deps, caller, request);
  // Under zero data retention nothing is stored. After a crash, the failure may be stored and not recorded.
  if (known?.isPending !== true) return await recordOnce(deps, caller, request, known?.record ?? { creditsUsed: 0 });
  const { status, message } = ERRORS.UNKNOWN_ERROR;
  await keepPlaceholder(deps, caller, request, { metadata: { statusCode: status, error: message } });
  const failure = { ms: 0, hasFailed: true, pages: 0, receipt: toReceipt({ credits: 0 }) };
  await deps.keyLedger.record(caller.key.id, { ...workOf(request), ...failure });
}

function workOf({ id, apiVersion, zeroDataRetention, url }: PromisedScrape) {
  return { requestId: id, id, endpoint: "scrape", apiVersion, target: zeroDataRetention ? null : url };
}

/** Records what is stored of a queued scrape, unless it was recorded already. */
async function recordOnce(
  deps: Pick<Deps, "keyLedger">,
  { key }: Caller,
  request: PromisedScrape,
  { creditsUsed }: Pick<ScrapeRecord, "creditsUsed">,
): Promise<void> {
  const hasFailed = creditsUsed === 0;
  const result = { ms: 0, hasFailed, pages: hasFailed ? 0 : 1, receipt: toReceipt({ credits: creditsUsed }) };
  await deps.keyLedger.record(key.id, { ...workOf(request), ...result, onlyHeld: true });
}

/** The casts rely on `scrapeLater`, which alone writes the task. */
function readPromise(task: PromisedTask): { request: PromisedScrape; caller: Caller } {
  return {
    request: task.request as unknown as PromisedScrape,
    caller: { key: task.key as unknown as Caller["key"] },
  };
}

/** Returns what is stored under the ID of a queued scrape; `isPending` while it is the placeholder. */
async function findPromised(
  { scrapes, clock }: Pick<Deps, "scrapes" | "clock">,
  { key }: Caller,
  { id }: PromisedScrape,
): Promise<{ record: ScrapeRecord; isPending: boolean } | undefined> {
  const found = await scrapes.find(id, { teamId: key.teamId, nowMs: clock.now() });
  if (found === undefined) return undefined;
  const { record, documentJson } = found;
  const isPending = record.isPending ?? PENDING_WARNINGS.some((text) => documentJson.includes(JSON.stringify(text)));
  return { record, isPending };
}

/**
 * @returns the failure when there is no page; undefined when there is one.
 * @throws ScrapeNotStored when there is one that could not be stored, and other errors that say nothing about the page: the
 * task is then run again, and what never works is stored as a failure by `failPromised`.
 */
async function scrape(
  deps: Deps,
  caller: Payer,
  request: PromisedScrape,
): Promise<{ statusCode: number; error: string } | undefined> {
  const { key } = caller;
  const monthlyCredits = key.monthlyCredits ?? deps.settings.creditsPerMonth;
  const credits = estimateCredits(request);
  const isPaid = await deps.keyLedger.holdOnce(key.id, { holdId: request.id, credits, monthlyCredits });
  if (!isPaid) return toFailure(new AppError("INSUFFICIENT_CREDITS"));
  deps.meter.add("credits", credits);
  try {
    await scrapePage(deps, caller, request);
    return undefined;
  } catch (error) {
    if (!isAppError(error) || error.code === "SERVICE_UNAVAILABLE") throw error;
    return toFailure(error);
  }
}

function toFailure({ code, message }: AppError): { statusCode: number; error: string } {
  return { statusCode: failureStatus(code), error: message };
}

/**
 * Returns the HTTP status of a failure. A host that does not resolve has status 200 in other responses; here it is an
 * error.
 */
export function failureStatus(code: keyof typeof ERRORS): number {
  const { status } = ERRORS[code];
  return status < 400 ? 500 : status;
}
