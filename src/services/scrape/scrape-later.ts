import { assertKnownProxy } from "../../core/egress-routes.ts";
import { AppError, ERRORS, isAppError } from "../../core/errors.ts";
import { placeOfPage } from "../../core/scrape/cache-key.ts";
import { joinDocument, toDocumentParts } from "../../core/scrape/document-text.ts";
import { newScrapeId } from "../../core/scrape/scrape-id.ts";
import type { ScrapeDocument } from "../../core/scrape/document.ts";
import { toReceipt } from "../../core/account/receipt.ts";
import type { Task } from "../../core/jobs/task.ts";
import type { ScrapeRecord } from "../../ports/storage/stores.ts";
import { NotAllSent } from "../../ports/task-queue.ts";
import type { Caller, Deps, Payer } from "../deps.ts";
import { cacheKeyOf } from "./look-up-page.ts";
import { planScrape } from "./scrape-plan.ts";
import { isKeyOver } from "../account/is-key-over.ts";
import { estimateCredits } from "./scrape-credits.ts";
import { scrapePage, type ScrapeRequest } from "./scrape-page.ts";
import { storeScrape } from "./store-scrape.ts";

type LaterDeps = Pick<Deps, "settings" | "scrapes" | "tasks" | "clock" | "queuedScrapes" | "pendingScrapes">;

/**
 * Queues scrapes: their IDs can be read at once, and return the pages when the queue has processed them. Each scrape is
 * charged when it runs.
 * @returns their IDs; the `unsent` ones of them could not be queued, cost nothing, and return that failure
 * @throws when none could be queued
 */
export async function scrapeLater(
  deps: LaterDeps,
  { key }: Caller,
  requests: readonly ScrapeRequest[],
): Promise<{ ids: string[]; unsent: number }> {
  for (const { options } of requests) assertKnownProxy(deps.settings.egress, options.proxy);
  const tasks = requests.map((request): PromisedTask => {
    const { url, options, defaults } = request;
    const id = newScrapeId(placeOfPage(cacheKeyOf(deps, planScrape(url, options, defaults), key.teamId)));
    return { type: "scrape_page", request: { ...request, id }, key: { ...key } };
  });
  const ids = tasks.map(({ request }) => request.id);
  const withdraw = deps.queuedScrapes?.expect(key.teamId, ids);
  try {
    await Promise.all(tasks.map((task) => keepPlaceholder(deps, readPromise(task), { warning: PENDING })));
    await deps.pendingScrapes?.add(tasks, deps.clock.now());
  } catch (error) {
    withdraw?.();
    throw error;
  }
  try {
    await deps.tasks.sendAll(tasks);
    return { ids, unsent: 0 };
  } catch (error) {
    const unsent = error instanceof NotAllSent ? tasks.filter((task) => error.unsent.includes(task)) : tasks;
    await failUnsent(deps, unsent);
    withdraw?.(unsent.map(({ request }) => request.id));
    if (unsent.length === tasks.length) throw error;
    return { ids, unsent: unsent.length };
  }
}

/** Stores failures: a message that arrives although its sending failed finds one, and scrapes nothing. */
async function failUnsent(deps: LaterDeps, tasks: readonly PromisedTask[]): Promise<void> {
  const { status: statusCode } = ERRORS.SERVICE_UNAVAILABLE;
  const metadata = { statusCode, error: "This page could not be queued, and was not scraped" };
  const fail = async (task: PromisedTask): Promise<void> => {
    const { request, caller } = readPromise(task);
    // Such a message may have arrived by now.
    const known = await findPromised(deps, caller, request);
    if (known?.isPending === true) await keepPlaceholder(deps, { request, caller }, { metadata });
  };
  await Promise.allSettled([...tasks.map(fail), deps.pendingScrapes?.remove(tasks.map(({ request }) => request.id))]);
}

const KEY_OVER = { statusCode: ERRORS.TOKEN_INVALID.status, error: "The API key of this scrape is no longer valid" };
const GIVEN_UP = { statusCode: ERRORS.UNKNOWN_ERROR.status, error: ERRORS.UNKNOWN_ERROR.message };
const PENDING = "This page is still being scraped; try again in a moment.";
/** Warnings by which placeholders of earlier versions are known, whose records do not say it. */
const PENDING_WARNINGS: readonly string[] = ["This page is still being scraped; try again in a moment."];

type PromisedScrape = ScrapeRequest & { id: string };
type FoundScrape = { record: ScrapeRecord; documentJson: string };
type PromisedTask = Extract<Task, { type: "scrape_page" }>;

/** Stores a placeholder document under the ID, before or instead of the page. */
async function keepPlaceholder(
  deps: Pick<Deps, "scrapes" | "settings" | "clock">,
  { request, caller }: { request: PromisedScrape; caller: Caller },
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
  await runPromised(deps, task);
  await deps.pendingScrapes?.remove([task.request.id]);
}

async function runPromised(deps: Deps, task: PromisedTask): Promise<void> {
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
    await keepPlaceholder(deps, { request, caller }, { metadata: failure });
  }
  await deps.keyLedger.record(caller.key.id, {
    ...workOf(request),
    ms: deps.clock.now() - startedAtMs,
    hasFailed: failure !== undefined,
    pages: failure === undefined ? 1 : 0,
    receipt: toReceipt(failure === undefined ? deps.meter.total() : { ...deps.meter.total(), credits: 0 }),
  });
}

/**
 * Stores the failure of a queued scrape that is not tried again, unless an attempt has stored its page, and settles the
 * credits that are held for it: a failure costs none, a page that no attempt came to charge is charged.
 */
export async function failPromised(deps: FailDeps, task: PromisedTask): Promise<void> {
  await storeFailure(deps, task);
  await deps.pendingScrapes?.remove([task.request.id]);
}

type FailDeps = Pick<Deps, "scrapes" | "settings" | "clock" | "keyLedger" | "pendingScrapes">;

async function storeFailure(deps: FailDeps, task: PromisedTask): Promise<void> {
  const { request, caller } = readPromise(task);
  const known = await findPromised(deps, caller, request);
  // Under zero data retention nothing is stored. After a crash, the failure may be stored and not recorded.
  if (known?.isPending !== true) return await recordOnce(deps, caller, request, known?.record ?? { creditsUsed: 0 });
  await keepPlaceholder(deps, { request, caller }, { metadata: GIVEN_UP });
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
  return found && { record: found.record, isPending: isPlaceholder(found) };
}

function isPlaceholder({ record, documentJson }: FoundScrape): boolean {
  if (record.isPending !== undefined || record.creditsUsed > 0) return record.isPending === true;
  return PENDING_WARNINGS.some((text) => documentJson.includes(JSON.stringify(text)));
}

/** A queue of the platform keeps a message for this long. */
const MESSAGE_LIFE_MS = 4 * 86_400_000;
/** Scrapes of a local service that are recorded as pending are queued again within this time. */
const QUEUED_AGAIN_MS = 3_600_000;

/** Returns what is stored under an ID; a failure instead of a placeholder whose message does not exist any more. */
export async function readPromised(
  { pendingScrapes, clock }: Pick<Deps, "pendingScrapes" | "clock">,
  found: FoundScrape,
): Promise<string> {
  const { id, target, createdAtMs } = found.record;
  if (!isPlaceholder(found)) return found.documentJson;
  if (clock.now() - createdAtMs < (pendingScrapes === undefined ? MESSAGE_LIFE_MS : QUEUED_AGAIN_MS))
    return found.documentJson;
  if (pendingScrapes !== undefined && (await pendingScrapes.find([id])).length > 0) return found.documentJson;
  return joinDocument(toDocumentParts({ metadata: { sourceURL: target, scrapeId: id, ...GIVEN_UP } }));
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
