import type { FoundAnswer, SearchedPage } from "./found-answer.ts";
import { foldText } from "../../core/search/words.ts";
import { splitSentences } from "../text/passages.ts";
import { plainText } from "./markdown-facts.ts";
import type { AskedQuestion } from "./read-question.ts";
import { mentionsWord, missingWords } from "./subject-words.ts";
import { findValues, type ValueSpan } from "./value-kinds.ts";

/** A sentence, with the texts that it is read under. */
interface StatedSentence {
  text: string;
  folded: string;
  /** Folded: the headings above, and what stands before it in the same paragraph: one sentence, or all for `of them`. */
  context: string;
  isHeading: boolean;
  /** 0 at the start of the page, 1 at its end. */
  place: number;
}

interface Candidate {
  sentence: StatedSentence;
  value: ValueSpan;
  score: number;
}

const PAST =
  /\b(?:was|were|used to|formerly|until (?:19|20)\d\d|before (?:the|19|20)|in (?:19|20)\d\d|last (?:season|year)|kostete|war|etait|era|costava|costaba)\b/u;
/** Amounts of something that an earlier sentence of the paragraph has named. */
const PART_OF_NAMED =
  /\b(?:of (?:them|these|those)|davon|d['’]entre (?:eux|elles)|de ell[oa]s|di (?:essi|esse|loro))\b/u;
const MAX_SENTENCES = 20_000;
const MAX_PARAGRAPH_CHARS = 2_000;
const MAX_SENTENCE_CHARS = 700;
/** The rest of a longer heading is not read with the sentences below it. */
const MAX_HEADING_CHARS = 300;
const NEGATION =
  /\b(?:not|no|never|none|neither|nor|without|cannot|nicht|kein(?:e[nmrs]?)?|nie|ohne|ne|pas|aucune?|jamais|sans|no|nunca|ningun[ao]?|sin|non|mai|nessun[ao]?|senza)\b|n['’]t\b/u;
const HEDGE =
  /\b(?:if|unless|except|only|may|might|could|some|sometimes|over|above|optional(?:ly)?|planned|until|wenn|falls|nur|ausser|manche|si|sauf|seulement|excepto|salvo|solo|se|tranne|but|aber|mais|pero|ma)\b|\?/u;

/** Finds the value of a question in the sentences of a page. Each must mention what is asked about, and hold a value. */
export function answerFromText(question: AskedQuestion, page: SearchedPage): FoundAnswer | undefined {
  const { kind, mentions, subject } = question;
  if (kind === "passage" || kind === "summary" || (mentions.length === 0 && subject.length === 0)) return undefined;
  const head = foldText(`${page.title} ${page.url.replaceAll(/[-_/.]/g, " ")}`);
  const candidates: Candidate[] = [];
  for (const sentence of sentencesOf(page)) {
    if (!page.budget.take(1 + subject.length)) break;
    const score = scoreOf(sentence, question, head);
    if (score === 0) continue;
    for (const value of valuesIn(sentence, question, head)) candidates.push({ sentence, value, score });
  }
  if (kind === "yes-no") return verdictOf(candidates);
  const [best, ...others] = candidates.toSorted(byScore);
  if (best === undefined) return undefined;
  const isDoubtful = others.some(
    (other) =>
      other.score >= best.score &&
      other.sentence !== best.sentence &&
      foldText(other.value.text) !== foldText(best.value.text),
  );
  if (isDoubtful) return undefined;
  return { kind, value: best.value.text, quote: best.sentence.text, source: "text" };
}

function byScore(left: Candidate, right: Candidate): number {
  return right.score - left.score || left.sentence.place - right.sentence.place || left.value.start - right.value.start;
}

function* sentencesOf({ markdown }: SearchedPage): Generator<StatedSentence> {
  /** Folded, as the texts before are. */
  const headings: string[] = [];
  let above = "";
  let before = { block: -1, text: "", paragraph: "" };
  let count = 0;
  for (const { start, end, block, isHeading } of splitSentences(markdown)) {
    if (++count > MAX_SENTENCES) return;
    const source = markdown.slice(start, end);
    if (source.length > MAX_SENTENCE_CHARS * 3) continue;
    const level = /^\s*(#{1,6})\s/.exec(source)?.[1]?.length;
    const text = plainText(source.replace(/^\s*(?:#{1,6}\s|>\s?|[-*+]\s|\d+[.)]\s)+/, ""));
    if (level !== undefined) {
      headings.splice(level - 1, headings.length, foldText(text.slice(0, MAX_HEADING_CHARS)));
      above = headings.join(" ");
    }
    if (text === "" || text.length > MAX_SENTENCE_CHARS || source.startsWith("|")) continue;
    if (before.block !== block) before = { block, text: "", paragraph: "" };
    const folded = foldText(text);
    const context = `${above} ${PART_OF_NAMED.test(folded) ? before.paragraph : before.text}`;
    yield { text, folded, context, isHeading, place: start / markdown.length };
    before = { block, text: folded, paragraph: `${before.paragraph} ${folded}`.slice(-MAX_PARAGRAPH_CHARS) };
  }
}

/** Returns how well a sentence fits a question; 0 when it does not answer it. */
function scoreOf(
  sentence: StatedSentence,
  { text, kind, mentions, subject, names }: AskedQuestion,
  head: string,
): number {
  const isPast = /\b(?:was|were|did)\b|\b(?:19|20)\d\d\b/i.test(text);
  const { folded, context, isHeading } = sentence;
  if (isHeading || /\?\s*$/.test(folded)) return 0;
  const isMentioned = mentions.some((word) => mentionsStart(folded, word));
  const missing = missingWords(folded, subject);
  const covered = subject.length - missing.length;
  // The property is in the sentence, or the sentence names the whole subject and holds an amount.
  if (mentions.length > 0 && !isMentioned && !(kind === "price" && subject.length > 0 && missing.length === 0))
    return 0;
  if (mentions.length === 0 && covered === 0) return 0;
  // A price of the past is not the price.
  if (kind === "price" && PAST.test(folded) && !isPast) return 0;
  const unknown = missing.filter((word) => !mentionsWord(context, word) && !mentionsWord(head, word));
  if (unknown.some((word) => names.includes(word))) return 0;
  const allowed = kind === "yes-no" || subject.length <= 2 ? 0 : Math.floor(subject.length / 4);
  if (unknown.length > allowed) return 0;
  if (kind === "yes-no" && missing.filter((word) => !names.includes(word)).length > 0) return 0;
  return 1 + covered / Math.max(1, subject.length) + (isMentioned ? 1 : 0) - unknown.length * 0.5;
}

function mentionsStart(folded: string, beginning: string): boolean {
  if (/^[^a-z]/.test(beginning)) return folded.includes(beginning);
  for (let at = folded.indexOf(beginning); at >= 0; at = folded.indexOf(beginning, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(folded[at - 1] ?? "")) return true;
  }
  return false;
}

/** Returns the values of a sentence that are not words of the question itself. */
function valuesIn(
  { text, context }: StatedSentence,
  { kind, subject, names, mentions }: AskedQuestion,
  head: string,
): ValueSpan[] {
  const known = [...subject, ...names];
  const above = `${head} ${context}`;
  return findValues(kind, text).filter(({ text: value }) => {
    if (kind !== "name" && kind !== "number" && kind !== "date") return true;
    const words = foldText(value).match(/[\p{L}\p{N}]+/gu) ?? [];
    // A name that only repeats the title is the thing that the page is about.
    if (kind === "name" && mentions.length > 0 && above.includes(foldText(value))) return false;
    return words.length > 0 && !words.every((word) => known.includes(word));
  });
}

/** Returns Yes or No when every sentence about it says the same without a condition. */
function verdictOf(candidates: readonly Candidate[]): FoundAnswer | undefined {
  const verdicts = candidates.map(({ sentence }) => ({
    sentence,
    verdict: HEDGE.test(sentence.folded) ? undefined : NEGATION.test(sentence.folded) ? "No" : "Yes",
  }));
  const [first] = verdicts;
  if (first?.verdict === undefined || verdicts.some(({ verdict }) => verdict !== first.verdict)) return undefined;
  return { kind: "yes-no", value: first.verdict, quote: first.sentence.text, source: "text" };
}
