import type { AnswerKind } from "./answer-kind.ts";
import { foldText } from "../../core/search/words.ts";

/** A value in a text: `text` is exactly the characters between `start` and `end`. */
export interface ValueSpan {
  text: string;
  start: number;
  end: number;
}

const SIGN =
  "US\\$|CA?\\$|AU?\\$|NZ\\$|R\\$|HK\\$|S\\$|[€$£¥￥₹₩₺₽₴₦₱]|CHF|SFr\\.?|EUR|USD|GBP|JPY|CAD|AUD|NZD|INR|PLN|CZK|SEK|NOK|DKK|BRL|TRY|CNY|RMB|zł|Kč|kr\\.?|Ft|lei|Rs\\.?";
const UNIT =
  "euros?|dollars?|pounds?(?: sterling)?|pence|cents?|francs?|franken|yen|rupees?|pesos?|kronor|kroner|円|元";
const AMOUNT = "\\d[\\d.,'’\\u00a0\\u202f]{0,40}(?:[^\\S\\u00a0\\u202f]\\d{3}(?!\\d)){0,8}(?:,[-–—]|\\.[-–—])?";
const SMALL_NUMBER =
  "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|a hundred|hundred|a thousand|a dozen|zwei|drei|vier|funf|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|zwanzig|deux|trois|quatre|cinq|sept|huit|neuf|dix|douze|vingt|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|doce|veinte";
const NUMBER_WORDS = `(?:${SMALL_NUMBER})(?:[- ](?:${SMALL_NUMBER}|hundred|thousand|million)){0,8}`;
const MAGNITUDE =
  "(?:\\s?(?:million|billion|trillion|Millionen|Milliarden|Mio\\.?|Mrd\\.?|millones|millions?|milliards?|milioni|miliardi|bn|[km](?![\\p{L}])))?";
const PRICE = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${SIGN})\\s?${AMOUNT}${MAGNITUDE}|(?<![\\p{L}\\p{N}.,])${AMOUNT}${MAGNITUDE}\\s?(?:(?:${SIGN})(?![\\p{L}])|(?:${UNIT})(?![\\p{L}]))|(?<![\\p{L}])${NUMBER_WORDS} (?:${UNIT})(?![\\p{L}])`,
  "giu",
);
const FREE =
  /(?<=(?:\bis|\bare|:|\bist|\bsind|\best|\bsont|\bes|\bson|entry|admission|eintritt)\s)(?:completely |always )?(?:free(?: of charge)?|kostenlos|kostenfrei|gratis|gratuite?s?|gratuit[oa]s?)(?![\p{L}-]|\s(?:shipping|delivery|returns|trial|to\b|from\b|of (?!charge)))/giu;

const MONTH =
  "(?:jan(?:uary|uar|vier|uari)?|feb(?:ruary|ruar|ruari)?|f[ée]vr(?:ier)?|febrero|febbraio|enero|gennaio|mar(?:ch|s|zo|ço|t)?|märz|maart|apr(?:il|ile)?|abr(?:il)?|avr(?:il)?|may|mai|mayo|maggio|mei|june?|juni|juin|junio|giugno|july?|juli|juil(?:let)?|julio|luglio|aug(?:ust|ustus)?|ao[uû]t|agosto|sept?(?:ember|embre|iembre|tembre)?|settembre|oct(?:ober|obre|ubre)?|okt(?:ober)?|ottobre|nov(?:ember|embre|iembre)?|dec(?:ember)?|d[ée]c(?:embre)?|dez(?:ember)?|diciembre|dicembre)";
const DAY = "(?:0?[1-9]|[12]\\d|3[01])(?:st|nd|rd|th|er|º|°)?";
const YEAR = "(?:1[0-9]\\d{2}|20\\d{2})";
const CLOCK =
  "(?:[01]?\\d|2[0-3])(?:[:.h][0-5]\\d)?\\s?(?:a\\.?m\\.?|p\\.?m\\.?|Uhr|h\\b)|(?:[01]?\\d|2[0-3]):[0-5]\\d";
const WEEKDAY =
  "(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|miércoles|jueves|viernes|sábado|domingo|lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica";
const DATE = new RegExp(
  [
    `\\d{4}-\\d{2}-\\d{2}`,
    `\\d{4}\\s*年(?:\\s*\\d{1,2}\\s*月)?(?:\\s*\\d{1,2}\\s*日)?`,
    `${DAY}\\.?\\s+(?:de\\s+|of\\s+)?${MONTH}\\.?,?(?:\\s+(?:de\\s+|del\\s+)?${YEAR})?`,
    `${MONTH}\\.?\\s+${DAY}(?:\\s*[-–]\\s*${DAY})?(?:,?\\s+${YEAR})?`,
    `${MONTH}\\.?,?\\s+(?:de\\s+|of\\s+)?${YEAR}`,
    `\\d{1,2}[./-]\\d{1,2}[./-](?:\\d{4}|\\d{2})`,
    `\\d{4}/\\d{1,2}/\\d{1,2}`,
    YEAR,
    CLOCK,
    WEEKDAY,
    "(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve) (?:o['’]clock|in the (?:morning|afternoon|evening))",
    "at (?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)(?= (?:and|or|in the|every|each|on|sharp)\\b|[.,;!?]|$)",
    "(?:noon|midnight|mitternacht|midi|minuit)",
  ]
    .map((part) => `(?<![\\p{L}\\p{N}$€£/.,])(?:${part})(?![\\p{L}\\p{N}]|,\\d{3})`)
    .join("|"),
  "giu",
);
const NUMBER = new RegExp(
  `(?<![\\p{L}\\p{N}.,])\\d[\\d.,'’]*(?:[\\u00a0\\u202f ]\\d{3}(?!\\d))*${MAGNITUDE}\\s?%?|(?<![\\p{L}])${NUMBER_WORDS}(?![\\p{L}])`,
  "giu",
);
const NAME =
  /\p{Lu}[\p{L}\p{M}'’.-]*(?:\s(?:(?:de|da|dos|van|von|der|den|la|le|di|del|du|al|bin|of|the|&|and the|und|zu)\s)?(?:de\s)?\p{Lu}[\p{L}\p{M}'’.&-]*)*/gu;
const EMAIL = /(?<![\w.+-])[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+/g;
const PHONE = /(?<![\w/.])(?:\+\d|\(\d|\d)[\d\s()./–-]{5,20}\d(?![\w/])/g;

/** Longer texts are not searched for values. */
const MAX_CHARS = 4_000;

/**
 * Returns the values of a kind in a text, in order. A kind whose values have no form of their own (`passage`, `place`,
 * `summary`, `yes-no`) returns the whole text, if it has letters.
 */
export function findValues(kind: AnswerKind, source: string): ValueSpan[] {
  const text = source.slice(0, MAX_CHARS);
  switch (kind) {
    case "price":
      return spans(text, PRICE).concat(spans(text, FREE));
    case "date":
      return spans(text, DATE);
    case "number":
      return spans(text, NUMBER);
    case "name":
      return spans(text, NAME).filter((span) => span.text.length >= 2 && !isSentenceStart(text, span));
    case "email":
      return spans(text, EMAIL);
    case "phone":
      return spans(text, PHONE).filter((span) => (span.text.match(/\d/g) ?? []).length >= 7);
    default:
      return /[\p{L}\p{N}]/u.test(text) ? [{ text, start: 0, end: text.length }] : [];
  }
}

/** Reports whether a text holds a value of a kind. */
export function holdsKind(kind: AnswerKind, text: string): boolean {
  return findValues(kind, text).length > 0;
}

function spans(text: string, pattern: RegExp): ValueSpan[] {
  return [...text.matchAll(pattern)].map((match) => {
    const value = match[0].replace(/(?<![\s.,;:])[\s.,;:]+$/, "");
    return { text: value, start: match.index, end: match.index + value.length };
  });
}

/** Reports whether a capitalised word is capitalised because it begins a sentence: a single common word. */
function isSentenceStart(text: string, { text: value, start }: ValueSpan): boolean {
  if (/\s/.test(value)) return false;
  const before = text.slice(0, start).trimEnd();
  return (before === "" || /[.!?:>*#|-]$/.test(before)) && COMMON.has(foldText(value));
}

const COMMON = new Set(
  "the a an this that these those it its he she they we you i in on at by for from to with and but or if when while after before since as there here who what where why how all some many most each every no not our their his her my your is are was were has have had do does did can will may der die das ein eine es er sie wir ihr und aber oder wenn im am in le la les un une il elle nous vous et mais dans el los las un una en y pero por".split(
    " ",
  ),
);
