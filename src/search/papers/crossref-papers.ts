import { z } from "zod";
import { plainWords } from "../../core/search/search-query.ts";
import { listOf, optionalNumber, optionalText, plainSnippet, present } from "../response-fields.ts";
import { askJson, isAbsent, type ProviderWeb } from "../ask.ts";
import { idsOf, type Paper, type PaperQuery, type PaperSource } from "./paper.ts";

const texts = z.array(z.string()).nullish().catch(undefined);
const DateParts = z
  .object({ "date-parts": z.array(z.array(z.number().nullable())) })
  .nullish()
  .catch(undefined);
const Work = z.object({
  DOI: z.string(),
  title: texts,
  abstract: optionalText,
  author: listOf(z.object({ given: optionalText, family: optionalText, name: optionalText }))
    .catch([])
    .default([]),
  issued: DateParts,
  indexed: z.object({ "date-time": optionalText }).nullish().catch(undefined),
  "is-referenced-by-count": optionalNumber,
});
const List = z.object({ message: z.object({ items: listOf(Work) }) });
const One = z.object({ message: Work });

const MAX_RESULTS = 500;
const FIELDS = "DOI,title,abstract,author,issued,indexed,is-referenced-by-count";

/** Papers registered with Crossref (api.crossref.org). */
export function createCrossrefPapers(web: ProviderWeb, { baseUrl }: { baseUrl: string }): PaperSource {
  return {
    name: "crossref",
    filters: new Set(["authors"]),
    finds: new Set(["doi"]),
    async search(query) {
      const asked = await askJson(web, query, { url: `${baseUrl}/works?${parametersOf(query)}`, schema: List });
      return asked.kind === "failed" ? asked : { kind: "answered", value: asked.value.message.items.flatMap(toPaper) };
    },
    async find({ value }, deadlineMs) {
      const url = `${baseUrl}/works/${encodeURIComponent(value)}`;
      const asked = await askJson(web, { deadlineMs }, { url, schema: One });
      if (isAbsent(asked)) return { kind: "answered", value: undefined };
      return asked.kind === "failed" ? asked : { kind: "answered", value: toPaper(asked.value.message)[0] };
    },
  };
}

function parametersOf({ terms, limit, authors, from, to }: PaperQuery): URLSearchParams {
  const filters = [
    ...(from === undefined ? [] : [`from-pub-date:${from}`]),
    ...(to === undefined ? [] : [`until-pub-date:${to}`]),
  ];
  return new URLSearchParams({
    query: plainWords(terms),
    rows: String(Math.min(MAX_RESULTS, limit)),
    select: FIELDS,
    ...(authors.length === 0 ? {} : { "query.author": authors.join(" ") }),
    ...(filters.length === 0 ? {} : { filter: filters.join(",") }),
  });
}

function toPaper(work: z.output<typeof Work>): Paper[] {
  const ids = idsOf(["doi", work.DOI]);
  if (ids.length === 0) return [];
  const date = (work.issued?.["date-parts"][0] ?? []).filter((part) => part !== null);
  const citations = work["is-referenced-by-count"];
  return [
    {
      ids,
      title: plainSnippet(work.title?.[0] ?? ""),
      abstract: plainSnippet(work.abstract).replace(/^Abstract[:.\s]*/i, ""),
      authors: work.author
        .map(({ given, family, name }) => name || [given, family].filter((part) => part !== "").join(" "))
        .filter((name) => name !== ""),
      categories: [],
      ...present("createdDate", date.map((part) => String(part).padStart(2, "0")).join("-")),
      ...present("updateDate", work.indexed?.["date-time"]),
      fullTextUrls: [],
      ...(typeof citations === "number" ? { citations } : {}),
    },
  ];
}
