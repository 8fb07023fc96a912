/** Credits of one scrape (api-contract.md, “Credits”). */
export interface ScrapeCost {
  /** Credits of the requested formats, in addition to the page itself. */
  formatCredits: number;
  /** Number of PDF pages that were read; 1 for other documents. */
  pdfPages: number;
  lockdown: boolean;
  redactsPii: boolean;
  checksPromptInjection: boolean;
  zeroDataRetention: boolean;
}

const PAGE_CREDITS = 1;
const LOCKDOWN_CREDITS = 4;
const REDACTION_CREDITS = 4;
const INJECTION_CHECK_CREDITS = 4;
const ZERO_DATA_RETENTION_CREDITS = 1;

/** Returns the credits of a scrape: one per page, and one for each PDF page after the first. */
export function scrapeCredits({
  formatCredits,
  pdfPages,
  lockdown,
  redactsPii,
  checksPromptInjection,
  zeroDataRetention,
}: ScrapeCost): number {
  const morePages = Math.max(0, pdfPages - 1);
  const redaction = redactsPii ? REDACTION_CREDITS * (1 + morePages) : 0;
  const surcharge =
    redaction +
    (lockdown ? LOCKDOWN_CREDITS : 0) +
    (checksPromptInjection ? INJECTION_CHECK_CREDITS : 0) +
    (zeroDataRetention ? ZERO_DATA_RETENTION_CREDITS : 0);
  return PAGE_CREDITS + morePages + formatCredits + surcharge;
}

const SEARCH_CREDITS = 2;
const UNKEPT_SEARCH_CREDITS = 10;
const RESULTS_OF_A_STEP = 10;

/** Returns the credits of a search: two for every ten results or part thereof. */
export function searchCredits(results: number, zeroDataRetention = false): number {
  return (zeroDataRetention ? UNKEPT_SEARCH_CREDITS : SEARCH_CREDITS) * Math.ceil(results / RESULTS_OF_A_STEP);
}
