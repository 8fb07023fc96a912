import type { RunTextTask } from "../../content/text-tasks/text-tasks.ts";
import { snippetText } from "../../content/text/snippet-text.ts";
import { isAppError } from "../../core/errors.ts";
import { parseSearchQuery, plainWords } from "../../core/search/search-query.ts";
import { nextTurn } from "../../core/in-turns.ts";
import { inParallel } from "../../jobs/in-parallel.ts";
import { pageText, type PageTextDeps, type PageTextOptions } from "./page-text.ts";

interface Highlightable {
  web: { url: string; description: string; markdown?: string | undefined; provider: string }[];
  news: { url: string; snippet: string; markdown?: string | undefined; provider: string }[];
}

const PASSAGES = 2;
const PASSAGE_CHARS = 300;
/** Minimum score of a passage, as a share of the best one. */
const LEAST_SHARE = 0.5;
const LOADS_AT_A_TIME = 6;

/**
 * Replaces each description by the passages of the page that answer the query best: for pages whose text is available,
 * and with `load` for all others that load in time. Without such a passage, or when the text cannot be searched in time,
 * the description is unchanged.
 * @returns the number of pages that could not be loaded.
 */
export async function highlightResults(
  deps: PageTextDeps,
  { web, news }: Highlightable,
  { query, load, ...loading }: { query: string; load: boolean } & PageTextOptions,
): Promise<{ missed: number }> {
  const words = plainWords(parseSearchQuery(query));
  const items = [...web, ...news];
  const waitLimit = { deadlineMs: loading.deadlineMs, left: deps.clientLeft };
  let missed = 0;
  await inParallel(items, LOADS_AT_A_TIME, async (item) => {
    // Results of the own index have their passages already.
    const mayLoad = load && item.provider !== "own-index";
    const markdown = item.markdown ?? (mayLoad ? await pageText(deps, item.url, loading) : undefined);
    if (mayLoad && markdown === undefined) missed++;
    const highlights =
      markdown === undefined ? "" : await passagesOf(markdown, words, deps.textTasks(loading.owner, waitLimit));
    if (highlights === "") return;
    if ("snippet" in item) item.snippet = highlights;
    else item.description = highlights;
  });
  return { missed };
}

async function passagesOf(markdown: string, query: string, runTask: RunTextTask): Promise<string> {
  const wanted = { text: markdown, query, count: PASSAGES, maxChars: PASSAGE_CHARS };
  // Short texts are searched in this process.
  await nextTurn();
  // The search is paid for by now: a text that takes too long costs its passages and not the response.
  const passages = await runTask("plainPassages", wanted).catch((error: unknown) => {
    if (isAppError(error)) return [];
    throw error;
  });
  const [best] = passages;
  const good = passages.filter(({ score }) => score >= (best?.score ?? 0) * LEAST_SHARE);
  const inOrder = good.toSorted((left, right) => left.start - right.start);
  return inOrder.map(({ text }) => snippetText(text)).join(" … ");
}
