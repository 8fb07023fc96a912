import { z } from "zod";
import { plainWords } from "../../../core/search/search-query.ts";
import { isoDay } from "../../../core/search/time-range.ts";
import { listOf, optionalText, plainSnippet, present } from "../../response-fields.ts";
import { askJson, failed, malformed, toOutcome, type ProviderWeb } from "../../ask.ts";
import type { ProviderOutcome, SearchProvider, SearchQuery } from "../../provider.ts";

const Found = z.object({
  esearchresult: z.object({ ERROR: optionalText, idlist: z.array(z.string()).default([]) }),
});
const Author = z.object({ name: z.string() });
const Summary = z.object({
  uid: z.string(),
  title: optionalText,
  sortpubdate: optionalText,
  fulljournalname: optionalText,
  authors: listOf(Author).catch([]).default([]),
});
const Summaries = z.object({ result: z.looseObject({ uids: z.array(z.string()) }) });

const MAX_RESULTS = 100;
const EUTILS = "/entrez/eutils";

/** PubMed's records by NCBI's E-utilities (www.ncbi.nlm.nih.gov/books/NBK25499): ids first, then their records. */
export function createPubmed(web: ProviderWeb, { baseUrl }: { baseUrl: string }): SearchProvider {
  return {
    name: "pubmed",
    places: new Set(["research"]),
    fulfils: new Set(["tbs"]),
    hosts: ["pubmed.ncbi.nlm.nih.gov"],
    async search(query) {
      const url = `${baseUrl}${EUTILS}/esearch.fcgi?${searchParameters(query)}`;
      const asked = await askJson(web, query, { url, schema: Found });
      if (asked.kind === "failed") return asked;
      const { ERROR: error, idlist } = asked.value.esearchresult;
      if (error !== "") return failed("server_error", `It could not search (${error})`);
      return idlist.length === 0 ? { kind: "answered", hits: [] } : await summarise(idlist, query);
    },
  };

  async function summarise(ids: string[], query: SearchQuery): Promise<ProviderOutcome> {
    const parameters = new URLSearchParams({ db: "pubmed", retmode: "json", id: ids.join(",") });
    const url = `${baseUrl}${EUTILS}/esummary.fcgi?${parameters}`;
    const asked = await askJson(web, query, { url, schema: Summaries });
    if (asked.kind === "failed") return asked;
    const { result } = asked.value;
    const records = result.uids.flatMap((uid) => {
      const parsed = Summary.safeParse(result[uid]);
      return parsed.success ? [parsed.data] : [];
    });
    if (records.length === 0) return malformed("none of its records has the documented fields");
    return toOutcome({ kind: "answered", value: records }, (list) => list.map(toHit));
  }
}

/** The year of the oldest articles. */
const FIRST_DAY_MS = Date.UTC(1800, 0, 1);

function searchParameters({ terms, limit, timeRange, deadlineMs }: SearchQuery): URLSearchParams {
  const { fromMs, toMs, newestFirst } = timeRange ?? {};
  const day = (ms: number): string => isoDay(ms).replaceAll("-", "/");
  return new URLSearchParams({
    db: "pubmed",
    retmode: "json",
    retmax: String(Math.min(MAX_RESULTS, limit)),
    sort: newestFirst === true ? "pub_date" : "relevance",
    term: plainWords(terms),
    ...(fromMs === undefined && toMs === undefined
      ? {}
      : { datetype: "pdat", mindate: day(fromMs ?? FIRST_DAY_MS), maxdate: day(toMs ?? deadlineMs) }),
  });
}

function toHit({ uid, title, sortpubdate, fulljournalname, authors }: z.output<typeof Summary>) {
  const names = authors.slice(0, 3).map(({ name }) => name);
  const others = authors.length > names.length ? " et al." : "";
  return {
    url: `https://pubmed.ncbi.nlm.nih.gov/${uid}/`,
    title: plainSnippet(title),
    description: [fulljournalname, `${names.join(", ")}${others}`].filter((text) => text !== "").join(". "),
    ...present("date", sortpubdate.slice(0, 10).replaceAll("/", "-")),
  };
}
