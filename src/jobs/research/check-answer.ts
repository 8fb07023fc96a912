import { answerValues, type AnswerValue } from "../../content/answers/answer-values.ts";
import { findStatement } from "../../content/answers/find-statement.ts";
import { readQuestion, type AskedQuestion } from "../../content/answers/read-question.ts";
import type { Evidence } from "../../core/scrape/evidence.ts";
import { inTurns, nextTurn } from "../../core/in-turns.ts";
import { foldText } from "../../core/search/words.ts";
import { sha256Hex } from "../../core/text/hash.ts";
import { WorkBudget } from "../../core/work-budget.ts";
import { answerFromPages } from "./answer-from-pages.ts";
import type { ReadPage } from "./read-page.ts";

/** The text of a model, with the question that it answers. */
export interface CheckedText {
  prompt: string;
  text: string;
  /** Field of the response that holds the text, such as `result`. */
  field: string;
}

export interface AnswerCheck {
  /** One entry for each value of the text, in its order. */
  evidence: Evidence[];
  /** Names the values that are on no page; undefined when there are none. */
  warning: string | undefined;
}

/** Values of an answer that are looked up; the others are reported as not checked. */
const MAX_VALUES = 60;
const MAX_NAMED = 8;
/** Characters of pages that are searched for the values of one text; a value that is not reached is unverified. */
const MAX_CHARS = 5_000_000;
const MAX_QUOTE_CHARS = 420;

/**
 * Looks up the values of a model's free text in the pages that were read. A value that no page states is `unverified`
 * and named in the warning. Yes or no is verified when rules read the same answer from the pages. A text that was
 * written although no page was read is unverified as a whole.
 */
export async function checkAnswer(
  { prompt, text, field }: CheckedText,
  pages: readonly ReadPage[],
): Promise<AnswerCheck> {
  const question = readQuestion(prompt);
  const values = answerValues(question, text);
  const budget = new WorkBudget({ steps: MAX_CHARS });
  const evidence: Evidence[] = [];
  const missing: string[] = [];
  for (const value of values.slice(0, MAX_VALUES)) {
    const found =
      value.kind === "yes-no"
        ? await verdictOn(value, prompt, pages)
        : await located(value, { question, pages, budget });
    if (found === undefined) missing.push(value.text);
    const url = pages[0]?.url ?? "";
    evidence.push({ field, value: value.text, from: "model", ...(found ?? { url, unverified: true }) });
  }
  if (evidence.length === 0 && pages.length === 0) evidence.push({ field, url: "", from: "model", unverified: true });
  const warnings = [
    ...(pages.length === 0 ? ["The language model answered without reading a page; its answer is unverified."] : []),
    ...(missing.length === 0 ? [] : [missingWarning(missing)]),
    ...(values.length > MAX_VALUES ? [`Only the first ${MAX_VALUES} values of the answer were verified.`] : []),
  ];
  return { evidence, warning: warnings.length === 0 ? undefined : warnings.join(" ") };
}

type Found = Pick<Evidence, "url" | "quote" | "place" | "textHash">;

async function located(
  value: AnswerValue,
  { question, pages, budget }: { question: AskedQuestion; pages: readonly ReadPage[]; budget: WorkBudget },
): Promise<Found | undefined> {
  for (const page of pages) {
    await nextTurn();
    const found = await inTurns(findStatement(value, { question, page, budget }));
    if (found === undefined) continue;
    const quote = found.quote.slice(0, MAX_QUOTE_CHARS);
    if (found.start === undefined) return { url: page.url, quote };
    const place = { in: "markdown" as const, start: found.start, end: found.start + quote.length };
    return { url: page.url, quote, place, textHash: await sha256Hex(page.markdown) };
  }
  return undefined;
}

const IS_YES = /^(?:yes|ja|oui|s[ií])$/;

async function verdictOn(
  { text }: AnswerValue,
  prompt: string,
  pages: readonly ReadPage[],
): Promise<Found | undefined> {
  const { outcome, sources, text: byRules } = await answerFromPages(pages, prompt);
  const [stated = "", quoted] = byRules.split("\n\n");
  const verdict = IS_YES.test(foldText(text)) ? "Yes" : "No";
  const [url] = sources;
  if (outcome !== "found" || url === undefined || !stated.startsWith(verdict)) return undefined;
  const quote = /^“(.*)” \[\d+\]$/s.exec(quoted ?? "")?.[1];
  return { url, ...(quote === undefined ? {} : { quote }) };
}

function missingWarning(missing: readonly string[]): string {
  const named = missing.slice(0, MAX_NAMED).map((value) => `“${value}”`);
  const more = missing.length > MAX_NAMED ? [`${missing.length - MAX_NAMED} more`] : [];
  return `Unverified: the pages that were read do not state ${[...named, ...more].join(", ")}.`;
}
