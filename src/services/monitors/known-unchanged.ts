import { isUnchangedBySitemap } from "../../core/crawl/page-version.ts";
import type { PageState, PlannedPage, StoredValidators } from "../../core/monitors/monitor.ts";
import { formatFor } from "../../formats/index.ts";
import type { ScrapeOptions } from "../../formats/scrape-options.ts";
import { comparisonOf } from "./compare-page.ts";

/** Time for which the date in a sitemap is believed: a page is requested once in it, whatever the sitemap states. */
const TRUST_MS = 7 * 86_400_000;

/** Returns the validators of the stored state, if it has everything that these options compare with. */
export function validatorsFor(
  options: ScrapeOptions,
  before: PageState | undefined,
  optionsHash: string,
): StoredValidators | undefined {
  if (!mayBeConfirmed(options) || before?.validators?.optionsHash !== optionsHash) return undefined;
  return comparisonOf(options).fields && before.extracted === undefined ? undefined : before.validators;
}

/** Reports whether one request without a browser is all that the page needs. */
function mayBeConfirmed({ actions = [], waitFor = 0, maxAge, formats = [] }: ScrapeOptions): boolean {
  return actions.length === 0 && waitFor === 0 && maxAge === 0 && formats.every(({ type }) => formatFor(type).needs.length === 0); // prettier-ignore
}

/** Reports whether the sitemap states that the page is as it was read. */
export function isConfirmedBySitemap(
  { sitemapDate: date }: Pick<PlannedPage, "sitemapDate">,
  { readAtMs, sitemapDate }: StoredValidators,
  nowMs: number,
): boolean {
  if (readAtMs === undefined || nowMs - readAtMs > TRUST_MS) return false;
  return isUnchangedBySitemap(date, { readAtMs, sitemapDate });
}

/**
 * Returns the state of a page that the site has confirmed with 304, where the next check can then do without a request,
 * or its entry in the search index was looked at; undefined where the state need not be written.
 */
export function confirmedState(
  { sitemapDate }: Pick<PlannedPage, "sitemapDate">,
  before: PageState,
  { nowMs, isLookedAt }: { nowMs: number; isLookedAt: boolean },
): PageState | undefined {
  const state = isLookedAt ? lookedAtState(before, nowMs) : undefined;
  const { validators } = state ?? before;
  if (validators === undefined || sitemapDate === undefined) return state;
  if (!isUnchangedBySitemap(sitemapDate, { readAtMs: nowMs, sitemapDate })) return state;
  const { indexedAtMs = validators.readAtMs } = validators;
  return { ...before, validators: { ...validators, readAtMs: nowMs, sitemapDate, indexedAtMs } };
}

/** Returns the state of an unchanged page whose entry in the search index was looked at. */
export function lookedAtState(before: PageState | undefined, nowMs: number): PageState | undefined {
  const { validators } = before ?? {};
  return validators && before && { ...before, validators: { ...validators, indexedAtMs: nowMs } };
}
