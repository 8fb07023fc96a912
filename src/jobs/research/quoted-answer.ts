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

/**
 * Answers a question with the passages of all pages that match it best. Only the numbers are added to them. Lets other
 * requests run meanwhile.
 */
export async function quotedAnswer(pages: readonly ReadPage[], question: string): Promise<QuotedAnswer> {
  const starts: number[] = [];
  let text = "";
  for (const page of pages) {
    starts.push(text.length);
    text += (await safeText(page)) + PARTING;
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

/** Returns the list of sources that is appended to an answer. */
export function sourceList(sources: readonly string[]): string {
  return sources.map((url, index) => `[${index + 1}] ${url}`).join("\n");
}
