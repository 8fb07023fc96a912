import type { Passage } from "../../content/text/passages.ts";
import type { LanguageModel } from "../../ports/language-model.ts";
import type { FormatContext } from "../format.ts";
import { textThatFits, pageRequest, type PageText } from "./page-question.ts";

const SAY_WHEN_MISSING = "If the page does not contain the answer, say so.";
const QUOTES = 3;
const QUOTE_CHARS = 500;
/** Number of passages that a model can choose from. */
const CHOICES = 24;

interface Asked extends Pick<FormatContext, "deadlineMs" | "task"> {
  question: string;
}

/** Answers a question with a model, from the page alone. */
export async function answerQuestion(
  llm: LanguageModel,
  page: PageText,
  { question, deadlineMs, task: run }: Asked,
): Promise<string> {
  const task = `Answer this question from the page below, briefly and in the language of the question. ${SAY_WHEN_MISSING}\nQuestion: ${question}`;
  const { text } = await llm.generateText(
    pageRequest(page, await textThatFits(llm, page, { question, task: run }), { task, deadlineMs }),
  );
  return text.trim();
}

const CHOICE_SCHEMA = {
  type: "object",
  properties: {
    passages: { type: "array", items: { type: "integer" }, description: "Numbers of the passages, best first" },
  },
  required: ["passages"],
};

/** Lets a model select passages of a page by their numbers: the result is always the page's own text. */
export async function chooseQuotes(
  llm: LanguageModel,
  page: PageText,
  { question, deadlineMs, task: run }: Asked,
): Promise<Passage[]> {
  const wanted = { text: page.text, query: question, count: CHOICES, maxChars: QUOTE_CHARS };
  const passages = await run("distinctPassages", wanted, page.budget);
  if (passages.length === 0) return [];
  const listed = passages.map(({ text }, index) => `[${index + 1}] ${text}`).join("\n\n");
  const task = `Which of the numbered passages answer this best? Name at most ${QUOTES} numbers, best first, and none when none does.\nQuestion: ${question}`;
  const { value } = await llm.generateObject({
    ...pageRequest(page, listed, { task, deadlineMs }),
    size: "small",
    schema: CHOICE_SCHEMA,
  });
  const numbers = (value as { passages: number[] }).passages;
  return [...new Set(numbers)].slice(0, QUOTES).flatMap((number) => passages[number - 1] ?? []);
}

export function joinQuotes(passages: readonly Passage[]): string {
  return passages.map(({ text }) => text).join("\n\n");
}
