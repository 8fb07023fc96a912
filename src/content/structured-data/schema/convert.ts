import { foldText } from "../../../core/search/words.ts";
import { resolveUrl } from "../../html/resolve-url.ts";
import { isNameOrAccount, readAuthor } from "../authors.ts";
import { onlyDateIn, readDate } from "../dates.ts";
import type { FactSource, FactText } from "../facts.ts";
import { type Label, wantsMost } from "../sources/labels.ts";
import type { Shape } from "./schema-shape.ts";
import { NO_PICTURE } from "../sources/meta-tags.ts";
import { firstPhone } from "../sources/phone-numbers.ts";
import { readBoolean, readCurrency, readDurationSeconds, readNumbers, type Locale } from "./values.ts";

/** A text of the page converted to a property's value, and how well it fits. */
export interface Converted {
  value: string | number | boolean;
  /** 0 to 1. */
  fit: number;
  /** The part of the page that it was read from. */
  quote: string;
}

export interface Wanted {
  label: Label;
  shape: Shape;
}

export interface Conversion {
  locale: Locale;
  baseUrl: string;
  source: FactSource;
}

const URL_CONCEPTS = new Set(["url", "website", "image"]);
const DATE_CONCEPTS = new Set(["published", "modified", "deadline", "start", "end", "birthdate", "deathdate"]);
const YEAR_CONCEPTS = new Set(["founded", "year"]);
const AMOUNT_CONCEPTS = new Set(["price", "old price", "salary", "rent", "deposit", "revenue"]);
const DURATION_CONCEPTS = new Set(["preptime", "cooktime", "totaltime", "duration"]);
/** Longer texts are not the value of a property; descriptions may be. */
const SHORT_CHARS = 160;
/** A shorter description is often a cut one, or the name again. */
const SHORT_DESCRIPTION_CHARS = 40;
/** A shorter text is what an editor typed to fill the field. */
const NO_DESCRIPTION_CHARS = 12;
/** Longer texts name no company, and no article of a shop. */
const NAME_CHARS = 80;
/** An element of a class such as `company` with more words holds the links to the pages about the company. */
const NAME_WORDS = 5;
const SKU_CHARS = 40;
/** The end of a description that was cut in the middle of a sentence. */
const CUT = /[,;:–-]$/;
/** `from` and `ab` may precede an amount; a longer text is something else, or changes the meaning of the amount. */
const MAX_LEADING_LETTERS = 6;
/** An amount with more words is a condition or a sentence about it. */
const MAX_AMOUNT_LETTERS = 16;
const LONG_NAMES =
  /description|summary|abstract|text|body|content|bio|about|instruction|step|answer|review|quote|note|overview|responsibilit|requirement|qualification|comment/;

/** Characters that are converted, and choices that are looked for, in the time of a step. */
const CHARS_PER_STEP = 16;
const CHOICES_PER_STEP = 2;

/** Returns the steps of a conversion. */
export function stepsToConvert({ text, machine }: FactText, { shape }: Wanted): number {
  const chars = text.length + (machine?.length ?? 0);
  const choices = chars > SHORT_CHARS ? 0 : shape.hints.choices.length;
  return Math.ceil(chars / CHARS_PER_STEP + choices / CHOICES_PER_STEP);
}

export function convert(fact: FactText, wanted: Wanted, context: Conversion): Converted | undefined {
  switch (wanted.shape.kind) {
    case "number":
    case "integer":
      return toNumber(fact, wanted, context);
    case "boolean":
      return toBoolean(fact);
    case "string":
    case "any":
      return toText(fact, wanted, context);
    default:
      return undefined;
  }
}

function has(label: Label, concepts: ReadonlySet<string>): boolean {
  return label.concepts.some((concept) => concepts.has(concept)) || label.words.some((word) => concepts.has(word));
}

function toBoolean(fact: FactText): Converted | undefined {
  const quote = fact.text || (fact.machine ?? "");
  const value = readBoolean(fact.text) ?? readBoolean(fact.machine ?? "");
  return value === undefined ? undefined : { value, fit: 1, quote };
}

function toNumber(fact: FactText, { label, shape }: Wanted, { locale, source }: Conversion): Converted | undefined {
  const isMachine = fact.machine !== undefined && /^-?\d+(?:\.\d+)?$/.test(fact.machine);
  const text = isMachine ? (fact.machine ?? "") : fact.text;
  const numberLocale = isMachine || source === "json-ld" ? { language: "en" } : locale;
  const quote = fact.text || text;
  if (has(label, DURATION_CONCEPTS)) {
    const seconds = readDurationSeconds(fact.machine ?? "", locale) ?? readDurationSeconds(fact.text, locale);
    if (seconds !== undefined) return { value: roundTo(seconds / unitOf(label, shape)), fit: 1, quote };
  }
  if (/^https?:|@/.test(text)) return undefined;
  const numbers = readNumbers(text, numberLocale);
  const value = pick(numbers, label);
  if (value === undefined) return undefined;
  if (shape.kind === "integer" && !Number.isInteger(value)) return undefined;
  const letters = text.replace(/[\d\s.,]/g, "").length;
  const isDate = readDate(text, locale) !== undefined && !has(label, YEAR_CONCEPTS);
  const isAmount = has(label, AMOUNT_CONCEPTS);
  const isDoubtful = isAmount && leadsUp(text);
  return {
    value,
    fit: isDate
      ? 0.4
      : isDoubtful
        ? 0.7
        : letters > 60
          ? 0.65
          : letters > (isAmount ? MAX_AMOUNT_LETTERS : 30)
            ? 0.83
            : 1,
    quote,
  };
}

function pick(numbers: readonly number[], label: Label): number | undefined {
  if (has(label, YEAR_CONCEPTS)) return numbers.find((number) => number >= 1000 && number <= 2200) ?? undefined;
  return wantsMost(label) ? numbers.at(-1) : numbers[0];
}

function unitOf(label: Label, { hints }: Shape): number {
  const words = `${label.phrase} ${foldText(hints.description)}`;
  if (/\bhours?\b|\bstunden\b/.test(words)) return 3600;
  return /\bseconds?\b|\bsekunden\b/.test(words) ? 1 : 60;
}

function roundTo(value: number): number {
  return Math.round(value * 100) / 100;
}

function toText(fact: FactText, wanted: Wanted, context: Conversion): Converted | undefined {
  const { label, shape } = wanted;
  const { choices, format } = shape.hints;
  const shown = fact.text.replace(/^https?:\/\/schema\.org\//, "");
  const quote = fact.text || (fact.machine ?? fact.href ?? "");
  if (choices.length > 0) return toChoice(shown, choices, quote);
  if (format === "uri" || format === "url" || isUrlName(label)) return toUrl(fact, wanted, context);
  if (format === "email" || label.concepts.includes("email"))
    return matched(/(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+/.exec(`${fact.text} ${fact.machine ?? ""}`)?.[0]);
  if (label.concepts.includes("phone")) return toPhone(shown, quote, context.source);
  if (label.concepts.includes("currency") || label.words.includes("currency"))
    return matched(readCurrency(`${fact.machine ?? ""} ${fact.text}`, context.locale.language), quote);
  if (format === "date" || format === "date-time" || isDateName(label)) return toDate(fact, wanted, context);
  if (isAuthorName(label)) {
    const name = readAuthor(shown || (fact.machine ?? ""));
    if (name === undefined || (context.source === "markup" && !isNameOrAccount(name))) return undefined;
    return { value: name, fit: name === shown ? 1 : 0.97, quote };
  }
  if (shown === "") return fact.machine === undefined ? undefined : { value: fact.machine, fit: 0.8, quote };
  return { value: shown, fit: fitOfText(shown, fact, wanted, context), quote };
}

function fitOfText(text: string, fact: FactText, { label }: Wanted, { source }: Conversion): number {
  if (text.length > SHORT_CHARS && !LONG_NAMES.test(label.phrase)) return 0.5;
  if (has(label, AMOUNT_CONCEPTS) && !label.phrase.endsWith("range")) {
    if (!/\d/.test(text))
      return /\bfree\b|gratis|kostenlos|gratuit|\bfrei\b|libre|donation|pay what|無料/i.test(text) ? 0.9 : 0.3;
    if (leadsUp(text)) return 0.6;
    // In the head the currency has a tag of its own.
    return readCurrency(text) === undefined ? (source === "meta" ? 0.95 : 0.85) : 1;
  }
  if (/^P(?:\d|T)/.test(text)) return 0.8;
  if (label.concepts[0] === "description" && text.length < NO_DESCRIPTION_CHARS) return 0.55;
  if (isNamed(label) && (text.length > NAME_CHARS || (source === "markup" && text.split(" ").length > NAME_WORDS)))
    return 0.5;
  if (label.concepts[0] === "sku" && (text.includes("=") || text.length > SKU_CHARS)) return 0.5;
  if (label.concepts[0] === "description" && (text.length < SHORT_DESCRIPTION_CHARS || CUT.test(text))) return 0.85;
  if (label.concepts[0] === "name" && /(?:\.\.\.|…)$/.test(text)) return 0.75;
  // Names are for reading: the name of a schema.org value ranks below the displayed text.
  if (fact.text !== text || /^https?:\/\//.test(text)) return 0.7;
  return source === "json-ld" && DURATION_CONCEPTS.has(label.concepts[0] ?? "") ? 0.85 : 1;
}

function isNamed({ concepts }: Label): boolean {
  return concepts.some((concept) => concept === "organization" || concept === "publisher" || concept === "brand");
}

function leadsUp(text: string): boolean {
  return (
    (text.split(/\d/)[0] ?? "").replace(/\b(?:EUR|USD|GBP|CHF|US|CA|AU)\b|[^\p{L}]/gu, "").length > MAX_LEADING_LETTERS
  );
}

/** The texts of an enum, prepared for comparison with many texts of the page. */
interface Choices {
  bySqueezed: ReadonlyMap<string, string>;
  /** Those of more than one letter, which may be a part of a text. */
  parts: readonly { choice: string; squeezed: string }[];
}

const prepared = new WeakMap<readonly unknown[], Choices>();

function choicesOf(values: readonly unknown[]): Choices {
  const known = prepared.get(values);
  if (known !== undefined) return known;
  const all = values.flatMap((choice) => (typeof choice === "string" ? [{ choice, squeezed: squeeze(choice) }] : []));
  const choices = {
    bySqueezed: new Map(all.toReversed().map(({ choice, squeezed }) => [squeezed, choice])),
    parts: all.filter(({ squeezed }) => squeezed.length > 1),
  };
  prepared.set(values, choices);
  return choices;
}

function toChoice(text: string, values: readonly unknown[], quote: string): Converted | undefined {
  const folded = squeeze(text);
  const { bySqueezed, parts } = choicesOf(values);
  const exact = bySqueezed.get(folded);
  if (exact !== undefined) return { value: exact, fit: 1, quote };
  if (text.length > SHORT_CHARS) return undefined;
  let longest: string | undefined;
  for (const { choice, squeezed } of parts)
    if (choice.length > (longest?.length ?? 0) && folded.includes(squeezed)) longest = choice;
  return longest === undefined ? undefined : { value: longest, fit: 0.9, quote };
}

function squeeze(text: string): string {
  return foldText(text).replace(/[^\p{L}\p{N}]+/gu, "");
}

export function isUrlName(label: Label): boolean {
  if (label.concepts.some((concept) => URL_CONCEPTS.has(concept))) return true;
  return /(?:^| )(?:url|uri|link|href|website|logo|image|photo|avatar|thumbnail)$/.test(label.phrase);
}

function isDateName(label: Label): boolean {
  return (
    label.concepts.some((concept) => DATE_CONCEPTS.has(concept)) ||
    /(?:^| )(?:date|datum|fecha|deadline)$/.test(label.phrase)
  );
}

function isAuthorName({ concepts, words }: Label): boolean {
  return concepts.includes("author") || (words.at(-1) === "name" && words.includes("author"));
}

function toUrl(fact: FactText, { label }: Wanted, { baseUrl }: Conversion): Converted | undefined {
  const address = fact.href ?? (/^(?:https?:\/\/|\/|www\.)\S+$/.test(fact.text) ? fact.text : undefined);
  const url = resolveUrl(address?.replace(/^www\./, "https://www."), baseUrl);
  if (url === undefined || !/^https?:/.test(url)) return undefined;
  if (label.concepts.includes("image") && NO_PICTURE.test(url)) return undefined;
  return { value: url, fit: 1, quote: fact.text || url };
}

/** Dates of one moment, beside which other words of the text are not a part of the value. */
const MOMENTS = new Set(["published", "modified"]);

function toDate(fact: FactText, { label, shape }: Wanted, { locale }: Conversion): Converted | undefined {
  const quote = fact.text || (fact.machine ?? "");
  const { format, description } = shape.hints;
  const date = readDate(fact.machine ?? "", locale) ?? readDate(fact.text, locale);
  const wantsDay = format === "date" || /yyyy-mm-dd|iso ?8601|iso date/i.test(description);
  if (date === undefined)
    return format === "" && /\d/.test(quote) && quote.length < 60 ? { value: quote, fit: 0.8, quote } : undefined;
  if (wantsDay) return { value: date.day, fit: 1, quote };
  const isIso = /^\d{4}-\d{2}-\d{2}/.test(fact.machine ?? "");
  if (format === "date-time")
    return {
      value: date.time === undefined ? date.day : `${date.day}T${date.time}`,
      fit: date.time === undefined ? 0.85 : 1,
      quote,
    };
  const shown = MOMENTS.has(label.concepts[0] ?? "") ? onlyDateIn(fact.text) : fact.text;
  return { value: isIso ? (fact.machine ?? "") : shown, fit: shown.length > 60 ? 0.6 : 1, quote };
}

/** Letters beside a number in an element of a class such as `mobile`, which more often names a device. */
const MAX_PHONE_LETTERS = 20;
const DECIMAL = /^\d{1,2}\.\d{1,2}(?!\d|\.)/;

function toPhone(text: string, quote: string, source: FactSource): Converted | undefined {
  const value = firstPhone(text) ?? /[+(]?\d[\d\s()./–-]{4,}\d/.exec(text)?.[0].trim() ?? "";
  const digits = value.replace(/\D/g, "").length;
  const isBalanced = value.split("(").length === value.split(")").length;
  if (digits < 6 || !isBalanced || DECIMAL.test(value)) return undefined;
  if (source === "markup" && text.replace(/[^\p{L}]/gu, "").length > MAX_PHONE_LETTERS) return undefined;
  return { value, fit: 1, quote };
}

function matched(value: string | undefined, quote = value): Converted | undefined {
  return value === undefined || quote === undefined ? undefined : { value, fit: 1, quote };
}
