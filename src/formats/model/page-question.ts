import type { RunTextTask } from "../../content/text-tasks/text-tasks.ts";
import { maxCharsOf, splitText } from "../../content/text/split-text.ts";
import type { WorkBudget } from "../../core/work-budget.ts";
import { estimateTokens } from "../../core/text/tokens.ts";
import { UNTRUSTED_RULE, wrapUntrusted } from "../../core/text/untrusted-text.ts";
import type { LanguageModel, ModelRequest } from "../../ports/language-model.ts";

/** The text of a page for models and passages. */
export interface PageText {
  url: string;
  title: string;
  text: string;
  /** Budget of the page's conversion, which records the parts that were left out. */
  budget?: WorkBudget | undefined;
}

/** Share of a model's context for a page's text; the rest is for the question, the instructions and the answer. */
const TEXT_SHARE = 0.5;
const PASSAGE_CHARS = 1_200;
const MAX_PARTS = 12;

/** Returns the tokens that a page's text may have in one request. */
export function textTokens({ contextTokens }: LanguageModel): number {
  return Math.floor(contextTokens * TEXT_SHARE);
}

/** Splits a page into at most `MAX_PARTS` parts, each of which fits one request. The text after them is cut. */
export function partsFor(llm: LanguageModel, { text }: PageText): { parts: string[]; isCut: boolean } {
  const parts = splitText(text, textTokens(llm), MAX_PARTS + 1).map((part) => part.text);
  return { parts: parts.slice(0, MAX_PARTS), isCut: parts.length > MAX_PARTS };
}

/** Returns the length of a text that has more parts than `partsFor` returns, whatever it says. */
export function charsBeyondParts(llm: LanguageModel): number {
  return (MAX_PARTS + 1) * maxCharsOf(textTokens(llm));
}

/** Returns the text of a page that fits one request: all of it, or its best passages for the question, in page order. */
export async function textThatFits(
  llm: LanguageModel,
  { text, budget: cuts }: PageText,
  { question, task }: { question: string; task: RunTextTask },
): Promise<string> {
  const budget = textTokens(llm);
  if (estimateTokens(text) <= budget) return text;
  const count = Math.max(1, Math.floor((budget * 2.5) / PASSAGE_CHARS));
  const passages = await task("passages", { text, query: question, count, maxChars: PASSAGE_CHARS }, cuts);
  if (passages.length === 0) return splitText(text, budget, 1)[0]?.text ?? "";
  return passages
    .toSorted((left, right) => left.start - right.start)
    .map((passage) => passage.text)
    .join("\n\n[…]\n\n");
}

/** Creates a request about a page: the task first, then the page as data. */
export function pageRequest(
  { url, title }: Pick<PageText, "url" | "title">,
  text: string,
  requested: { task: string; system?: string | undefined; deadlineMs: number },
): Pick<ModelRequest, "system" | "messages" | "deadlineMs"> {
  const about = title === "" ? "" : `Title of the page: ${wrapUntrusted(title, { kind: "title" })}\n\n`;
  return {
    system: [
      `You read web pages for a program. Keep to what the page says; never make anything up. ${UNTRUSTED_RULE}`,
      requested.system,
    ]
      .filter((part) => part !== undefined && part !== "")
      .join("\n\n"),
    messages: [{ role: "user", text: `${requested.task}\n\n${about}${wrapUntrusted(text, { kind: "page", url })}` }],
    deadlineMs: requested.deadlineMs,
  };
}
