import { findPhoneNumbersInText, isSupportedCountry, type CountryCode } from "libphonenumber-js/min";
import type { WorkBudget } from "../../../core/work-budget.ts";
import type { Span } from "./find-financial.ts";

/** An address in text, in a `mailto:` link, or with its @ written as a character reference. */
const EMAIL =
  /(?<![\p{L}\p{N}._+-])(?:[\p{L}\p{N}.+-]|\\?_){1,64}(?:@|%40|&#0?64;|&#x40;|&commat;)(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,8}(\p{L}{2,24})(?![\p{L}\p{N}])/giu;
/** Names such as `logo@2x.png` are files. */
const FILE_ENDINGS = /^(?:png|jpe?g|gif|webp|svg|avif|ico|bmp|css|s?css|m?js|jsx|tsx?|json|html?|map|pdf|mp[34])$/i;
/** Text before a number that is part of something longer: an address, a decimal, an identifier. */
const INSIDE = /[\w/=#.%&-]$/;
/** Text before a number that another number precedes. A plus sign begins a new one. */
const AFTER_NUMBER = /\d\s$/;
const NAMED_OTHERWISE =
  /(?:isbn|issn|ean|gtin|sku|asin|doi|order|invoice|tracking|version|ref(?:erence)?|article|item|serial|part|case|ticket|id|no|nr|number|#)\W{0,4}(?:no|nr|number|id)?\W{0,3}$/i;
const PHONE_LABEL =
  /(?<![a-z])(?:phone|tel|mobile|cell|call|fax|handy|fon|t[ée]l[ée]phone|telefon\w*)\W{0,3}(?:no|nr|number)?\W{0,4}$/i;
/** Groups that begin with a trunk prefix or an area code in parentheses, or those of North America. */
const WRITTEN_NATIONALLY = /^(?:\(\d|0\d+[\s()/-]+\d|\d{3}([-. ])\d{3}\1\d{4}$)/;
/**
 * Seven digits or more with at most four of the separators between two of them that libphonenumber allows. Bounded, since
 * the engine keeps a state for each repetition and fails when it has too many.
 */
const DIGITS =
  /\p{Nd}(?:[-x\u2010-\u2015\u2212\u30fc\uff0d\uff0f \u00a0\u00ad\u200b\u2060\u3000()\uff08\uff09\uff3b\uff3d.[\]/~\u2053\u223c\uff5e+]{0,4}\p{Nd}){6,4000}/gu;
/** Characters around the digits that libphonenumber reads: plus signs and parentheses before, an extension behind. */
const BEFORE_DIGITS = 10;
const AFTER_DIGITS = 30;
/** Parts of a text that are checked at once. */
const MAX_WINDOW_CHARS = 5_000;
/** Digits that libphonenumber checks in one text, at some 30 µs each where they are dense and 1 to 4 µs in ordinary text. */
const MAX_CHECKED_DIGITS = 30_000;
const STEPS_PER_DIGIT = 100;
/** Share of the steps that are left, which the checks of one text may take. */
const CHECKS_SHARE = 0.5;
/** From the first digit to the last before a plus sign; at most four separators follow the last. */
const INTERNATIONAL_PART = /\p{Nd}(?:[^+\uff0b]*\p{Nd})?/gu;
const WORD = /\p{Nd}(?:\S*\p{Nd})?/gu;
const MIN_PHONE_DIGITS = 7;
/** Digits of a telephone number with its country code (ITU-T E.164). */
const MAX_PHONE_DIGITS = 15;

export function findEmails(text: string): Span[] {
  return [...text.matchAll(EMAIL)].flatMap(({ 0: match, 1: ending = "", index }) =>
    FILE_ENDINGS.test(ending) ? [] : [{ start: index, end: index + match.length }],
  );
}

/**
 * Finds numbers that are valid in the world's numbering plans (libphonenumber). National numbers are read by the
 * country of the page, and only when they are written in groups, like telephone numbers. In a text with more digits
 * than libphonenumber can check in time or within the budget, the rest of the numbers is found by length and notation alone.
 */
export function findPhones(text: string, country: string | undefined, budget: WorkBudget): Span[] {
  const defaultCountry = toCountry(country);
  const options = defaultCountry === undefined ? {} : { defaultCountry };
  const spans: Span[] = [];
  let left = Math.min(MAX_CHECKED_DIGITS, (CHECKS_SHARE * budget.left.steps) / STEPS_PER_DIGIT);
  for (const { start, end, digits } of digitWindows(text)) {
    const part = text.slice(start, end);
    const isChecked = digits <= left;
    if (isChecked) {
      left -= digits;
      budget.spend(digits * STEPS_PER_DIGIT);
    }
    const found = isChecked ? findPhoneNumbersInText(part, options) : findByLength(part);
    for (const { startsAt, endsAt } of found) {
      const from = start + startsAt;
      const span = { start: text[from - 1] === "+" ? from - 1 : from, end: start + endsAt };
      const last = spans.at(-1);
      const isListed = last !== undefined && text.slice(last.end, span.start).trim() === "";
      if (isPhone(text, span, isListed)) spans.push(span);
    }
  }
  return spans;
}

/** Counts the digits of a text that may belong to telephone numbers. */
export function countPhoneDigits(text: string): number {
  let count = 0;
  for (const [match] of text.matchAll(DIGITS)) count += countDigits(match);
  return count;
}

/** Returns the parts of a text that may hold telephone numbers, in order and without overlaps. */
function digitWindows(text: string): (Span & { digits: number })[] {
  const windows: (Span & { digits: number })[] = [];
  for (const { 0: match, index } of text.matchAll(DIGITS)) {
    const window = {
      start: Math.max(0, index - BEFORE_DIGITS),
      end: Math.min(text.length, index + match.length + AFTER_DIGITS),
      digits: countDigits(match),
    };
    const last = windows.at(-1);
    if (last !== undefined && window.start < last.end) {
      if (window.end - last.start <= MAX_WINDOW_CHARS) {
        last.end = window.end;
        last.digits += window.digits;
        continue;
      }
      // The context is shortened, and the digits of each part stay whole.
      const border = Math.max(window.start, Math.min(last.end, index - 1));
      last.end = Math.min(last.end, border);
      window.start = border;
    }
    windows.push(window);
  }
  return windows;
}

function countDigits(text: string): number {
  return text.replaceAll(/\P{Nd}/gu, "").length;
}

/** Matches every sequence of seven digits or more. A longer one than a number can be is a list, and is split. */
function findByLength(text: string): { startsAt: number; endsAt: number }[] {
  return [...text.matchAll(DIGITS)].flatMap(({ 0: digits, index }) =>
    splitList(digits).map(({ start, end }) => ({ startsAt: index + start, endsAt: index + end })),
  );
}

/**
 * Splits a list of numbers before each plus sign, then at spaces where each part has the digits of a number. What cannot
 * be split stays whole: too much is redacted rather than too little.
 */
function splitList(digits: string): Span[] {
  const parts = spansOf(digits, INTERNATIONAL_PART, 0);
  return parts.flatMap(({ start, end }) => {
    const part = digits.slice(start, end);
    if (countDigits(part) <= MAX_PHONE_DIGITS) return [{ start, end }];
    const words = spansOf(part, WORD, start);
    const isList = words.every((word) => countDigits(digits.slice(word.start, word.end)) >= MIN_PHONE_DIGITS);
    return isList ? words : [{ start, end }];
  });
}

function spansOf(text: string, pattern: RegExp, offset: number): Span[] {
  return [...text.matchAll(pattern)].map(({ 0: match, index }) => ({
    start: offset + index,
    end: offset + index + match.length,
  }));
}

/** @param isListed the number follows another one in a list. */
function isPhone(text: string, { start, end }: Span, isListed: boolean): boolean {
  const before = text.slice(Math.max(0, start - 24), start);
  if (/(?:tel|sms|callto):$/i.test(before)) return true;
  if (INSIDE.test(before) || /^[\w/=]/.test(text.slice(end))) return false;
  if (text.startsWith("+", start)) return true;
  if (!isListed && AFTER_NUMBER.test(before)) return false;
  if (PHONE_LABEL.test(before)) return true;
  return WRITTEN_NATIONALLY.test(text.slice(start, end)) && !NAMED_OTHERWISE.test(before);
}

function toCountry(country: string | undefined): CountryCode | undefined {
  const code = country?.toUpperCase();
  return code !== undefined && isSupportedCountry(code) ? code : undefined;
}
