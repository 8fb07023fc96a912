import { AppError, isAppError } from "../../core/errors.ts";
import { sha256Hex } from "../../core/text/hash.ts";
import type { MonitorCheck, MonitorPage, MonitorTarget } from "../../core/monitors/monitor.ts";
import { searchCredits } from "../../core/account/pricing.ts";
import { toReceipt } from "../../core/account/receipt.ts";
import type { WorkRecord } from "../../core/account/usage.ts";
import type { Caller, Deps, Payer } from "../deps.ts";
import { MAP_CREDITS } from "../map/map-site.ts";
import { estimateCredits } from "../scrape/scrape-credits.ts";
import { knownOptionsOfTarget } from "./target-options.ts";

export const DEFAULT_CRAWL_PAGES = 20;

/**
 * Returns the ID of a part of a check in the credit ledger. It is the same when the part is repeated after a crash, so
 * that the part is charged and recorded once.
 */
export async function partId(check: Pick<MonitorCheck, "id">, names: readonly string[]): Promise<string> {
  const digest = await sha256Hex(JSON.stringify([check.id, ...names]));
  return digest.slice(0, 32);
}

/**
 * Holds credits for a part of a check, replacing the hold of an interrupted run.
 * @returns the payer of further costs of the part.
 * @throws AppError INSUFFICIENT_CREDITS; then nothing is taken.
 */
export async function payPart(
  { keyLedger, settings, meter }: Pick<Deps, "keyLedger" | "settings" | "meter">,
  { key }: Caller,
  { holdId, credits }: { holdId: string; credits: number },
): Promise<Payer> {
  const monthlyCredits = key.monthlyCredits ?? settings.creditsPerMonth;
  if (!(await keyLedger.holdOnce(key.id, { holdId, credits, monthlyCredits }))) {
    throw new AppError("INSUFFICIENT_CREDITS");
  }
  meter.add("credits", credits);
  return { key, creditSource: { kind: "hold", holdId } };
}

/**
 * As `payPart`, for work whose failure is a result of the check. Other errors say nothing about the work: the check goes on
 * with it in its next run.
 * @returns the error when the key has too few credits.
 */
export async function payerOrLack(...call: Parameters<typeof payPart>): Promise<Payer | AppError> {
  try {
    return await payPart(...call);
  } catch (error) {
    if (!isAppError(error) || error.code !== "INSUFFICIENT_CREDITS") throw error;
    return error;
  }
}

/** Returns the credits for listing a target's pages, without reading them. */
function priceOfListing(target: MonitorTarget): number {
  if (target.type === "scrape") return 0;
  return target.type === "crawl" ? MAP_CREDITS : target.queries.length * searchCredits(target.maxResults);
}

/** Estimates the credits of a check: for the maximum number of pages of its targets, and one page per PDF. */
export function estimateCheck(targets: readonly MonitorTarget[]): number {
  return targets.reduce((sum, target) => sum + priceOfListing(target) + priceOfPages(target), 0);
}

function priceOfPages(target: MonitorTarget): number {
  if (target.type === "search") return 0;
  const pages = target.type === "scrape" ? target.urls.length : (target.crawlOptions?.limit ?? DEFAULT_CRAWL_PAGES);
  return pages * estimateCredits({ options: knownOptionsOfTarget(target), zeroDataRetention: false });
}

type LedgerDeps = Pick<Deps, "keyLedger" | "meter" | "clock">;

/** Records a page in the credit ledger, under its scrape's ID. @returns the credits that it cost. */
export async function recordPage(
  deps: LedgerDeps,
  caller: Caller,
  { holdId, entry, startedAtMs }: { holdId: string; entry: MonitorPage; startedAtMs: number },
): Promise<number> {
  const hasFailed = entry.status === "error";
  const id = entry.currentScrapeId ?? entry.id;
  const part = { requestId: holdId, id, target: entry.url, pages: hasFailed ? 0 : 1, hasFailed };
  return await record(deps, caller, { ...part, startedAtMs });
}

/** Records a site's map or a target's searches, under the check's ID. */
export async function recordListing(
  deps: LedgerDeps,
  { caller, check }: { caller: Caller; check: MonitorCheck },
  {
    holdId,
    target,
    hasFailed,
    startedAtMs,
  }: { holdId: string; target: MonitorTarget; hasFailed: boolean; startedAtMs: number },
): Promise<number> {
  const part = { requestId: holdId, id: check.id, target: nameOf(target), pages: 0, hasFailed };
  return await record(deps, caller, { ...part, startedAtMs });
}

/**
 * Records the usage since the last call. Called before the part itself is stored: if that fails, the part is repeated,
 * and remains recorded and charged once.
 */
async function record(
  { keyLedger, meter, clock }: LedgerDeps,
  { key }: Caller,
  {
    startedAtMs,
    ...part
  }: Pick<WorkRecord, "requestId" | "id" | "target" | "pages" | "hasFailed"> & { startedAtMs: number },
): Promise<number> {
  const receipt = toReceipt(meter.take(), 0);
  const ms = clock.now() - startedAtMs;
  await keyLedger.record(key.id, { ...part, endpoint: "monitor", apiVersion: "v2", ms, receipt });
  return receipt.credits;
}

/** Returns the URL or the queries of a target. */
export function nameOf(target: MonitorTarget): string {
  if (target.type === "crawl") return target.url;
  return target.type === "search" ? target.queries.join("; ") : (target.urls[0] ?? "");
}
