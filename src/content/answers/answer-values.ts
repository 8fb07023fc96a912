import { wordsOf } from "../../core/search/words.ts";
import type { AnswerKind } from "./answer-kind.ts";
import type { AskedQuestion } from "./read-question.ts";
import { findValues, type ValueSpan } from "./value-kinds.ts";

/** A value that the free text of an answer states. */
export interface AnswerValue {
  kind: AnswerKind;
  text: string;
}

/** Kinds whose values have a form of their own: they are found in answers to any question. */
const ALWAYS: readonly AnswerKind[] = ["email", "price", "date"];
const ADDRESS = /\bhttps?:\/\/[^\s<>"')\]]+/gi;
const CITATION = /\[\d{1,3}\]|^[ \t]*\d{1,3}[.)]\s/gm;
const VERDICT = /^\W*(yes|no|ja|nein|oui|non|s[ií])(?![\p{L}\p{N}])/iu;
/** Words that begin a sentence about the search, not a name. */
const OPENING =
  /^(?:according|additionally|also|answer|based|finally|found|here|however|nobody|none|nothing|note|one|page|please|see|several|since|so|sorry|source|sources|there|therefore|thus|unable|unfortunately|unknown|yes)$/i;
/** Longer texts are split, because values are looked up in the first characters of a text only. */
const PART_CHARS = 3_500;
/** Further values of an answer are not looked at. */
const MAX_VALUES = 1_000;

/**
 * Returns the values that an answer states, each once: those of the asked kind, and prices, dates and e-mail addresses.
 * Numbers and names that the question itself holds are not values of the answer.
 */
export function answerValues({ kind, text: question }: AskedQuestion, answer: string): AnswerValue[] {
  const plain = answer.replace(ADDRESS, " ").replace(CITATION, " ");
  const found = partsOf(plain).flatMap((part) => valuesIn(kindsOf(kind, part), part));
  const verdict = kind === "yes-no" ? VERDICT.exec(plain)?.[1] : undefined;
  const all = verdict === undefined ? found : [{ kind, text: verdict }, ...found];
  const asked = new Set(wordsOf(question));
  const distinct = new Map<string, AnswerValue>();
  for (const value of all) {
    if (distinct.size >= MAX_VALUES) break;
    if (distinct.has(value.text) || (value.kind !== "yes-no" && isAsked(value, asked))) continue;
    distinct.set(value.text, value);
  }
  return [...distinct.values()];
}

function partsOf(text: string): string[] {
  return text.split("\n").flatMap((line) => line.match(new RegExp(`[^]{1,${PART_CHARS}}(?=\\s|$)|[^]+`, "g")) ?? []);
}

/** An amount without currency and a year without a date are values too when nothing better is stated. */
function kindsOf(kind: AnswerKind, text: string): AnswerKind[] {
  const own: Partial<Record<AnswerKind, AnswerKind[]>> = {
    name: ["name"],
    place: ["name", "number"],
    number: ["number"],
    phone: ["phone"],
    passage: ["number"],
    summary: ["number"],
    price: findValues("price", text).length > 0 ? [] : ["number"],
    date: findValues("date", text).length > 0 ? [] : ["number"],
  };
  const wanted = own[kind] ?? [];
  return kind === "phone" ? [...wanted, ...ALWAYS] : [...ALWAYS, ...wanted];
}

/** Returns the values of all kinds; of two that overlap, the one of the earlier kind. */
function valuesIn(kinds: readonly AnswerKind[], text: string): AnswerValue[] {
  const taken: ValueSpan[] = [];
  return kinds.flatMap((kind) =>
    findValues(kind, text).flatMap((span) => {
      const isTaken = taken.some(({ start, end }) => span.start < end && start < span.end);
      if (isTaken || isPhrase(kind, span, text)) return [];
      taken.push(span);
      return [{ kind, text: span.text }];
    }),
  );
}

/** Reports whether a span is the capitalised first word of a sentence, as in `Based on`, or the number in `one of`. */
function isPhrase(kind: AnswerKind, { text, start, end }: ValueSpan, source: string): boolean {
  if (kind === "number") return /^one$/i.test(text) && /^\s+of\b/.test(source.slice(end));
  if (kind !== "name" || /\s/.test(text)) return false;
  const before = source.slice(0, start).trimEnd();
  return (before === "" || /[.!?:]$/.test(before)) && (OPENING.test(text) || text.endsWith("ly"));
}

function isAsked({ text }: AnswerValue, asked: ReadonlySet<string>): boolean {
  return wordsOf(text).every((word) => asked.has(word));
}
