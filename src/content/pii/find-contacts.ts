import { findPhoneNumbersInText, isSupportedCountry, type CountryCode } from "libphonenumber-js/min";
import type { Span } from "./find-financial.ts";

/** An address in text, in a `mailto:` link, or with its @ written as a character reference. */
const EMAIL =
  /(?<![\p{L}\p{N}._+-])(?:[\p{L}\p{N}.+-]|\\?_){1,64}(?:@|%40|&#0?64;|&#x40;|&commat;)(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,8}(\p{L}{2,24})(?![\p{L}\p{N}])/giu;
/** Names such as `logo@2x.png` are files. */
const FILE_ENDINGS = /^(?:png|jpe?g|gif|webp|svg|avif|ico|bmp|css|s?css|m?js|jsx|tsx?|json|html?|map|pdf|mp[34])$/i;
/** What stands before a number that is part of something longer: an address, a decimal, an identifier. */
const INSIDE = /(?:[\w/=#.%&-]|\d\s)$/;
const NAMED_OTHERWISE =
  /(?:isbn|issn|ean|gtin|sku|asin|doi|order|invoice|tracking|version|ref(?:erence)?|article|item|serial|part|case|ticket|id|no|nr|number|#)\W{0,4}(?:no|nr|number|id)?\W{0,3}$/i;
const PHONE_LABEL =
  /(?<![a-z])(?:phone|tel|mobile|cell|call|fax|handy|fon|t[ée]l[ée]phone|telefon\w*)\W{0,3}(?:no|nr|number)?\W{0,4}$/i;
/** Groups that begin with a trunk prefix or an area code in parentheses, or those of North America. */
const WRITTEN_NATIONALLY = /^(?:\(\d|0\d+[\s()/-]+\d|\d{3}([-. ])\d{3}\1\d{4}$)/;
const MANY_DIGITS = /\d(?:\D{0,3}\d){6}/;

export function findEmails(text: string): Span[] {
  return [...text.matchAll(EMAIL)].flatMap(({ 0: match, 1: ending = "", index }) =>
    FILE_ENDINGS.test(ending) ? [] : [{ start: index, end: index + match.length }],
  );
}

/**
 * Numbers that are valid in the plans of the world's networks (libphonenumber). National ones are told by the country
 * that the page is of, and only when they are written as one writes phone numbers, in groups.
 */
export function findPhones(text: string, country: string | undefined): Span[] {
  if (!MANY_DIGITS.test(text)) return [];
  const defaultCountry = toCountry(country);
  const found = findPhoneNumbersInText(text, defaultCountry === undefined ? {} : { defaultCountry });
  return found.flatMap(({ startsAt, endsAt }) => {
    const start = text[startsAt - 1] === "+" ? startsAt - 1 : startsAt;
    return isPhone(text, { start, end: endsAt }) ? [{ start, end: endsAt }] : [];
  });
}

function isPhone(text: string, { start, end }: Span): boolean {
  const before = text.slice(Math.max(0, start - 24), start);
  if (/(?:tel|sms|callto):$/i.test(before)) return true;
  if (INSIDE.test(before) || /^[\w/=]/.test(text.slice(end))) return false;
  if (text.startsWith("+", start)) return true;
  if (PHONE_LABEL.test(before)) return true;
  return WRITTEN_NATIONALLY.test(text.slice(start, end)) && !NAMED_OTHERWISE.test(before);
}

function toCountry(country: string | undefined): CountryCode | undefined {
  const code = country?.toUpperCase();
  return code !== undefined && isSupportedCountry(code) ? code : undefined;
}
