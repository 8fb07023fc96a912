import { foldText } from "../../../core/search/words.ts";
import { withPlainDigits } from "../plain-digits.ts";

/** Notation of numbers and dates on the page. */
export interface Locale {
  /** Language of the page, such as `de` or `en-us`, in lower case. */
  language: string;
}

/** Languages that write 1,299.50 everywhere. */
const POINT_LANGUAGES = /^(?:en|ja|zh|ko|th|he|hi|ur|$)/;
/** Marks of the decimals by language; more than any number of pages has. */
const decimalMarks = new Map<string, string>();
const MAX_LANGUAGES = 500;
/** Characters of a language tag that can be one (BCP 47 § 4.4.1). */
const MAX_TAG_CHARS = 35;
const NUMBER = /[-−–]?\d[\d.,'’\u00a0\u202f ]*\d|[-−–]?\d/g;
const MAGNITUDES: [RegExp, number][] = [
  [/^\s*(?:bn\b|billions?\b|mrd\b|milliarden?\b|milliards?\b)/i, 1e9],
  [/^\s?M(?![\p{L}\p{N}²³.])/u, 1e6],
  [/^\s*(?:mn\b|mio\b|millions?\b|millionen\b|millones\b|milioni\b)/i, 1e6],
  [/^k(?![\p{L}\p{N}.])/iu, 1e3],
  [/^\s*(?:tsd\b|thousand\b|tausend\b|mil\b|mila\b)/i, 1e3],
  [/^\s*億/, 1e8],
  [/^\s*万/, 1e4],
];

/** Returns every number in a text, in order. */
export function readNumbers(written: string, { language }: Locale): number[] {
  const text = withPlainDigits(written);
  const numbers: number[] = [];
  for (const match of text.matchAll(NUMBER)) {
    const before = text.slice(Math.max(0, match.index - 1), match.index);
    // `4万4800` is one number: the second part follows the sign of the first without a space.
    const isRest = /\d[億万]$/.test(text.slice(Math.max(0, match.index - 2), match.index));
    if (/[\p{L}_]/u.test(before) && !isRest) continue;
    const value = readNumber(match[0].trim(), language, before);
    if (value === undefined) continue;
    const after = text.slice(match.index + match[0].length);
    const magnitude = MAGNITUDES.find(([unit]) => unit.test(after))?.[1] ?? 1;
    const sum = isRest ? (numbers.pop() ?? 0) : 0;
    numbers.push(sum + Math.round(value * magnitude * 1e6) / 1e6);
  }
  return numbers;
}

function readNumber(written: string, language: string, before: string): number | undefined {
  const isNegative = /^[-−]/.test(written) && !/\d/.test(before);
  let digits = written.replace(/^[-−–]/, "").replace(/['’\u00a0\u202f ](?=\d{3}(?!\d))/g, "");
  if (/\s/.test(digits)) digits = digits.split(/\s/)[0] ?? "";
  const points = count(digits, ".");
  const commas = count(digits, ",");
  let decimal = "";
  if (points > 0 && commas > 0) decimal = digits.lastIndexOf(".") > digits.lastIndexOf(",") ? "." : ",";
  else if (points + commas === 1) decimal = decimalMark(digits, points === 1 ? "." : ",", language);
  const plain = [...digits].map((sign) => (sign === decimal ? "." : /\d/.test(sign) ? sign : "")).join("");
  const value = Number(plain);
  return plain === "" || Number.isNaN(value) ? undefined : isNegative ? -value : value;
}

/** Of a single mark with three digits behind it, the language decides; otherwise it separates decimals. */
function decimalMark(digits: string, mark: "." | ",", language: string): string {
  const [whole = "", rest = ""] = digits.split(mark);
  if (rest.length !== 3 || whole.length > 3 || whole === "0") return mark;
  return mark === decimalMarkOf(language) ? mark : "";
}

/** Returns the mark between a number and its decimals; a comma for a language that is not known. */
function decimalMarkOf(language: string): string {
  if (POINT_LANGUAGES.test(language)) return ".";
  if (language.length > MAX_TAG_CHARS) return ",";
  const known = decimalMarks.get(language);
  if (known !== undefined) return known;
  const mark = markOfLocale(language.replaceAll("_", "-"));
  if (decimalMarks.size >= MAX_LANGUAGES) decimalMarks.clear();
  // A copy of its own: a part of a page's text would keep the whole text in memory.
  decimalMarks.set(Array.from(language).join(""), mark);
  return mark;
}

function markOfLocale(tag: string): string {
  try {
    // A tag that is not supported would be that of the machine.
    const [locale] = Intl.NumberFormat.supportedLocalesOf(tag);
    const format = locale === undefined ? undefined : new Intl.NumberFormat(locale, { numberingSystem: "latn" });
    return format?.formatToParts(1.5).find(({ type }) => type === "decimal")?.value ?? ",";
  } catch {
    return ",";
  }
}

function count(text: string, sign: string): number {
  return text.split(sign).length - 1;
}

/** A dollar sign, but not that of a currency with letters in front of it, as in `RD$`. */
const DOLLAR = /(?<!(?<!\p{L})\p{Lu}{1,3})\$/u;
/** A code that is an English word too: beside a number, in brackets, behind `in`, or alone. */
const wordCode = (code: string): string =>
  `\\b${code}(?=:?\\s?\\d)|(?<=\\d\\s?|\\bin\\s)${code}\\b|(?<=[([])${code}(?=[)\\]])|^\\s*(?:${code}\\s*)+$`;
const CURRENCIES: [RegExp, string][] = [
  [/US\$|\bUSD\b/, "USD"], [/C\$|CA\$|\bCAD\b/, "CAD"], [/A\$|AU\$|\bAUD\b/, "AUD"], [/NZ\$|\bNZD\b/, "NZD"],
  [/HK\$|\bHKD\b/, "HKD"], [/(?<!\p{L})S\$|SG\$|\bSGD\b/u, "SGD"], [/NT\$|\bTWD\b/, "TWD"], [/MXN?\$|\bMXN\b/, "MXN"],
  [/€|\bEUR(?:O|OS)?\b/i, "EUR"], [/£|\bGBP\b/, "GBP"], [/\bCHF\b|\bSFr\.?/, "CHF"], [/[¥￥円]|\bJPY\b/, "JPY"], [/₹|\bINR\b/, "INR"],
  [/₩|\bKRW\b/, "KRW"], [/zł|\bPLN\b/, "PLN"], [/Kč|\bCZK\b/, "CZK"], [/\bSEK\b/, "SEK"], [/\bNOK\b/, "NOK"],
  [/\bDKK\b/, "DKK"], [/(?<!\p{Lu})R\$|\bBRL\b/u, "BRL"], [/\bAR\$|(?<!\p{L})ARS(?!\p{L})/u, "ARS"],
  [new RegExp(`₺|${wordCode("TRY")}`), "TRY"], [new RegExp(`₽|${wordCode("RUB")}`), "RUB"], [/元|\bCNY\b|\bRMB\b/, "CNY"], [DOLLAR, "USD"],
]; // prettier-ignore
/** The code of the rouble anywhere: in a text that names no other currency, it is more often that than the English word. */
const ROUBLE = /(?<!\p{L})RUB(?!\p{L})/u;
/** Signs of the yuan, beside which a yen sign is one too. */
const YUAN = /元|人民币|\b(?:CNY|RMB)\b/;
/** Languages of pages on which a yen sign is that of the yuan. */
const MAINLAND = /^zh(?!-(?:tw|hk|mo|hant))/;

/**
 * Returns the ISO 4217 code of the currency that a text names, of several the first; a bare dollar sign is the American
 * one, and a yen sign is that of the yuan on a page in Chinese and beside other signs of it.
 */
export function readCurrency(text: string, language = ""): string | undefined {
  let first: { index: number; code: string } | undefined;
  for (const [sign, code] of CURRENCIES) {
    const index = sign.exec(text)?.index;
    if (index !== undefined && (first === undefined || index < first.index)) first = { index, code };
  }
  if (first === undefined) return ROUBLE.test(text) ? "RUB" : undefined;
  return first.code === "JPY" && isYuan(text, language) ? "CNY" : first.code;
}

function isYuan(text: string, language: string): boolean {
  return /[¥￥]/.test(text) && !/円|\bJPY\b/.test(text) && (YUAN.test(text) || MAINLAND.test(language));
}

const TRUE =
  /^(?:yes|true|1|ja|oui|si|sim|available|in ?stock|included|included in price|on|✓|✔|✅|☑|あり|有|auf lager|lieferbar|en stock|disponible|disponibile|op voorraad|instock|limitedavailability|onlineonly|instoreonly)\b/i;
const FALSE =
  /^(?:no|false|0|nein|nee|non|not available|unavailable|sold out|out of ?stock|none|off|✗|✘|❌|×|なし|無|ausverkauft|nicht (?:verfugbar|lieferbar|auf lager)|epuise|agotado|esaurito|niet op voorraad|outofstock|soldout|discontinued|not included)(?![\p{L}])/iu;

export function readBoolean(text: string): boolean | undefined {
  const folded = foldText(text.replace(/^https?:\/\/schema\.org\//i, "")).trim();
  if (FALSE.test(folded)) return false;
  return TRUE.test(folded) || /^(?:✓|✔|✅|☑|あり|有)/.test(text.trim()) ? true : undefined;
}

const ISO_DURATION = /^P(?:(\d+)D)?(?:T(?:(\d+(?:\.\d+)?)H)?(?:(\d+(?:\.\d+)?)M)?(?:(\d+(?:\.\d+)?)S)?)?$/i;

/** Returns the seconds of an ISO 8601 duration, or of words such as `1 h 20 min`. */
export function readDurationSeconds(text: string, locale: Locale): number | undefined {
  const iso = ISO_DURATION.exec(text.trim());
  if (iso !== null) {
    const [, days = 0, hours = 0, minutes = 0, seconds = 0] = iso;
    return Number(days) * 86_400 + Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds);
  }
  const folded = foldText(text);
  const parts = [...folded.matchAll(/(?<!\d)(\d+(?:[.,]\d+)?)\s*(d(?:ays?)?|tage?n?|jours?|dias?|giorni|h(?:ours?|rs?)?|stunden?|std|heures?|horas?|ore|ora|m(?:in(?:s|ute[ns]?|utos?|uti)?)?|分|時間|s(?:ec(?:onds?|s)?)?|sek(?:unden)?)(?![\p{L}])/gu)]; // prettier-ignore
  if (parts.length === 0) return undefined;
  return parts.reduce(
    (sum, [, amount = "0", unit = ""]) => sum + (readNumbers(amount, locale)[0] ?? 0) * unitSeconds(unit),
    0,
  );
}

function unitSeconds(unit: string): number {
  if (/^(?:d|tag|jour|dia|giorn)/.test(unit)) return 86_400;
  if (/^(?:h|stunde|std|heure|hora|or[ae]|時間)/.test(unit)) return 3_600;
  return /^(?:m|分)/.test(unit) ? 60 : 1;
}
