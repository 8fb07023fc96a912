import { z } from "zod";
import { plainWords } from "../../core/search/search-query.ts";
import { listOf, optionalNumber, optionalText, plainSnippet, present } from "../response-fields.ts";
import { askJson, toOutcome, type ProviderWeb } from "../ask.ts";
import type { SearchProvider, SearchQuery } from "../provider.ts";

const Story = z.object({
  objectID: z.string(),
  title: optionalText,
  url: optionalText,
  story_text: optionalText,
  points: optionalNumber,
  num_comments: optionalNumber,
  created_at: optionalText,
});
const Answer = z.object({ hits: listOf(Story) });

const MAX_RESULTS = 100;
const TEXT_CHARS = 300;

/** Stories of Hacker News by Algolia's interface (hn.algolia.com/api). */
export function createHackerNews(web: ProviderWeb, { baseUrl }: { baseUrl: string }): SearchProvider {
  return {
    name: "hacker-news",
    places: new Set(["web", "news", "developer", "gov"]),
    fulfils: new Set(["tbs"]),
    async search(query) {
      const { timeRange, source } = query;
      const path = timeRange?.newestFirst === true || source === "news" ? "search_by_date" : "search";
      const asked = await askJson(web, query, {
        url: `${baseUrl}/api/v1/${path}?${parameters(query)}`,
        schema: Answer,
      });
      return toOutcome(asked, ({ hits }) => hits.map(toHit));
    },
  };
}

function parameters({ terms, limit, timeRange }: SearchQuery): URLSearchParams {
  const { fromMs, toMs } = timeRange ?? {};
  const seconds = (ms: number): number => Math.floor(ms / 1000);
  const filters = [
    ...(fromMs === undefined ? [] : [`created_at_i>=${seconds(fromMs)}`]),
    ...(toMs === undefined ? [] : [`created_at_i<=${seconds(toMs)}`]),
  ];
  return new URLSearchParams({
    query: plainWords(terms),
    tags: "story",
    hitsPerPage: String(Math.min(MAX_RESULTS, limit)),
    ...(filters.length === 0 ? {} : { numericFilters: filters.join(",") }),
  });
}

/** A story without an address of its own is the text that was posted. */
function toHit({ objectID, title, url, story_text, points, num_comments, created_at }: z.output<typeof Story>) {
  const counts = `${points ?? 0} points, ${num_comments ?? 0} comments on Hacker News`;
  const text = plainSnippet(story_text).slice(0, TEXT_CHARS);
  return {
    url: url === "" ? `https://news.ycombinator.com/item?id=${objectID}` : url,
    title,
    description: text === "" ? counts : text,
    ...present("date", created_at),
  };
}
