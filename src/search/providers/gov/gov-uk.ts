import { z } from "zod";
import { plainWords } from "../../../core/search/search-query.ts";
import { isoDay } from "../../../core/search/time-range.ts";
import { listOf, optionalText, plainSnippet, present } from "../../response-fields.ts";
import { askJson, toOutcome, type ProviderWeb } from "../../ask.ts";
import type { SearchProvider, SearchQuery } from "../../provider.ts";
import { rangesOnly } from "../../time-support.ts";

const Page = z.object({
  title: optionalText,
  link: z.string(),
  description: optionalText,
  public_timestamp: optionalText,
});
const Answer = z.object({ results: listOf(Page) });

const MAX_RESULTS = 100;
const SITE = "https://www.gov.uk";

/** Pages of the government of the United Kingdom by its search (docs.publishing.service.gov.uk, “Search API”). */
export function createGovUk(web: ProviderWeb, { baseUrl }: { baseUrl: string }): SearchProvider {
  return {
    name: "gov-uk",
    places: new Set(["gov"]),
    fulfils: new Set(["tbs"]),
    leavesOut: rangesOnly,
    hosts: ["www.gov.uk"],
    async search(query) {
      const asked = await askJson(web, query, {
        url: `${baseUrl}/api/search.json?${parametersOf(query)}`,
        schema: Answer,
      });
      return toOutcome(asked, ({ results }) =>
        results.flatMap(({ title, link, description, public_timestamp }) => {
          const url = URL.parse(link, SITE)?.href;
          if (url === undefined) return [];
          return [
            {
              url,
              title: plainSnippet(title),
              description: plainSnippet(description),
              ...present("date", public_timestamp),
            },
          ];
        }),
      );
    },
  };
}

function parametersOf({ terms, limit, timeRange }: SearchQuery): URLSearchParams {
  const { fromMs, toMs } = timeRange ?? {};
  const range = [
    ...(fromMs === undefined ? [] : [`from:${isoDay(fromMs)}`]),
    ...(toMs === undefined ? [] : [`to:${isoDay(toMs)}`]),
  ];
  return new URLSearchParams({
    q: plainWords(terms),
    count: String(Math.min(MAX_RESULTS, limit)),
    fields: "title,link,description,public_timestamp",
    ...(range.length === 0 ? {} : { filter_public_timestamp: range.join(",") }),
  });
}
