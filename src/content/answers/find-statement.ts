import type { Turns } from "../../core/in-turns.ts";
import { foldText, wordsOf } from "../../core/search/words.ts";
import type { WorkBudget } from "../../core/work-budget.ts";
import { readDate } from "../structured-data/dates.ts";
import { readCurrency, readNumbers } from "../structured-data/schema/values.ts";
import type { AnswerKind } from "./answer-kind.ts";
import type { AnswerValue } from "./answer-values.ts";
import { plainText } from "./markdown-facts.ts";
import type { AskedQuestion } from "./read-question.ts";
import { mentionsWord } from "./subject-words.ts";
import { findValues } from "./value-kinds.ts";

/** A page as values are looked up in it. */
export interface StatingPage {
  title: string;
  markdown: string;
}

/** The line of a page that states a value. */
export interface Statement {
  quote: string;
  /** UTF-16 offset of the quote in the markdown; undefined when the title states the value. */
  start: number | undefined;
}

/** Lines beyond are not searched. */
const MAX_LINES = 20_000;
/** Longer lines are searched in parts. */
const MAX_LINE_CHARS = 3_500;
/** Shorter numbers are on almost every page: they count beside a word of the question only. */
const TELLING_DIGITS = 4;
/** Characters of the heading, and of the line on each side of a part, in which that word is looked for. */
const HEADING_CHARS = 300;
const AROUND_CHARS = 500;
/** Characters of a page that are searched in one turn. */
const TURN_CHARS = 50_000;

/**
 * Finds the first line of a page that states a value, verbatim or in another notation: `14 April 2027` and
 * `2027-04-14`, `€1290` and `€1,290`. A name may have a title before it.
 * Takes a step of the budget for each character; without steps left, nothing is found.
 */
export function* findStatement(
  { kind, text }: AnswerValue,
  { question, page, budget }: { question: AskedQuestion; page: StatingPage; budget: WorkBudget },
): Turns<Statement | undefined> {
  const wanted = formsOf(text, kind);
  const hasDigits = /\d/.test(text);
  let start = 0;
  let searched = 0;
  let heading = page.title;
  for (const line of page.markdown.split("\n", MAX_LINES)) {
    const isHeading = line.startsWith("#");
    for (let at = 0; at < line.length; at += MAX_LINE_CHARS) {
      const part = line.slice(at, at + MAX_LINE_CHARS);
      if (hasDigits && !/\d/.test(part)) continue;
      searched += part.length;
      if (searched >= TURN_CHARS) {
        searched = 0;
        yield;
      }
      if (!budget.take(part.length)) return undefined;
      if (!states(plainText(part), { kind, text, wanted })) continue;
      if (!isTelling(kind, text)) {
        const around = line.slice(Math.max(0, at - AROUND_CHARS), at + MAX_LINE_CHARS + AROUND_CHARS);
        const context = `${heading.slice(0, HEADING_CHARS)} ${around}`;
        if (!budget.take(context.length)) return undefined;
        if (!isAbout(context, question)) continue;
      }
      const quote = part.trim();
      return { quote, start: start + at + part.indexOf(quote) };
    }
    if (isHeading) heading = line;
    start += line.length + 1;
  }
  return states(page.title, { kind, text, wanted }) ? { quote: page.title, start: undefined } : undefined;
}

function isTelling(kind: AnswerKind, text: string): boolean {
  return kind !== "number" || text.replaceAll(/\D/g, "").length >= TELLING_DIGITS;
}

/** Reports whether a text mentions the property of a question, or a word of its subject that is no name. */
function isAbout(text: string, { mentions, subject, names }: AskedQuestion): boolean {
  const words = [...mentions, ...subject.filter((word) => !names.includes(word))];
  const folded = foldText(text);
  return words.length === 0 || words.some((word) => mentionsWord(folded, word));
}

function states(
  line: string,
  { kind, text, wanted }: { kind: AnswerKind; text: string; wanted: ReadonlySet<string> },
): boolean {
  if (kind === "name") return namesOf(text).some((name) => holdsWords(line, name));
  if (kind !== "number" && kind !== "price" && holdsWords(line, wordsOf(text))) return true;
  return findValues(kind, line).some(
    (span) =>
      !isOfClock(line, span) && [...formsOf(span.text, kind, line)].some((form) => form !== "" && wanted.has(form)),
  );
}

/** `7:00` does not state the number 7. */
function isOfClock(line: string, { text, start, end }: { text: string; start: number; end: number }): boolean {
  return !text.includes(":") && (/\d:$/.test(line.slice(0, start)) || /^:\d/.test(line.slice(end)));
}

/** Returns the words of a name; and without its first, which may be a title, while two are left. */
function namesOf(text: string): string[][] {
  const words = wordsOf(text);
  return words.length > 2 ? [words, words.slice(1)] : [words];
}

function holdsWords(line: string, words: readonly string[]): boolean {
  return words.length > 0 && ` ${wordsOf(line).join(" ")} `.includes(` ${words.join(" ")} `);
}

/** Returns the forms by which two notations of a value are compared. `line`: where a currency may be named. */
function formsOf(text: string, kind: AnswerKind, line = text): Set<string> {
  const numbers = (): number[] => ["en", "de"].flatMap((language) => readNumbers(text, { language }).slice(0, 1));
  switch (kind) {
    case "price": {
      const currency = readCurrency(text) ?? readCurrency(line) ?? "";
      return new Set([foldText(text), ...numbers().map((number) => `${number} ${currency}`)]);
    }
    case "number":
      return new Set([foldText(text), ...numbers().map(String)]);
    case "date":
      return new Set([foldText(text), clockOf(text), readDate(text, { language: "en" })?.day ?? ""].filter(Boolean));
    case "phone":
      return new Set([text.replaceAll(/\D/g, "")]);
    default:
      return new Set([foldText(text)]);
  }
}

/** Returns the minutes of a time of the day: `2 pm` and `14:00` are `840 min`. */
function clockOf(text: string): string {
  const match = /^(\d{1,2})(?:[:.h]([0-5]\d))?\s?(a\.?m\.?|p\.?m\.?|Uhr|h)?$/i.exec(text.trim());
  const [, hours = "", minutes, unit = ""] = match ?? [];
  if (hours === "" || (minutes === undefined && unit === "")) return "";
  const isNoonBased = /^[ap]/i.test(unit);
  const hour = (Number(hours) % (isNoonBased ? 12 : 24)) + (/^p/i.test(unit) ? 12 : 0);
  return `${hour * 60 + Number(minutes ?? 0)} min`;
}
