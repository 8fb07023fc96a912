import { z } from "zod";
import { listOf, optionalText, present } from "../../response-fields.ts";
import { askJson, toOutcome, type ProviderWeb } from "../../ask.ts";
import { includedSites } from "../../included-sites.ts";
import type { SearchProvider, SearchQuery } from "../../provider.ts";
import { rangesOnly } from "../../time-support.ts";
import { withoutPrototype } from "../../../core/without-prototype.ts";

const Page = z.object({
  url: z.string(),
  title: optionalText,
  publishedDate: optionalText,
  image: optionalText,
  highlights: z.array(z.string()).nullish(),
  text: optionalText,
});
const Answer = z.object({ results: listOf(Page) });

const MAX_RESULTS = 100;
const SNIPPET_CHARS = 400;
const CATEGORIES: Partial<Record<string, string>> = withoutPrototype({
  news: "news",
  research: "research paper",
  pdf: "pdf",
});

/** Exa's `/search` (docs.exa.ai). It searches by meaning, and takes domains and dates as fields. */
export function createExa(web: ProviderWeb, { baseUrl, key }: { baseUrl: string; key: string }): SearchProvider {
  const headers = { "x-api-key": key, "content-type": "application/json" };
  return {
    name: "exa",
    places: new Set(["web", "news", "github", "research", "pdf", "developer", "gov"]),
    fulfils: new Set(["tbs", "country"]),
    leavesOut: rangesOnly,
    async search(query) {
      const category = CATEGORIES[query.category ?? query.source];
      const sites = includedSites(query, category === undefined ? undefined : []);
      if (sites?.length === 0) return { kind: "answered", hits: [] };
      const request = { url: `${baseUrl}/search`, method: "POST" as const, headers, body: bodyOf(query, sites) };
      return toOutcome(await askJson(web, query, { ...request, schema: Answer }), ({ results }) =>
        results.map(({ url, title, publishedDate, image, highlights, text }) => ({
          url,
          title,
          description: (highlights?.join(" … ") ?? text.slice(0, SNIPPET_CHARS)).replace(/\s+/g, " ").trim(),
          ...present("date", publishedDate),
          ...(query.source === "news" ? present("imageUrl", image) : {}),
        })),
      );
    },
  };
}

function bodyOf(query: SearchQuery, sites: readonly string[] = []): string {
  const { source, limit, terms, country, timeRange } = query;
  const category = CATEGORIES[query.category ?? source];
  const excluded = [...query.excludeDomains, ...terms.excludedSites];
  const { fromMs, toMs } = timeRange ?? {};
  return JSON.stringify({
    query: query.text,
    type: "auto",
    numResults: Math.min(MAX_RESULTS, limit),
    contents: { highlights: { numSentences: 2, highlightsPerUrl: 1 } },
    ...(category === undefined ? {} : { category }),
    ...(sites.length === 0 ? {} : { includeDomains: sites }),
    ...(excluded.length === 0 ? {} : { excludeDomains: excluded }),
    ...(country === undefined ? {} : { userLocation: country.toUpperCase() }),
    ...(fromMs === undefined ? {} : { startPublishedDate: new Date(fromMs).toISOString() }),
    ...(toMs === undefined ? {} : { endPublishedDate: new Date(toMs).toISOString() }),
  });
}
