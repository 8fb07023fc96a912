import { z } from "zod";
import { plainWords } from "../../../core/search/search-query.ts";
import { isoDay } from "../../../core/search/time-range.ts";
import { listOf, optionalText, present } from "../../response-fields.ts";
import { askJson, toOutcome, type ProviderWeb } from "../../ask.ts";
import { abstractOf } from "../../papers/openalex-papers.ts";
import type { SearchProvider, SearchQuery } from "../../provider.ts";
import { rangesOnly } from "../../time-support.ts";

const Work = z.object({
  id: z.string(),
  doi: optionalText,
  display_name: optionalText,
  publication_date: optionalText,
  primary_location: z
    .object({
      landing_page_url: optionalText,
      source: z.object({ display_name: optionalText }).nullish(),
    })
    .nullish(),
  /** Each word with its places. */
  abstract_inverted_index: z.record(z.string(), z.array(z.number())).nullish(),
});
const Answer = z.object({ results: listOf(Work) });

const MAX_RESULTS = 100;
const ABSTRACT_WORDS = 60;

/** Scholarly works of OpenAlex (docs.openalex.org). */
export function createOpenalex(web: ProviderWeb, { baseUrl }: { baseUrl: string }): SearchProvider {
  return {
    name: "openalex",
    places: new Set(["research"]),
    fulfils: new Set(["tbs", "lang"]),
    leavesOut: rangesOnly,
    async search(query) {
      const filters = filtersOf(query);
      const parameters = new URLSearchParams({
        search: plainWords(query.terms),
        "per-page": String(Math.min(MAX_RESULTS, query.limit)),
        ...(filters.length === 0 ? {} : { filter: filters.join(",") }),
      });
      const asked = await askJson(web, query, { url: `${baseUrl}/works?${parameters}`, schema: Answer });
      return toOutcome(asked, ({ results }) => results.map(toHit));
    },
  };
}

function filtersOf({ timeRange, language }: SearchQuery): string[] {
  const { fromMs, toMs } = timeRange ?? {};
  return [
    ...(fromMs === undefined ? [] : [`from_publication_date:${isoDay(fromMs)}`]),
    ...(toMs === undefined ? [] : [`to_publication_date:${isoDay(toMs)}`]),
    ...(language === undefined ? [] : [`language:${language}`]),
  ];
}

function toHit({
  id,
  doi,
  display_name,
  publication_date,
  primary_location,
  abstract_inverted_index,
}: z.output<typeof Work>) {
  const source = primary_location?.source?.display_name ?? "";
  const address = [primary_location?.landing_page_url ?? "", doi, id].find((url) => url !== "") ?? id;
  return {
    url: address,
    title: display_name,
    description: [source, abstractOf(abstract_inverted_index ?? {}, ABSTRACT_WORDS)]
      .filter((text) => text !== "")
      .join(". "),
    ...present("date", publication_date),
  };
}
