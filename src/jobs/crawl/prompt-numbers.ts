import { withoutPrototype } from "../../core/without-prototype.ts";

const ONES = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
const TEENS = [
  "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
]; // prettier-ignore
const TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
const FACTORS: Record<string, number> = withoutPrototype({ hundred: 100, thousand: 1_000, million: 1_000_000 });
const VALUES: Record<string, number> = withoutPrototype({
  a: 1,
  ...Object.fromEntries([...ONES, ...TEENS].map((word, at) => [word, at + 1])),
  ...Object.fromEntries(TENS.map((word, at) => [word, 10 * at + 20])),
});

/** All words that are, or begin, a number. */
export const NUMBER_WORDS: readonly string[] = [...ONES, ...TEENS, ...TENS, ...Object.keys(FACTORS)];

const oneOf = (words: readonly string[]): string => `(?:${words.join("|")})`;
const BELOW_HUNDRED = `(?:${oneOf(TENS)}(?:[\\s-]+${oneOf(ONES)})?|${oneOf([...TEENS, ...ONES])})`;
const REST = `(?:\\s+(?:and\\s+)?`;
const BELOW_THOUSAND = `(?:(?:(?:a|${oneOf(ONES)})\\s+)?hundred${REST}${BELOW_HUNDRED})?|${BELOW_HUNDRED})`;
const WORDS = `(?:(?:(?:a|${BELOW_THOUSAND})\\s+)?thousand${REST}${BELOW_THOUSAND})?|${BELOW_THOUSAND})`;
const GROUPED = `\\d{1,3}(?:(?:,\\d{3})+|(?:\\.\\d{3})+|(?:[ \u00a0\u202f'’]\\d{3})+)`;
const DIGITS = `(?:${GROUPED}|\\d{1,7})(?:\\s?k\\b|\\s+${oneOf(Object.keys(FACTORS))}\\b)?`;

/**
 * The source of a pattern for a number in English, as one group: in words up to a million, or in digits, which may be in groups of three.
 * It is no part of a longer number.
 */
export const NUMBER = `(?<!\\d[.,'’\\s](?=\\d{3}))(${DIGITS}|${WORDS})(?![\\p{L}\\d]|[.,'’]\\d|\\s\\d{3}|[\\s-]+${oneOf(NUMBER_WORDS)}\\b)`;

const WHOLE = new RegExp(`^${NUMBER}$`, "iu");

export function isNumber(text: string): boolean {
  return WHOLE.test(text);
}

/** Returns the value of a text that `NUMBER` matches. */
export function toNumber(text = ""): number {
  const words = text
    .toLowerCase()
    .replace(/(?<=\d)[.,'’\s](?=\d)/g, "")
    .replace(/\s?k$/, " thousand")
    .split(/[\s-]+/);
  let [sum, current] = [0, 0];
  for (const word of words) {
    const factor = FACTORS[word];
    if (word === "and") continue;
    if (factor === undefined) current += VALUES[word] ?? Number(word);
    else if (factor === 100) current = Math.max(1, current) * factor;
    else [sum, current] = [sum + Math.max(1, current) * factor, 0];
  }
  return sum + current;
}
