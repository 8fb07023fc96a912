import { v7 as uuidv7 } from "uuid";
import { AppError } from "../core/errors.ts";
import type { MonitorCheck, MonitorPage, MonitorTarget } from "../core/monitor.ts";
import { searchCredits } from "../core/pricing.ts";
import { toReceipt } from "../core/receipt.ts";
import type { WorkRecord } from "../core/usage.ts";
import { ScrapeOptions } from "../formats/scrape-options.ts";
import type { Caller, Deps } from "./deps.ts";
import { MAP_CREDITS } from "./map-site.ts";
import { estimateCredits } from "./scrape-page.ts";

export const DEFAULT_CRAWL_PAGES = 20;

/** Takes credits for work that no request has paid for. @throws AppError INSUFFICIENT_CREDITS; then nothing is taken. */
export async function pay(
  { keyGate, settings }: Pick<Deps, "keyGate" | "settings">,
  { key }: Caller,
  credits: number,
): Promise<void> {
  if (credits === 0) return;
  const monthlyCredits = key.monthlyCredits ?? settings.creditsPerMonth;
  if (!(await keyGate.adjustCredits(key.id, { credits, monthlyCredits }))) throw new AppError("INSUFFICIENT_CREDITS");
}

/** Credits of listing a target's pages, without reading them. */
function priceOfListing(target: MonitorTarget): number {
  if (target.type === "scrape") return 0;
  return target.type === "crawl" ? MAP_CREDITS : target.queries.length * searchCredits(target.maxResults);
}

/** Credits that a check is expected to take: with as many pages as its targets may have, and each PDF with one. */
export function estimateCheck(targets: readonly MonitorTarget[]): number {
  return targets.reduce((sum, target) => sum + priceOfListing(target) + priceOfPages(target), 0);
}

function priceOfPages(target: MonitorTarget): number {
  if (target.type === "search") return 0;
  const pages = target.type === "scrape" ? target.urls.length : (target.crawlOptions?.limit ?? DEFAULT_CRAWL_PAGES);
  const options = ScrapeOptions.parse(target.scrapeOptions ?? {});
  return pages * estimateCredits({ options, zeroDataRetention: false });
}

type Books = Pick<Deps, "keyGate" | "meter" | "clock">;

/** Writes a page down in the key's books, under its scrape's id. @returns the credits that it took. */
export async function recordPage(
  deps: Books,
  caller: Caller,
  { entry, startedAtMs }: { entry: MonitorPage; startedAtMs: number },
): Promise<number> {
  const hasFailed = entry.status === "error";
  const id = entry.currentScrapeId ?? entry.id;
  const part = { requestId: entry.id, id, target: entry.url, pages: hasFailed ? 0 : 1, hasFailed };
  return await record(deps, caller, { ...part, startedAtMs });
}

/** The same for a site's map or a target's searches, under the check's id. */
export async function recordListing(
  deps: Books,
  { caller, check }: { caller: Caller; check: MonitorCheck },
  { target, hasFailed, startedAtMs }: { target: MonitorTarget; hasFailed: boolean; startedAtMs: number },
): Promise<number> {
  const part = { requestId: uuidv7(), id: check.id, target: nameOf(target), pages: 0, hasFailed };
  return await record(deps, caller, { ...part, startedAtMs });
}

/**
 * Takes what was used since this was last done. Comes before the part itself is written down: if that fails, the part is
 * done and paid once more, and stands twice in the books as it was taken.
 */
async function record(
  { keyGate, meter, clock }: Books,
  { key }: Caller,
  {
    startedAtMs,
    ...part
  }: Pick<WorkRecord, "requestId" | "id" | "target" | "pages" | "hasFailed"> & { startedAtMs: number },
): Promise<number> {
  const receipt = toReceipt(meter.take(), 0);
  const ms = clock.now() - startedAtMs;
  await keyGate.record(key.id, { ...part, endpoint: "monitor", apiVersion: "v2", ms, receipt });
  return receipt.credits;
}

/** What a target is about, in its caller's words. */
export function nameOf(target: MonitorTarget): string {
  if (target.type === "crawl") return target.url;
  return target.type === "search" ? target.queries.join("; ") : (target.urls[0] ?? "");
}
