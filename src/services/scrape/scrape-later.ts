import { v7 as uuidv7 } from "uuid";
import { AppError, ERRORS, isAppError } from "../../core/errors.ts";
import type { ScrapeDocument } from "../../core/scrape/document.ts";
import { toReceipt } from "../../core/account/receipt.ts";
import type { Task } from "../../core/jobs/task.ts";
import type { Caller, Deps, Payer } from "../deps.ts";
import { storeScrape } from "./store-scrape.ts";
import { estimateCredits, scrapePage, type ScrapeRequest } from "./scrape-page.ts";

type LaterDeps = Pick<Deps, "settings" | "scrapes" | "tasks" | "clock">;

/**
 * Promises scrapes: their ids can be read back at once, and hold the pages when the queue has come to them. They are paid
 * for as they come.
 */
export async function scrapeLater(
  deps: LaterDeps,
  { key }: Caller,
  requests: readonly ScrapeRequest[],
): Promise<string[]> {
  return await Promise.all(
    requests.map(async (request) => {
      const id = uuidv7();
      await keepPlaceholder(deps, { key }, { ...request, id }, { warning: PENDING });
      await deps.tasks.send({ type: "scrape_page", request: { ...request, id }, key: { ...key } });
      return id;
    }),
  );
}

const PENDING = "This page is still being scraped; ask again in a moment.";

type PromisedScrape = ScrapeRequest & { id: string };

/** Something to be read under the id before, or instead of, the page. */
async function keepPlaceholder(
  deps: Pick<Deps, "scrapes" | "settings" | "clock">,
  caller: Caller,
  request: PromisedScrape,
  fields: Pick<ScrapeDocument, "warning"> & { metadata?: Partial<ScrapeDocument["metadata"]> },
): Promise<void> {
  const { id, url } = request;
  const document = { ...fields, metadata: { sourceURL: url, scrapeId: id, ...fields.metadata } };
  await storeScrape(deps, caller, { id, document, request, creditsUsed: 0, createdAtMs: deps.clock.now() });
}

/**
 * Fulfils a promise. A second delivery finds the page and does nothing. What cannot be loaded is written down as such.
 * The casts say that the task was written by `scrapeLater`.
 */
export async function scrapePromised(deps: Deps, task: Extract<Task, { type: "scrape_page" }>): Promise<void> {
  const request = task.request as unknown as PromisedScrape;
  const caller: Payer = {
    key: task.key as unknown as Caller["key"],
    purse: { kind: "hold", holdId: request.id },
  };
  const known = await deps.scrapes.find(request.id, deps.clock.now());
  if (known !== undefined && !known.documentJson.includes(JSON.stringify(PENDING))) return;
  const startedAtMs = deps.clock.now();
  const failure = await scrape(deps, caller, request);
  if (failure !== undefined) await keepPlaceholder(deps, caller, request, { metadata: failure });
  await deps.keyLedger.record(caller.key.id, {
    requestId: request.id,
    id: request.id,
    endpoint: "scrape",
    apiVersion: request.apiVersion,
    target: request.url,
    ms: deps.clock.now() - startedAtMs,
    hasFailed: failure !== undefined,
    pages: failure === undefined ? 1 : 0,
    receipt: toReceipt(deps.meter.counts),
  });
}

/** @returns why there is no page; undefined when there is one. */
async function scrape(
  deps: Deps,
  caller: Payer,
  request: PromisedScrape,
): Promise<{ statusCode: number; error: string } | undefined> {
  const { key } = caller;
  const monthlyCredits = key.monthlyCredits ?? deps.settings.creditsPerMonth;
  try {
    const credits = estimateCredits(request);
    const isPaid = await deps.keyLedger.holdOnce(key.id, { holdId: request.id, credits, monthlyCredits });
    if (!isPaid) throw new AppError("INSUFFICIENT_CREDITS");
    deps.meter.add("credits", credits);
    await scrapePage(deps, caller, request);
    return undefined;
  } catch (error) {
    const code = isAppError(error) ? error.code : "UNKNOWN_ERROR";
    const message = isAppError(error) ? error.message : ERRORS.UNKNOWN_ERROR.message;
    return { statusCode: failureStatus(code), error: message };
  }
}

/** A host that does not resolve answers 200 elsewhere; here it stands for a page that is not there. */
export function failureStatus(code: keyof typeof ERRORS): number {
  const { status } = ERRORS[code];
  return status < 400 ? 500 : status;
}
