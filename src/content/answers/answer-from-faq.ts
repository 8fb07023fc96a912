import { foldText } from "../../core/search/words.ts";
import type { FoundAnswer, SearchedPage } from "./found-answer.ts";
import { plainText } from "./markdown-facts.ts";
import type { AskedQuestion } from "./read-question.ts";
import { mentionsWord, missingWords } from "./subject-words.ts";
import { findValues } from "./value-kinds.ts";

const MAX_LINES = 20_000;
const MAX_QUESTION_CHARS = 200;
const MAX_ANSWER_CHARS = 600;
const VERDICT = /^(yes|no|ja|nein|oui|non|s[ií])\b(?=[\s,.!:;–-]|$)/iu;
const IS_YES = /^(?:yes|ja|oui|s[ií])$/iu;

/**
 * Finds the answer below a question that the page asks itself, as in an FAQ. The page's question must
 * contain those words of the asked one that the title and the address of the page do not contain.
 */
export function answerFromFaq(question: AskedQuestion, page: SearchedPage): FoundAnswer | undefined {
  const { kind } = question;
  if (kind === "passage" || kind === "summary") return undefined;
  const lines = page.markdown.split("\n", MAX_LINES).filter((line) => line.trim() !== "");
  const [main = ""] = foldText(question.text).split(/\b(?:when|if|while) (?:i|we|you)\b/);
  const asked = [...new Set([...question.subject, ...question.mentions.slice(0, kind === "yes-no" ? 0 : 1)])];
  const wanted = asked.filter((word) => mentionsWord(main, word));
  const distinctive = missingWords(foldText(`${page.title} ${page.url.replaceAll(/[-_/.]/g, " ")}`), wanted);
  if (distinctive.length === 0) return undefined;
  for (const [index, line] of lines.entries()) {
    if (!page.budget.take()) return undefined;
    if (line.length > MAX_QUESTION_CHARS || !/\?[*_\s]*$/.test(line)) continue;
    const answer = plainText((lines[index + 1] ?? "").replace(/^\s*(?:[-*+>]|:)\s+/, "")).slice(0, MAX_ANSWER_CHARS);
    if (
      answer === "" ||
      (lines[index + 1] ?? "").startsWith("#") ||
      missingWords(plainText(line), distinctive).length > 0
    )
      continue;
    const value = kind === "yes-no" ? verdictOf(answer) : findValues(kind, answer)[0]?.text;
    if (value !== undefined) return { kind, value, quote: answer, source: "label" };
  }
  return undefined;
}

function verdictOf(answer: string): string | undefined {
  const word = VERDICT.exec(answer)?.[1];
  if (word === undefined) return undefined;
  return IS_YES.test(word) ? "Yes" : "No";
}
