const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 365 * 86_400_000],
  ["month", 30 * 86_400_000],
  ["week", 7 * 86_400_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
];

/** Dates this far ahead are those of a clock that is fast. */
const CLOCK_SKEW_MS = 300_000;

const WORDS = new Intl.RelativeTimeFormat("en", { numeric: "always" });

/**
 * Returns the age of a moment in words, such as `3 hours ago`, rounded down to the largest unit that fits.
 * @param date ISO 8601. A text that does not begin with an ISO date, such as `3 hours ago`, is returned unchanged.
 * @param nowMs Ms since the epoch.
 */
export function relativeAge(date: string, nowMs: number): string {
  const ms = isoMs(date);
  if (ms === undefined) return date;
  const ageMs = nowMs - ms;
  if (ageMs < -CLOCK_SKEW_MS) return inWords(-ageMs, 1);
  return inWords(Math.max(0, ageMs), -1);
}

/** Returns the moment of an ISO 8601 date in ms since the epoch; undefined for other texts. */
export function isoMs(date: string): number | undefined {
  if (!/^\d{4}-\d\d(?:-\d\d(?:T|$))?/.test(date)) return undefined;
  // Without an offset, ECMAScript reads a time as local; providers mean UTC.
  const ms = Date.parse(/T[\d:.]+$/.test(date) ? `${date}Z` : date);
  return Number.isNaN(ms) ? undefined : ms;
}

function inWords(ms: number, sign: 1 | -1): string {
  const [unit, unitMs] = UNITS.find(([, length]) => ms >= length) ?? (["second", 1000] as const);
  return WORDS.format(sign * Math.floor(ms / unitMs), unit).replace("-", "");
}
