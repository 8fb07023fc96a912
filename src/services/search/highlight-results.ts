import type { Owner } from "../../core/fair-order.ts";
import { plainText } from "../../content/text/plain-text.ts";
import { bestPassages } from "../../content/text/passages.ts";
import { isAppError } from "../../core/errors.ts";
import { parseSearchQuery, plainWords } from "../../core/search/search-query.ts";
import type { Deps } from "../deps.ts";
import { inParallel } from "../in-parallel.ts";
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

/** How pages are loaded whose text is not at hand. */
interface PassageLoading {
  deadlineMs: number;
  /** Whether they may be kept in the cache. */
  keep: boolean;
  owner: Owner;
}

const PASSAGES = 2;
const PASSAGE_CHARS = 300;
/** A second passage that answers much less than the first only takes away from it. */
const LEAST_SHARE = 0.5;
const LOADS_AT_A_TIME = 6;
const LOAD_TIMEOUT_MS = 8_000;

/**
 * Puts the passages of each page that answer the query best in the place of its description: of pages whose text is at
 * hand, and with `load` of all others too, as far as they load in time. Where no passage answers, what was there stays.
 * @returns the number of pages that were to be loaded, and were not.
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
    // What the own index found has its passage already.
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
  return inOrder.map(({ text }) => withoutMarks(text)).join(" … ");
}

/** Marks of lists, headings and quotes belong to the page, not to what is quoted of it. */
function withoutMarks(text: string): string {
  return text
    .replace(/^[^\S\n]*(?:#{1,6}|[-*+>]|\d+[.)])\s+/gm, "")
    .replace(/\s+/g, " ")
    .trim();
}

/** A page's text by the quickest way; none of a page that does not come. */
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
