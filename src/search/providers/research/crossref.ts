import { z } from "zod";
import { plainWords } from "../../../core/search/search-query.ts";
import { isoDay } from "../../../core/search/time-range.ts";
import { listOf, optionalText, plainSnippet, present } from "../../response-fields.ts";
import { askJson, toOutcome, type ProviderWeb } from "../../ask.ts";
import type { SearchProvider, SearchQuery } from "../../provider.ts";
import { rangesOnly } from "../../time-support.ts";

const texts = z.array(z.string()).nullish();
const Work = z.object({
  DOI: z.string(),
  URL: optionalText,
  title: texts,
  abstract: optionalText,
  "container-title": texts,
  issued: z.object({ "date-parts": z.array(z.array(z.number().nullable())) }).nullish(),
});
const Answer = z.object({ status: z.literal("ok"), message: z.object({ items: listOf(Work) }) });

const MAX_RESULTS = 100;
const FIELDS = "DOI,URL,title,abstract,container-title,issued";
const ABSTRACT_CHARS = 400;

/** Works registered with Crossref (api.crossref.org). */
export function createCrossref(web: ProviderWeb, { baseUrl }: { baseUrl: string }): SearchProvider {
  return {
    name: "crossref",
    places: new Set(["research"]),
    fulfils: new Set(["tbs"]),
    leavesOut: rangesOnly,
    async search(query) {
      const filters = filtersOf(query);
      const parameters = new URLSearchParams({
        query: plainWords(query.terms),
        rows: String(Math.min(MAX_RESULTS, query.limit)),
        select: FIELDS,
        ...(filters.length === 0 ? {} : { filter: filters.join(",") }),
      });
      const asked = await askJson(web, query, { url: `${baseUrl}/works?${parameters}`, schema: Answer });
      return toOutcome(asked, ({ message }) => message.items.map(toHit));
    },
  };
}

function filtersOf({ timeRange }: SearchQuery): string[] {
  const { fromMs, toMs } = timeRange ?? {};
  return [
    ...(fromMs === undefined ? [] : [`from-pub-date:${isoDay(fromMs)}`]),
    ...(toMs === undefined ? [] : [`until-pub-date:${isoDay(toMs)}`]),
  ];
}

function toHit(work: z.output<typeof Work>) {
  const abstract = plainSnippet(work.abstract)
    .replace(/^Abstract\s*/i, "")
    .slice(0, ABSTRACT_CHARS);
  const date = (work.issued?.["date-parts"][0] ?? []).filter((part) => part !== null);
  return {
    url: work.URL === "" ? `https://doi.org/${work.DOI}` : work.URL,
    title: plainSnippet(work.title?.[0] ?? work.DOI),
    description: [work["container-title"]?.[0] ?? "", abstract].filter((text) => text !== "").join(". "),
    ...present("date", date.map((part) => String(part).padStart(2, "0")).join("-")),
  };
}
