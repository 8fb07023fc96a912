import { foldText } from "../../core/search/words.ts";
import { withPlainDigits } from "./plain-digits.ts";
import type { Locale } from "./schema/values.ts";

/** Beginnings of the months' names in folded form, in English, German, French, Spanish, Italian, Dutch, Portuguese. */
const MONTHS: RegExp[] = [
  /^(?:jan|gen|ene|jän)/, /^(?:feb|fev)/, /^(?:mar(?!t?e[dr])|mrz|maerz|mrt|maa)/, /^(?:apr|avr|abr)/, /^(?:may|mai|mag|mei)/,
  /^(?:jun|juin|giu)/, /^(?:jul|juil|lug)/, /^(?:aug|aou|ago)/, /^(?:sep|set)/, /^(?:oct|okt|ott|out)/, /^(?:nov)/,
  /^(?:dec|dez|dic)/,
]; // prettier-ignore

const ISO = /\b(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?)\s*(Z|[+-]\d{2}:?\d{2})?)?/;
const CJK = /(\d{4})\s*年\s*(\d{1,2})\s*月\s*(\d{1,2})\s*日/;
const DAY_MONTH =
  /\b(\d{1,2})(?:st|nd|rd|th|er|\.|º|°)?\s+(?:de\s+|of\s+)?(\p{L}{3,12})\.?,?\s+(?:de\s+|del\s+)?(\d{4})\b/u;
const MONTH_DAY = /(?:^|[^\p{L}])(\p{L}{3,12})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})\b/u;
const NUMERIC = /\b(\d{1,2})([./-])(\d{1,2})\2(\d{4})\b/;
const YEAR_FIRST = /\b(\d{4})[./](\d{1,2})[./](\d{1,2})\b/;
/** A number that may be a time of day, with the words beside it that say so. */
const CLOCK =
  /(?<!\d[.,:]?|[$€£¥₹]\s?)\b(?:(um|kl\.?|klo|ore)\s+)?([01]?\d|2[0-4])(?:([:.h])([0-5]\d))?(?:\s*(am|pm|uhr))?\b/g;

/** A day, with the time of day when the text has one. */
export interface ReadDate {
  /** `YYYY-MM-DD` */
  day: string;
  /** As in ISO 8601 behind the `T`; undefined when only the day is known. */
  time: string | undefined;
}

/** A date behind this many characters is no longer the subject of a text. */
const MAX_CHARS = 1_000;

/** Reads the first date of a text. Numbers alone are day first, except in American English. */
export function readDate(source: string, { language }: Locale): ReadDate | undefined {
  const text = withPlainDigits(source.slice(0, MAX_CHARS));
  const folded = foldText(text);
  const iso = ISO.exec(text);
  if (iso !== null) {
    const [, year, month, day, time, zone = ""] = iso;
    return toDate([year, month, day], time === undefined ? undefined : `${time}${zone}`);
  }
  const cjk = CJK.exec(text);
  if (cjk !== null) return toDate([cjk[1], cjk[2], cjk[3]], undefined);
  const words = DAY_MONTH.exec(folded);
  if (words !== null) return withClock(toDate([words[3], monthOf(words[2]), words[1]], undefined), folded, words);
  const american = MONTH_DAY.exec(folded);
  if (american !== null)
    return withClock(toDate([american[3], monthOf(american[1]), american[2]], undefined), folded, american);
  const yearFirst = YEAR_FIRST.exec(folded);
  if (yearFirst !== null) return toDate([yearFirst[1], yearFirst[2], yearFirst[3]], undefined);
  const numeric = NUMERIC.exec(folded);
  if (numeric === null) return undefined;
  const [, first, mark, second, year] = numeric;
  const monthFirst = Number(second) > 12 || (mark === "/" && language === "en-us" && Number(first) <= 12);
  return withClock(toDate(monthFirst ? [year, first, second] : [year, second, first], undefined), folded, numeric);
}

const ALL = [ISO, CJK, DAY_MONTH, MONTH_DAY, YEAR_FIRST, NUMERIC];

/**
 * Returns the part of a text that is its only date, with the time of day after it: of `Posted on May 1, 2026 at 8:30 by
 * Ada` it is `May 1, 2026 at 8:30`. A text with several dates, or none, is returned as it is.
 */
export function onlyDateIn(source: string): string {
  if (source.length > MAX_CHARS) return source;
  const plain = withPlainDigits(source);
  const folded = foldText(plain);
  const text = folded.length === source.length ? folded : plain.toLowerCase();
  const dates = ALL.map((form) => form.exec(form === ISO ? plain : text)).filter((match) => match !== null);
  const found = dates.toSorted((left, right) => left.index - right.index)[0];
  if (found === undefined || /\d\.?\s*[–-]\s*$/.test(text.slice(0, found.index))) return source;
  const end = found.index + found[0].length;
  const rest = text.slice(end);
  if (ALL.some((form) => form.test(rest))) return source;
  const clock = clockIn(rest.slice(0, 25));
  const start = found.index + (/[\p{L}\d]/u.exec(found[0])?.index ?? 0);
  return source.slice(start, end + (clock?.end ?? 0));
}

/** Returns the first time of day in a text in lower case, as in ISO 8601, with its end. */
function clockIn(text: string): { time: string; end: number } | undefined {
  for (const { 0: whole, 1: before, 2: hours = "", 3: mark, 4: minutes = "00", 5: after, index } of text.matchAll(
    CLOCK,
  )) {
    const half = after === "uhr" ? undefined : after;
    // A point is that of an amount as often.
    const isTime = mark === undefined ? half !== undefined : mark !== "." || (before ?? after) !== undefined;
    if (!isTime || !isHour(hours, { half, hasMinutes: mark !== undefined })) continue;
    const hour = (Number(hours) % (half === undefined ? 24 : 12)) + (half === "pm" ? 12 : 0);
    return { time: `${String(hour).padStart(2, "0")}:${minutes}:00`, end: index + whole.length };
  }
  return undefined;
}

/** `half`: the half of a day behind the hours; some write it behind a time of 24 hours too, as in `18:30 pm`. */
function isHour(hours: string, { half, hasMinutes }: { half: string | undefined; hasMinutes: boolean }): boolean {
  const hour = Number(hours);
  return half === undefined || hour <= 12 || (half === "pm" && hasMinutes && hour < 24);
}

function monthOf(name = ""): string | undefined {
  const index = MONTHS.findIndex((month) => month.test(name));
  return index < 0 ? undefined : String(index + 1);
}

function toDate([year, month, day]: (string | undefined)[], time: string | undefined): ReadDate | undefined {
  const numbers = [Number(year), Number(month), Number(day)];
  const [y = NaN, m = NaN, d = NaN] = numbers;
  if (numbers.some(Number.isNaN) || m < 1 || m > 12 || d < 1 || d > 31) return undefined;
  return { day: `${String(y).padStart(4, "0")}-${String(m).padStart(2, "0")}-${String(d).padStart(2, "0")}`, time };
}

/** Adds the time of day that follows the date, or comes a little before it. */
function withClock(date: ReadDate | undefined, text: string, match: RegExpExecArray): ReadDate | undefined {
  if (date === undefined) return undefined;
  const after = text.slice(match.index + match[0].length, match.index + match[0].length + 25);
  const clock = clockIn(after) ?? clockIn(text.slice(Math.max(0, match.index - 16), match.index));
  return clock === undefined ? date : { ...date, time: clock.time };
}
