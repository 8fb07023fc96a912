import { z } from "zod";
import { isoDay } from "../../../core/search/time-range.ts";
import { listOf, optionalText, present } from "../../response-fields.ts";
import { askJson, toOutcome, type ProviderWeb } from "../../ask.ts";
import { sitesOfCategory } from "../../categories.ts";
import type { SearchProvider, SearchQuery } from "../../provider.ts";

const Page = z.object({ title: optionalText, url: z.string(), content: optionalText, published_date: optionalText });
const Answer = z.object({ results: listOf(Page) });

const MAX_RESULTS = 20;

/** Tavily's `/search` (docs.tavily.com). It takes domains as lists and has no operators. */
export function createTavily(web: ProviderWeb, { baseUrl, key }: { baseUrl: string; key: string }): SearchProvider {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  return {
    name: "tavily",
    places: new Set(["web", "news", "github", "research", "developer", "gov"]),
    fulfils: new Set(["tbs", "country"]),
    async search(query) {
      const request = { url: `${baseUrl}/search`, method: "POST" as const, headers, body: bodyOf(query) };
      return toOutcome(await askJson(web, query, { ...request, schema: Answer }), ({ results }) =>
        results.map(({ url, title, content, published_date: date }) => {
          return { url, title, description: content.trim(), ...present("date", date) };
        }),
      );
    },
  };
}

function bodyOf(query: SearchQuery): string {
  const { source, limit, terms, country, timeRange } = query;
  const included = [...query.includeDomains, ...terms.sites, ...sitesOfCategory(query.category)];
  const excluded = [...query.excludeDomains, ...terms.excludedSites];
  const { fromMs, toMs, unit } = timeRange ?? {};
  const name = source === "web" && country !== undefined ? countryName(country) : undefined;
  return JSON.stringify({
    query: query.text,
    topic: source === "news" ? "news" : "general",
    max_results: Math.min(MAX_RESULTS, limit),
    ...(included.length === 0 ? {} : { include_domains: included }),
    ...(excluded.length === 0 ? {} : { exclude_domains: excluded }),
    ...(name === undefined ? {} : { country: name }),
    ...(unit !== undefined && toMs === undefined
      ? { time_range: unit === "hour" ? "day" : unit }
      : {
          ...(fromMs === undefined ? {} : { start_date: isoDay(fromMs) }),
          ...(toMs === undefined ? {} : { end_date: isoDay(toMs) }),
        }),
  });
}

/** Countries go by their English names, in lower case. */
function countryName(code: string): string | undefined {
  try {
    return new Intl.DisplayNames(["en"], { type: "region" }).of(code.toUpperCase())?.toLowerCase();
  } catch {
    return undefined;
  }
}
