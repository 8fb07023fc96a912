import { foldText } from "../../core/search/words.ts";
import type { ReadPage } from "../research/read-page.ts";
import { safeText } from "../research/safe-text.ts";

/** A follow-up question, in the shape that clients read. */
export interface Suggestion {
  label: string;
  prompt: string;
}

const MAX_SUGGESTIONS = 3;
const MAX_CHARS = 120;
const MIN_CHARS = 10;

/**
 * Returns questions that the pages of an answer ask themselves, in headings or bold lines, and answer below. Questions
 * of the thread so far are left out. Returns an empty list when the pages ask none.
 */
export async function suggestFollowUps(
  pages: readonly Pick<ReadPage, "markdown">[],
  asked: readonly string[],
): Promise<Suggestion[]> {
  const known = new Set(asked.map(plain));
  const found: Suggestion[] = [];
  for (const page of pages) {
    const text = await safeText(page);
    for (const [, heading, bold] of text.matchAll(/^#{2,6}\s+(?!\s)(.*\?)\s*$|^\*\*(.*\?)\*\*\s*$/gm)) {
      const question = (heading ?? bold ?? "").replaceAll(/[*_`[\]]/g, "").trim();
      if (question.length < MIN_CHARS || question.length > MAX_CHARS || known.has(plain(question))) continue;
      known.add(plain(question));
      found.push({ label: question, prompt: question });
      if (found.length === MAX_SUGGESTIONS) return found;
    }
  }
  return found;
}

function plain(question: string): string {
  return foldText(question)
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}
