import { AppError } from "../../core/errors.ts";
import { scrapeCredits } from "../../core/account/pricing.ts";
import { isFreeStatus } from "../../core/scrape/page.ts";
import type { Loaded } from "../../engines/waterfall.ts";
import { creditsOfFormats, formatsOf } from "../../formats/index.ts";
import type { ScrapeOptions } from "../../formats/scrape-options.ts";
import { openAccount, type Account } from "../account/account.ts";
import type { Deps, Payer } from "../deps.ts";
import { redactedEntities } from "./scrape-plan.ts";

/** Properties of a scrape that determine its price. */
export interface PricedRequest {
  options: ScrapeOptions;
  zeroDataRetention: boolean;
}

/** Returns the credits of a scrape that read this many pages. */
function creditsOf({ options, zeroDataRetention }: PricedRequest, pages: number): number {
  return scrapeCredits({
    formatCredits: creditsOfFormats(formatsOf(options)),
    pdfPages: pages,
    lockdown: options.lockdown ?? false,
    redactsPii: redactedEntities(options).length > 0,
    checksPromptInjection: options.checkPromptInjection ?? false,
    zeroDataRetention,
  });
}

/** Estimates the credits that a scrape takes before it begins; the difference to its cost is settled afterwards. */
export function estimateCredits(request: PricedRequest): number {
  return creditsOf(request, 1);
}

/** Returns the credits of a loaded page. A refusal, a server error and a redirect to nowhere cost nothing. */
export function creditsOfLoaded(request: PricedRequest, { obstacle, view }: Pick<Loaded, "obstacle" | "view">): number {
  const isFree = obstacle?.kind === "blocked" || isFreeStatus(view.loaded.statusCode);
  return isFree ? 0 : creditsOf(request, view.document?.numPages ?? 1);
}

/**
 * Runs a scrape whose estimated credits have been taken already. They are refunded on failure, except the credit of a
 * lookup that `lockdown` requested and that found no copy.
 */
export async function withScrapeAccount<Result>(
  deps: Pick<Deps, "keyLedger" | "settings" | "meter" | "defer">,
  payer: Payer,
  { request, run }: { request: PricedRequest; run: (account: Account) => Promise<Result> },
): Promise<Result> {
  const account = openAccount(deps, payer, estimateCredits(request));
  try {
    return await run(account);
  } catch (error) {
    const isPaidMiss = error instanceof AppError && error.code === "SCRAPE_LOCKDOWN_CACHE_MISS";
    deps.defer(account.settle(isPaidMiss ? 1 : 0));
    throw error;
  }
}

/**
 * Returns how many pages of a PDF the credits of a key pay for, the first of which is paid. The ledger is asked when a
 * PDF is opened. Undefined for keys without a budget, and for work that a job pays for.
 */
export function affordablePages(
  { keyLedger, settings }: Pick<Deps, "keyLedger" | "settings">,
  { key, creditSource }: Payer,
  request: PricedRequest,
): (() => Promise<number>) | undefined {
  const monthlyCredits = key.monthlyCredits ?? settings.creditsPerMonth;
  if (monthlyCredits === undefined || creditSource.kind !== "hold") return undefined;
  const perPage = creditsOf(request, 2) - creditsOf(request, 1);
  return async () => {
    const { creditsUsed } = await keyLedger.usage(key.id);
    return 1 + Math.floor(Math.max(0, monthlyCredits - creditsUsed) / perPage);
  };
}
