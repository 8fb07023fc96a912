import { z } from "zod";
import { plainWords } from "../../core/search/search-query.ts";
import { listOf, optionalNumber, optionalText, plainSnippet, present } from "../response-fields.ts";
import { askJson, isAbsent, type Asked, type ProviderWeb } from "../ask.ts";
import { idsOf, type Paper, type PaperQuery, type PaperSource, type Relation } from "./paper.ts";
import { parsePaperId, type PaperId } from "./paper-id.ts";

const Work = z.object({
  id: z.string(),
  doi: optionalText,
  display_name: optionalText,
  publication_date: optionalText,
  updated_date: optionalText,
  ids: z.object({ pmid: optionalText, pmcid: optionalText }).nullish().catch(undefined),
  authorships: listOf(z.object({ author: z.object({ display_name: z.string() }) }))
    .catch([])
    .default([]),
  abstract_inverted_index: z.record(z.string(), z.array(z.number())).nullish().catch(undefined),
  best_oa_location: z.object({ pdf_url: optionalText, landing_page_url: optionalText }).nullish().catch(undefined),
  cited_by_count: optionalNumber,
  referenced_works: z.array(z.string()).nullish().catch(undefined),
});
type Work = z.output<typeof Work>;
const Answer = z.object({
  meta: z.object({ count: optionalNumber }).nullish().catch(undefined),
  results: listOf(Work),
});

const MAX_PAGE = 100;
const MAX_PAGES = 5;
/** A longer abstract is cut. */
const MAX_ABSTRACT_WORDS = 2_000;
const FIELDS =
  "id,doi,display_name,publication_date,updated_date,ids,authorships,abstract_inverted_index,best_oa_location,cited_by_count";

/** Filter of related works by relation (docs.openalex.org, “Filter works”). */
const RELATION_FILTERS: Record<Relation, string> = { similar: "related_to", citers: "cites", references: "cited_by" };

/** Papers of OpenAlex, with its graph of citations (docs.openalex.org). */
export function createOpenalexPapers(web: ProviderWeb, { baseUrl }: { baseUrl: string }): PaperSource {
  async function list(
    parameters: Record<string, string>,
    { limit, deadlineMs }: { limit: number; deadlineMs: number },
  ): Promise<Asked<{ works: Work[]; total: number }>> {
    const works: Work[] = [];
    let total = 0;
    for (let page = 1; page <= MAX_PAGES && works.length < limit; page++) {
      const size = Math.min(MAX_PAGE, limit);
      const query = new URLSearchParams({ ...parameters, "per-page": String(size), page: String(page) });
      const asked = await askJson(web, { deadlineMs }, { url: `${baseUrl}/works?${query}`, schema: Answer });
      if (asked.kind === "failed" && page === 1) return asked;
      if (asked.kind === "failed") break;
      const { results, meta } = asked.value;
      works.push(...results);
      total = Math.max(Number(meta?.count ?? 0), works.length);
      if (results.length < size) break;
    }
    return { kind: "answered", value: { works: works.slice(0, limit), total } };
  }

  return {
    name: "openalex",
    filters: new Set(["authors"]),
    finds: new Set(["openalex", "doi", "pmid", "pmcid", "arxiv"]),
    async search(query) {
      const filter = filtersOf(query).join(",");
      const search = { search: plainWords(query.terms), select: FIELDS, ...(filter === "" ? {} : { filter }) };
      const asked = await list(search, query);
      return asked.kind === "failed" ? asked : { kind: "answered", value: asked.value.works.map(toPaper) };
    },
    async find(id, deadlineMs) {
      const url = `${baseUrl}/works/${pathOf(id)}?select=${FIELDS},referenced_works`;
      const asked = await askJson(web, { deadlineMs }, { url, schema: Work });
      if (isAbsent(asked)) return { kind: "answered", value: undefined };
      return asked.kind === "failed" ? asked : { kind: "answered", value: toPaper(asked.value) };
    },
    async related(works, { relation, limit, deadlineMs }) {
      const filter = `${RELATION_FILTERS[relation]}:${works.join("|")}`;
      const asked = await list({ filter, select: `${FIELDS},referenced_works` }, { limit, deadlineMs });
      if (asked.kind === "failed") return asked;
      return { kind: "answered", value: { papers: asked.value.works.map(toPaper), total: asked.value.total } };
    },
  };
}

function pathOf({ namespace, value }: PaperId): string {
  if (namespace === "openalex") return value;
  if (namespace === "arxiv") return `doi:10.48550/arxiv.${encodeURIComponent(value)}`;
  return `${namespace}:${namespace === "doi" ? encodeURI(value).replace(/[?#]/g, encodeURIComponent) : value}`;
}

function filtersOf({ authors, from, to }: PaperQuery): string[] {
  return [
    // Commas and bars separate filters and their values.
    ...authors.map((name) => `raw_author_name.search:${name.replace(/[,|:"!]/g, " ").trim()}`),
    ...(from === undefined ? [] : [`from_publication_date:${from}`]),
    ...(to === undefined ? [] : [`to_publication_date:${to}`]),
  ];
}

function toPaper(work: Work): Paper {
  const { pdf_url: pdf = "", landing_page_url: landing = "" } = work.best_oa_location ?? {};
  const addressed = parsePaperId(landing);
  const registered = [work.ids?.pmid ?? "", work.ids?.pmcid ?? ""].flatMap((url) => parsePaperId(url) ?? []);
  const references = work.referenced_works?.flatMap((url) => parsePaperId(url)?.value ?? []);
  return {
    ids: idsOf(
      ["openalex", work.id.split("/").at(-1)],
      ["doi", work.doi.replace(/^https?:\/\/doi\.org\//i, "")],
      ...registered.map(({ namespace, value }) => [namespace, value] as const),
      ...(addressed?.namespace === "arxiv" ? [["arxiv", addressed.value] as const] : []),
    ),
    title: plainSnippet(work.display_name),
    abstract: abstractOf(work.abstract_inverted_index ?? {}, MAX_ABSTRACT_WORDS),
    authors: work.authorships.map(({ author }) => author.display_name),
    categories: [],
    ...present("createdDate", work.publication_date),
    ...present("updateDate", work.updated_date),
    fullTextUrls: [pdf, landing].filter((url) => url !== ""),
    ...(typeof work.cited_by_count === "number" ? { citations: work.cited_by_count } : {}),
    ...(references === undefined ? {} : { references }),
  };
}

/** Puts an abstract together from the places of its words, up to a number of words. */
export function abstractOf(index: Record<string, number[]>, maxWords: number): string {
  const words: string[] = [];
  for (const [word, places] of Object.entries(index)) {
    for (const place of places) if (place >= 0 && place < maxWords) words[place] = word;
  }
  return words.filter((word) => word !== undefined).join(" ");
}
