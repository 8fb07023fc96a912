import { findAnswer } from "../../content/answers/find-answer.ts";
import { findDefinition, findPassages } from "../../content/answers/find-passages.ts";
import type { AnswerKind } from "../../content/answers/answer-kind.ts";
import { readQuestion, type AskedQuestion } from "../../content/answers/read-question.ts";
import { holdsKind } from "../../content/answers/value-kinds.ts";
import type { PageView } from "../../content/page-view.ts";
import type { Passage } from "../../content/text/passages.ts";
import { centralPassages } from "../../content/text/summarise.ts";
import type { PageText } from "./page-question.ts";

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

/** An answer found by rules; `text` says so when the page has none. */
export interface RuledAnswer {
  text: string;
  isFound: boolean;
}

/**
 * Answers a question from one page by rules: a question for the subject with the summary, a question for a value with
 * the value that the page states about it, any other with the passages that hold most of its words.
 */
export function answerByRules(page: PageView, text: PageText, asked: string): RuledAnswer {
  const question = readQuestion(asked);
  if (question.kind === "summary") return found(summaryOf(page, text));
  const definition = DEFINITION.test(asked) ? findDefinition(text.text, question.subject) : undefined;
  if (definition !== undefined) return found([definition.text]);
  const data = page.kind === "html" ? page.structured() : undefined;
  const answer = findAnswer(question, { title: text.title, markdown: text.text, url: text.url, data }, page.budget);
  if (answer?.kind === "yes-no")
    return found([answer.quote === "" ? answer.value : `${answer.value}: ${answer.quote}`]);
  if (answer !== undefined) return found([answer.source === "label" ? answer.value : answer.quote]);
  const value = VALUES[question.kind];
  if (value !== undefined) return notFound(`${value} that answers this question`);
  const passages = findPassages(text.text, queryOf(question), {
    ...LIMITS,
    budget: page.budget,
    minCoverage: ANSWERED,
  });
  return passages.length === 0 ? notFound("an answer to this question") : found(passages.map((one) => one.text));
}

const LIMITS = { count: QUOTES, maxChars: QUOTE_CHARS };

/** Returns the passages of a page that match a query, verbatim, best first; for a value, those that hold one. */
export function highlightByRules(page: PageView, text: PageText, query: string): Passage[] {
  const question = readQuestion(query);
  const { budget } = page;
  if (question.kind === "summary")
    return centralPassages(text.text, text.title, { count: QUOTES, maxChars: SUMMARY_CHARS, budget });
  const isQuestion = /\?\s*$/.test(query) && VALUES[question.kind] !== undefined;
  const words = isQuestion
    ? [...question.subject, ...question.mentions.filter((word) => word.length > 2)].join(" ")
    : query;
  const minCoverage = isQuestion ? 0 : HIGHLIGHTED;
  const passages = findPassages(text.text, words, { ...LIMITS, budget, minCoverage });
  return isQuestion ? passages.filter((passage) => holdsKind(question.kind, passage.text)) : passages;
}

function queryOf({ text, subject, properties }: AskedQuestion): string {
  const words = [...subject, ...(properties[0] ?? "").split(" ")].join(" ").trim();
  return words === "" ? text : words;
}

function summaryOf(page: PageView, { text, title }: PageText): string[] {
  const passages = centralPassages(text, title, {
    count: SUMMARY_QUOTES,
    maxChars: SUMMARY_CHARS,
    budget: page.budget,
  });
  if (passages.length > 0) return passages.map((passage) => passage.text);
  const { description } = page.metadata();
  return typeof description === "string" && description !== "" ? [description] : title === "" ? [] : [title];
}

function found(texts: readonly string[]): RuledAnswer {
  return texts.length === 0 ? notFound("an answer to this question") : { text: texts.join("\n\n"), isFound: true };
}

function notFound(what: string): RuledAnswer {
  return { text: `Not found: the page does not state ${what}.`, isFound: false };
}
