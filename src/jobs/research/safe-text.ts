import { withoutPromptInjection } from "../../content/text/prompt-injection.ts";
import { nextTurn } from "../../core/in-turns.ts";
import type { ReadPage } from "./read-page.ts";

const TEXTS = new WeakMap<Pick<ReadPage, "markdown">, string>();

/**
 * Returns the markdown of a page without passages that address the reading program. A run asks for it after each round
 * of pages; each page is searched for them once, and other requests run before the next one.
 */
export async function safeText(page: Pick<ReadPage, "markdown">): Promise<string> {
  const known = TEXTS.get(page);
  if (known !== undefined) return known;
  const { text } = withoutPromptInjection(page.markdown);
  TEXTS.set(page, text);
  await nextTurn();
  return text;
}
