import { findAnswer } from "./find-answer.ts";
import { findDefinition, findPassages } from "./find-passages.ts";
import type { AnswerKind } from "./answer-kind.ts";
import { readQuestion, type AskedQuestion } from "./read-question.ts";
import { holdsKind } from "./value-kinds.ts";
import { foldText } from "../../core/search/words.ts";
import type { WorkBudget } from "../../core/work-budget.ts";
import type { StructuredData } from "../structured-data/facts.ts";
import type { Passage } from "../text/passages.ts";
import { centralPassages } from "../text/summarise.ts";

const QUOTES = 3;
const QUOTE_CHARS = 500;
const SUMMARY_QUOTES = 3;
const SUMMARY_CHARS = 320;
/** Share of a question's words that passages must hold to be an answer, and to be highlights. */
const ANSWERED = 0.6;
const HIGHLIGHTED = 0.3;

/** Names of the kinds for the caller. A question of such a kind has a value of it as its answer, or none. */
const VALUES: Partial<Record<AnswerKind, string>> = {
  price: "a price",
  date: "a date",
  name: "a name",
  number: "a number",
  email: "an email address",
  phone: "a telephone number",
};

const DEFINITION =
  /^\s*(?:what|who|was|wer|qu['’]est-ce que?|qui|qu[eé]|qui[eé]n|che cosa|cos['’]|chi)\s*(?:is|are|ist|sind|est|es|son|è|sono)?\s/i;

/** A page that a question is answered from. */
export interface AskedPage {
  url: string;
  title: string;
  /** Markdown. */
  text: string;
  /** Empty when the page has none. */
  description: string;
  /** Structured data of the page; when undefined, labelled lines and tables of the markdown are read instead. */
  data: StructuredData | undefined;
}

/** An answer found by rules; `text` says so when the page has none. */
export interface RuledAnswer {
  text: string;
  isFound: boolean;
}

/**
 * Answers a question from one page by rules: a question for the subject with the summary, a question for a value with
 * the value that the page states about it, any other with the passages that hold most of its words.
 */
export function answerByRules(page: AskedPage, asked: string, budget: WorkBudget): RuledAnswer {
  const { title, text, url, data } = page;
  const question = readQuestion(asked);
  if (question.kind === "summary") return found(summaryOf(page, budget));
  const definition = DEFINITION.test(asked) ? findDefinition(text, question.subject) : undefined;
  if (definition !== undefined) return found([definition.text]);
  const answer = findAnswer(question, { title, markdown: text, url, data }, budget);
  if (answer?.kind === "yes-no")
    return found([answer.quote === "" ? answer.value : `${answer.value}: ${answer.quote}`]);
  if (answer !== undefined) return found([answer.source === "label" ? answer.value : answer.quote]);
  const value = VALUES[question.kind];
  if (value !== undefined) return notFound(`${value} that answers this question`);
  const passages = findPassages(text, queryOf(question), { ...LIMITS, budget, minCoverage: ANSWERED });
  return passages.length === 0 ? notFound("an answer to this question") : found(passages.map((one) => one.text));
}

const LIMITS = { count: QUOTES, maxChars: QUOTE_CHARS };

/** Returns the passages of a page that match a query, verbatim, best first; for a value, those that hold one. */
export function highlightByRules(
  { title, text }: Pick<AskedPage, "title" | "text">,
  query: string,
  budget: WorkBudget,
): Passage[] {
  const question = readQuestion(query);
  if (question.kind === "summary")
    return centralPassages(text, title, { count: QUOTES, maxChars: SUMMARY_CHARS, budget });
  const isQuestion = /\?\s*$/.test(query) && VALUES[question.kind] !== undefined;
  const words = isQuestion
    ? [...question.subject, ...question.mentions.filter((word) => word.length > 2)].join(" ")
    : query;
  const minCoverage = isQuestion ? 0 : HIGHLIGHTED;
  const passages = findPassages(text, words, { ...LIMITS, budget, minCoverage });
  return isQuestion ? passages.filter((passage) => holdsKind(question.kind, passage.text)) : passages;
}

function queryOf({ text, subject, properties }: AskedQuestion): string {
  const words = [...subject, ...(properties[0] ?? "").split(" ")].join(" ").trim();
  return words === "" ? text : words;
}

function summaryOf({ text, title, description }: AskedPage, budget: WorkBudget): string[] {
  const passages = centralPassages(text, title, { count: SUMMARY_QUOTES, maxChars: SUMMARY_CHARS, budget });
  const texts = passages.map((passage) => passage.text);
  if (texts.length > 0) return saysWhatItIs(description, texts) ? [description, ...texts] : texts;
  return description === "" ? (title === "" ? [] : [title]) : [description];
}

/** Shorter descriptions are names; one that is cut, or that the passages repeat, adds nothing to them. */
const MIN_DESCRIPTION_CHARS = 50;

/** Reports whether the description of the head is a text of its own, which then comes before the passages. */
function saysWhatItIs(description: string, passages: readonly string[]): boolean {
  const text = foldText(description)
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
  const repeats = passages.some((passage) =>
    foldText(passage)
      .replace(/[^\p{L}\p{N}]+/gu, " ")
      .includes(text.slice(0, MIN_DESCRIPTION_CHARS)),
  );
  return text.length >= MIN_DESCRIPTION_CHARS && isWhole(description.trim()) && !repeats;
}

/** Reports whether a description ends with a sentence, and holds no entities that were escaped twice. */
function isWhole(description: string): boolean {
  return /(?<!\.\.)[.!?。！？]["”»’)]?$/.test(description) && !/&[a-z]{2,8};/i.test(description);
}

function found(texts: readonly string[]): RuledAnswer {
  return texts.length === 0 ? notFound("an answer to this question") : { text: texts.join("\n\n"), isFound: true };
}

function notFound(what: string): RuledAnswer {
  return { text: `Not found: the page does not state ${what}.`, isFound: false };
}
