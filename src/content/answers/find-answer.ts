import type { FoundAnswer } from "./found-answer.ts";
import { foldText } from "../../core/search/words.ts";
import { WorkBudget } from "../../core/work-budget.ts";
import type { StructuredData } from "../structured-data/facts.ts";
import { answerFromFaq } from "./answer-from-faq.ts";
import { answerFromFacts } from "./answer-from-facts.ts";
import { answerFromText } from "./answer-from-text.ts";
import { readMarkdownFacts } from "./markdown-facts.ts";
import type { AskedQuestion } from "./read-question.ts";

/** A page on which an answer is searched. */
export interface AnswerPage {
  title: string;
  markdown: string;
  url?: string | undefined;
  /** Structured data of the page; when undefined, labelled lines and tables of the markdown are read instead. */
  data?: StructuredData | undefined;
}

/** Steps for one question on one page. */
const MAX_STEPS = 2_000_000;

/**
 * Finds the value that a question asks for: in structured data first, then beside labels, then in sentences. Returns
 * undefined when the page does not state a value of that kind about the subject of the question. Pure; questions for a
 * `summary` or a `passage` without a known property have no value, see `find-passages.ts`.
 */
export function findAnswer(
  question: AskedQuestion,
  page: AnswerPage,
  budget: WorkBudget = new WorkBudget(),
): FoundAnswer | undefined {
  if (question.kind === "summary") return undefined;
  const own = budget.within({ steps: MAX_STEPS });
  const { title, markdown, url } = page;
  const data = page.data ?? readMarkdownFacts({ title, markdown, url });
  const place = { title, markdown, url: foldText(url ?? ""), data, budget: own };
  const answer = answerFromFaq(question, place) ?? answerFromFacts(question, place) ?? answerFromText(question, place);
  return answer === undefined || namesNoAuthor(question, answer) ? undefined : answer;
}

const AUTHORSHIP =
  /^\s*(?:by|von|par|por|di|da|door)\s+\p{Lu}|writ(?:e|ten|ing)|wrote|author|posted|publish|geschrieb|schrieb|verfass|redaktion|\bécri|escri|scri(?:ve|tt)|autor|auteur|verantwoord|著|作者|筆|文/iu;

/** Reports whether a sentence that answers the question for the page's author says nothing of writing: `led by Ada`. */
function namesNoAuthor({ properties, subject }: AskedQuestion, { source, quote }: FoundAnswer): boolean {
  return properties[0] === "author" && subject.length === 0 && source !== "label" && !AUTHORSHIP.test(quote);
}
