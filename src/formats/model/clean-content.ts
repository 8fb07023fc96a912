import type { LanguageModel } from "../../ports/language-model.ts";
import { pageRequest, textTokens, type PageText } from "./page-question.ts";
import { estimateTokens } from "../../core/text/tokens.ts";

const SCHEMA = {
  type: "object",
  properties: {
    drop: { type: "array", items: { type: "integer" }, description: "Numbers of the blocks to leave out" },
  },
  required: ["drop"],
};
const TASK =
  "These are the numbered blocks of a page. Name the numbers of the blocks that do not belong to what the page is about: " +
  "navigation, advertisements, cookie notices, calls to subscribe or share, lists of other pages. Name none in doubt.";
const SHOWN_CHARS = 240;

/**
 * Returns the page without the blocks that a model identifies as clutter. The model only returns their numbers: the
 * remaining text is the page's own. Undefined for a page that does not fit into one request.
 */
export async function cleanContent(
  llm: LanguageModel,
  page: PageText,
  deadlineMs: number,
): Promise<string | undefined> {
  const blocks = page.text.split(/\n{2,}/);
  const listed = blocks.map((block, index) => `[${index + 1}] ${block.slice(0, SHOWN_CHARS)}`).join("\n\n");
  if (estimateTokens(listed) > textTokens(llm)) return undefined;
  const request = pageRequest(page, listed, { task: TASK, deadlineMs });
  const { value } = await llm.generateObject({ ...request, size: "small", schema: SCHEMA });
  const dropped = new Set((value as { drop: number[] }).drop);
  const kept = blocks.filter((_, index) => !dropped.has(index + 1));
  // A model that would remove everything has misunderstood the task.
  return kept.length === 0 ? page.text : kept.join("\n\n");
}
