import { findPassagesInTurns } from "../../content/answers/find-passages.ts";
import { safeText } from "./safe-text.ts";
import type { ReadPage } from "./read-page.ts";

export interface QuotedAnswer {
  /** Quotes with the numbers of their sources; empty when no page matches the question. */
  text: string;
  /** URLs of the quoted pages, in the order of their numbers. */
  sources: string[];
}

const QUOTES = 6;
const QUOTE_CHARS = 420;
const PARTING = "\n\n";
/** Characters of pages that are ranked as one text; of more, the best passages of each page are. */
const MAX_RANKED_CHARS = 2_000_000;

/**
 * Answers a question with the passages of all pages that match it best. Only the numbers are added to them. Lets other
 * requests run meanwhile.
 */
export async function quotedAnswer(pages: readonly ReadPage[], question: string): Promise<QuotedAnswer> {
  const starts: number[] = [];
  const isLong = pages.reduce((sum, { markdown }) => sum + markdown.length, 0) > MAX_RANKED_CHARS;
  let text = "";
  for (const page of pages) {
    starts.push(text.length);
    const safe = await safeText(page);
    text += (isLong ? await bestOf(safe, question) : safe) + PARTING;
  }
  const passages = await findPassagesInTurns(text, question, { count: QUOTES, maxChars: QUOTE_CHARS });
  const sources: string[] = [];
  const lines = passages.map((passage) => {
    const { url = "" } = pages[starts.findLastIndex((start) => start <= passage.start)] ?? {};
    if (!sources.includes(url)) sources.push(url);
    return `${passage.text.trim()} [${sources.indexOf(url) + 1}]`;
  });
  return { text: lines.join("\n\n"), sources };
}

/** Returns the passages of a page that match best, in its order. */
async function bestOf(text: string, question: string): Promise<string> {
  const passages = await findPassagesInTurns(text, question, { count: QUOTES, maxChars: QUOTE_CHARS });
  return passages
    .toSorted((left, right) => left.start - right.start)
    .map((passage) => passage.text.trim())
    .join(PARTING);
}

/** Returns the list of sources that is appended to an answer. */
export function sourceList(sources: readonly string[]): string {
  return sources.map((url, index) => `[${index + 1}] ${url}`).join("\n");
}
