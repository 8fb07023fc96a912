import type { Owner } from "../../core/fair-order.ts";
import { plainText } from "../../content/text/plain-text.ts";
import { bestPassages } from "../../content/text/passages.ts";
import { snippetText } from "../../content/text/snippet-text.ts";
import { isAppError } from "../../core/errors.ts";
import { parseSearchQuery, plainWords } from "../../core/search/search-query.ts";
import type { Deps } from "../deps.ts";
import { inParallel } from "../../jobs/in-parallel.ts";
import { loadThroughCache } from "../scrape/load-through-cache.ts";
import { planScrape } from "../scrape/scrape-plan.ts";

type HighlightDeps = Pick<
  Deps,
  "settings" | "clock" | "engines" | "conversions" | "pageCache" | "defer" | "sleep" | "log"
>;

interface Highlightable {
  web: { url: string; description: string; markdown?: string | undefined; provider: string }[];
  news: { url: string; snippet: string; markdown?: string | undefined; provider: string }[];
}

/** Options for loading pages whose text is not available. */
interface PassageLoading {
  deadlineMs: number;
  /** True when they may be stored in the cache. */
  keep: boolean;
  owner: Owner;
}

const PASSAGES = 2;
const PASSAGE_CHARS = 300;
/** Minimum score of a passage, as a share of the best one. */
const LEAST_SHARE = 0.5;
const LOADS_AT_A_TIME = 6;
const LOAD_TIMEOUT_MS = 8_000;

/**
 * Replaces each description by the passages of the page that answer the query best: for pages whose text is available,
 * and with `load` for all others that load in time. Without such a passage, the description is unchanged.
 * @returns the number of pages that could not be loaded.
 */
export async function highlightResults(
  deps: HighlightDeps,
  { web, news }: Highlightable,
  { query, load, ...loading }: { query: string; load: boolean } & PassageLoading,
): Promise<{ missed: number }> {
  const words = plainWords(parseSearchQuery(query));
  const items = [...web, ...news];
  let missed = 0;
  await inParallel(items, LOADS_AT_A_TIME, async (item) => {
    // Results of the own index have their passages already.
    const mayLoad = load && item.provider !== "own-index";
    const markdown = item.markdown ?? (mayLoad ? await textOf(deps, item.url, loading) : undefined);
    if (mayLoad && markdown === undefined) missed++;
    const highlights = markdown === undefined ? "" : passagesOf(markdown, words);
    if (highlights === "") return;
    if ("snippet" in item) item.snippet = highlights;
    else item.description = highlights;
  });
  return { missed };
}

function passagesOf(markdown: string, query: string): string {
  const passages = bestPassages(plainText(markdown), query, { count: PASSAGES, maxChars: PASSAGE_CHARS });
  const [best] = passages;
  const good = passages.filter(({ score }) => score >= (best?.score ?? 0) * LEAST_SHARE);
  const inOrder = good.toSorted((left, right) => left.start - right.start);
  return inOrder.map(({ text }) => snippetText(text)).join(" … ");
}

/** Loads the text of a page in fast mode; undefined when it cannot be loaded. */
async function textOf(
  deps: HighlightDeps,
  url: string,
  { deadlineMs, keep, owner }: PassageLoading,
): Promise<string | undefined> {
  const untilMs = Math.min(deadlineMs, deps.clock.now() + LOAD_TIMEOUT_MS);
  try {
    const loaded = await loadThroughCache(deps, planScrape(url, { fastMode: true }), {
      deadlineMs: untilMs,
      keep,
      owner,
    });
    if (loaded.obstacle !== undefined || loaded.view.loaded.statusCode >= 400) return undefined;
    return loaded.view.markdown({ removeBase64Images: true });
  } catch (error) {
    if (!isAppError(error)) deps.log({ event: "highlight_failed", message: String(error) });
    return undefined;
  }
}
