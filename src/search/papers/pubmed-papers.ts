import { z } from "zod";
import {
  childElement,
  childElements,
  findElements,
  parseXml,
  textOf,
  type XmlElement,
} from "../../content/documents/containers/xml-tree.ts";
import { plainWords } from "../../core/search/search-query.ts";
import { optionalText, present } from "../response-fields.ts";
import { askJson, askText, failed, malformed, type Asked, type ProviderWeb } from "../ask.ts";
import { idsOf, type Paper, type PaperQuery, type PaperSource } from "./paper.ts";

const Found = z.object({
  esearchresult: z.object({ ERROR: optionalText, idlist: z.array(z.string()).default([]) }),
});

const MAX_RESULTS = 200;
/** Text of one paper that is searched for passages. */
const MAX_TEXT_CHARS = 1_000_000;
const EUTILS = "/entrez/eutils";
const FIRST_DAY = "1800/01/01";
const LAST_DAY = "3000/12/31";

/**
 * Papers of PubMed by NCBI's E-utilities (www.ncbi.nlm.nih.gov/books/NBK25499): ids first, then their records; and the
 * full text of those that PubMed Central has for everybody.
 */
export function createPubmedPapers(web: ProviderWeb, { baseUrl }: { baseUrl: string }): PaperSource {
  async function fetchXml(db: "pubmed" | "pmc", ids: string, deadlineMs: number): Promise<Asked<XmlElement>> {
    const parameters = new URLSearchParams({ db, id: ids, retmode: "xml" });
    const asked = await askText(web, { deadlineMs }, { url: `${baseUrl}${EUTILS}/efetch.fcgi?${parameters}` });
    if (asked.kind === "failed") return asked;
    if (!/<(?:PubmedArticleSet|pmc-articleset)\b/.test(asked.value)) return malformed("it is no set of articles");
    return { kind: "answered", value: parseXml(asked.value) };
  }

  async function fetchPapers(ids: readonly string[], deadlineMs: number): Promise<Asked<Paper[]>> {
    if (ids.length === 0) return { kind: "answered", value: [] };
    const asked = await fetchXml("pubmed", ids.join(","), deadlineMs);
    if (asked.kind === "failed") return asked;
    return { kind: "answered", value: findElements(asked.value, "PubmedArticle").flatMap(toPaper) };
  }

  return {
    name: "pubmed",
    filters: new Set(["authors"]),
    finds: new Set(["pmid"]),
    async search(query) {
      const url = `${baseUrl}${EUTILS}/esearch.fcgi?${searchParameters(query)}`;
      const asked = await askJson(web, query, { url, schema: Found });
      if (asked.kind === "failed") return asked;
      const { ERROR: error, idlist } = asked.value.esearchresult;
      if (error !== "") return failed("server_error", `It could not search (${error})`);
      return await fetchPapers(idlist, query.deadlineMs);
    },
    async find({ value }, deadlineMs) {
      const asked = await fetchPapers([value], deadlineMs);
      return asked.kind === "failed" ? asked : { kind: "answered", value: asked.value[0] };
    },
    async readText({ ids }, deadlineMs) {
      const id = ids.find(({ namespace }) => namespace === "pmcid")?.value;
      if (id === undefined) return { kind: "answered", value: undefined };
      const asked = await fetchXml("pmc", id.replace("PMC", ""), deadlineMs);
      if (asked.kind === "failed") return asked;
      const [body] = findElements(asked.value, "body");
      return { kind: "answered", value: body === undefined ? undefined : paragraphsOf(body) };
    },
  };
}

function searchParameters({ terms, limit, authors, from, to }: PaperQuery): URLSearchParams {
  const term = [plainWords(terms), ...authors.map((name) => `${name.replace(/["()[\]]/g, " ").trim()}[Author]`)].join(
    " AND ",
  );
  const day = (date: string | undefined): string | undefined => date?.replaceAll("-", "/");
  return new URLSearchParams({
    db: "pubmed",
    retmode: "json",
    retmax: String(Math.min(MAX_RESULTS, limit)),
    sort: "relevance",
    term,
    ...(from === undefined && to === undefined
      ? {}
      : { datetype: "pdat", mindate: day(from) ?? FIRST_DAY, maxdate: day(to) ?? LAST_DAY }),
  });
}

const line = (element: XmlElement | undefined): string => textOf(element).replace(/\s+/g, " ").trim();

function toPaper(record: XmlElement): Paper[] {
  const citation = childElement(record, "MedlineCitation");
  const article = childElement(citation, "Article");
  if (citation === undefined || article === undefined) return [];
  const listed = childElements(childElement(childElement(record, "PubmedData"), "ArticleIdList"), "ArticleId");
  const idOf = (type: string): string => line(listed.find(({ attributes }) => attributes["IdType"] === type));
  const ids = idsOf(["pmid", line(childElement(citation, "PMID"))], ["doi", idOf("doi")], ["pmcid", idOf("pmc")]);
  if (ids.length === 0) return [];
  const abstract = childElements(childElement(article, "Abstract"), "AbstractText").map((part) => {
    const label = part.attributes["Label"];
    return label === undefined ? line(part) : `${label}: ${line(part)}`;
  });
  return [
    {
      ids,
      title: line(childElement(article, "ArticleTitle")),
      abstract: abstract.join(" "),
      authors: childElements(childElement(article, "AuthorList"), "Author").flatMap(authorOf),
      categories: [],
      ...present("createdDate", dateOf(article)),
      ...present("updateDate", dayOf(childElement(citation, "DateRevised"))),
      fullTextUrls: [],
    },
  ];
}

function authorOf(author: XmlElement): string[] {
  const names = ["ForeName", "LastName", "CollectiveName"].map((part) => line(childElement(author, part)));
  const name = names.filter((text) => text !== "").join(" ");
  return name === "" ? [] : [name];
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** Returns the day of electronic publication, otherwise that of the issue. */
function dateOf(article: XmlElement): string {
  const electronic = dayOf(childElement(article, "ArticleDate"));
  const issue = childElement(childElement(article, "Journal"), "JournalIssue");
  return electronic === "" ? dayOf(childElement(issue, "PubDate")) : electronic;
}

function dayOf(date: XmlElement | undefined): string {
  const [year, month, day] = ["Year", "Month", "Day"].map((part) => line(childElement(date, part)));
  const named = MONTHS.indexOf((month ?? "").slice(0, 3).toLowerCase()) + 1;
  const parts = [year, named > 0 ? String(named) : month, day];
  const known = parts.slice(0, parts.findIndex((part) => !/^\d+$/.test(part ?? "")) >>> 0);
  return known.map((part) => String(part).padStart(2, "0")).join("-");
}

/** Returns the paragraphs and titles of a JATS body, with a blank line between them. */
function paragraphsOf(body: XmlElement): string {
  const parts: string[] = [];
  let chars = 0;
  const rest: XmlElement[] = [body];
  for (let element = rest.pop(); element !== undefined && chars < MAX_TEXT_CHARS; element = rest.pop()) {
    if (element.name === "p" || element.name === "title") {
      const text = line(element);
      parts.push(element.name === "title" ? `# ${text}` : text);
      chars += text.length;
    } else {
      rest.push(...element.children.filter((child): child is XmlElement => typeof child !== "string").toReversed());
    }
  }
  return parts.join("\n\n");
}
