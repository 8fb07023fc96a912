import { z } from "zod";
import { plainWords } from "../../../core/search/search-query.ts";
import { isoDay } from "../../../core/search/time-range.ts";
import { listOf, optionalText, plainSnippet, present } from "../../response-fields.ts";
import { askJson, toOutcome, type ProviderWeb } from "../../ask.ts";
import type { SearchProvider, SearchQuery } from "../../provider.ts";

const Entry = z.object({
  title: optionalText,
  html_url: z.string(),
  abstract: optionalText,
  excerpts: optionalText,
  publication_date: optionalText,
});
/** Without a match there is a count and no list. */
const Answer = z.object({ count: z.number(), results: listOf(Entry).default([]) });

const MAX_RESULTS = 100;
const TEXT_CHARS = 400;
const FIELDS = ["title", "html_url", "abstract", "excerpts", "publication_date"];

/** Rules and notices of the United States' agencies (www.federalregister.gov/developers/documentation/api/v1). */
export function createFederalRegister(web: ProviderWeb, { baseUrl }: { baseUrl: string }): SearchProvider {
  return {
    name: "federal-register",
    places: new Set(["gov"]),
    fulfils: new Set(["tbs"]),
    hosts: ["www.federalregister.gov"],
    async search(query) {
      const url = `${baseUrl}/api/v1/documents.json?${parametersOf(query)}`;
      return toOutcome(await askJson(web, query, { url, schema: Answer }), ({ results }) =>
        results.map(({ title, html_url: address, abstract, excerpts, publication_date }) => ({
          url: address,
          title: plainSnippet(title),
          description: plainSnippet(abstract === "" ? excerpts : abstract).slice(0, TEXT_CHARS),
          ...present("date", publication_date),
        })),
      );
    },
  };
}

function parametersOf({ terms, limit, timeRange }: SearchQuery): URLSearchParams {
  const { fromMs, toMs, newestFirst } = timeRange ?? {};
  return new URLSearchParams([
    ["conditions[term]", plainWords(terms)],
    ["per_page", String(Math.min(MAX_RESULTS, limit))],
    ["order", newestFirst === true ? "newest" : "relevance"],
    ...FIELDS.map((field) => ["fields[]", field]),
    ...(fromMs === undefined ? [] : [["conditions[publication_date][gte]", isoDay(fromMs)]]),
    ...(toMs === undefined ? [] : [["conditions[publication_date][lte]", isoDay(toMs)]]),
  ]);
}
