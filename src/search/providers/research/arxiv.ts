import {
  childElement,
  childElements,
  findElements,
  parseXml,
  textOf,
  type XmlElement,
} from "../../../content/documents/containers/xml-tree.ts";
import { withoutStopWords } from "../../../core/search/stop-words.ts";
import { wordsOf } from "../../../core/search/words.ts";
import { present } from "../../response-fields.ts";
import { askText, failed, malformed, type ProviderWeb } from "../../ask.ts";
import type { SearchHit, SearchProvider, SearchQuery } from "../../provider.ts";

const MAX_RESULTS = 100;
const MAX_WORDS = 12;
const DESCRIPTION_CHARS = 400;
const FIRST_DAY_MS = Date.UTC(1991, 0, 1);

/** arXiv's papers by its query interface (info.arxiv.org/help/api), which answers an Atom feed. */
export function createArxiv(web: ProviderWeb, { baseUrl }: { baseUrl: string }): SearchProvider {
  return {
    name: "arxiv",
    places: new Set(["research", "pdf"]),
    fulfils: new Set(["tbs"]),
    hosts: ["arxiv.org"],
    async search(query) {
      const expression = expressionOf(query);
      if (expression === "") return { kind: "answered", hits: [] };
      const parameters = new URLSearchParams({
        search_query: expression,
        start: "0",
        max_results: String(Math.min(MAX_RESULTS, query.limit)),
        sortBy: query.timeRange?.newestFirst === true ? "submittedDate" : "relevance",
      });
      const asked = await askText(web, query, { url: `${baseUrl}/api/query?${parameters}` });
      if (asked.kind === "failed") return asked;
      if (!/<feed\b/.test(asked.value)) return malformed("it is no Atom feed");
      const entries = findElements(parseXml(asked.value), "entry");
      const [first] = entries;
      if (first !== undefined && field(first, "id").includes("/api/errors"))
        return failed("refused", `It refuses the request (${field(first, "summary")})`);
      return { kind: "answered", hits: entries.flatMap((entry) => toHit(entry, query)) };
    },
  };
}

/** Every word somewhere in the paper's record; common words would match nothing. */
export function expressionOf({
  terms,
  timeRange,
  deadlineMs,
}: Pick<SearchQuery, "terms" | "timeRange" | "deadlineMs">): string {
  const single = terms.groups.flat().flatMap(({ text, isPhrase }) => (isPhrase ? [] : wordsOf(text)));
  const telling = new Set(withoutStopWords(single));
  const clauses = terms.groups
    .flatMap((group) => {
      const alternatives = group.flatMap(({ text, isPhrase }) => {
        const words = wordsOf(text);
        if (words.length === 0) return [];
        return isPhrase
          ? [`all:"${words.join(" ")}"`]
          : words.filter((word) => telling.has(word)).map((word) => `all:${word}`);
      });
      return alternatives.length > 1 && group.length > 1 ? [`(${alternatives.join(" OR ")})`] : alternatives;
    })
    .slice(0, MAX_WORDS);
  if (clauses.length === 0) return "";
  const { fromMs, toMs } = timeRange ?? {};
  if (fromMs === undefined && toMs === undefined) return clauses.join(" AND ");
  const stamp = (ms: number): string => new Date(ms).toISOString().slice(0, 16).replace(/[-T:]/g, "");
  const range = `submittedDate:[${stamp(fromMs ?? FIRST_DAY_MS)} TO ${stamp(toMs ?? deadlineMs)}]`;
  return [...clauses, range].join(" AND ");
}

function toHit(entry: XmlElement, { category }: SearchQuery): SearchHit[] {
  const id = field(entry, "id");
  if (!/^https?:/.test(id)) return [];
  const authors = childElements(entry, "author").map((author) => field(author, "name"));
  const summary = field(entry, "summary");
  const pdf = childElements(entry, "link").find(({ attributes }) => attributes["title"] === "pdf")?.attributes["href"];
  const url = category === "pdf" && pdf !== undefined ? pdf : id;
  return [
    {
      url: url.replace(/^http:/, "https:"),
      title: field(entry, "title"),
      description: `${authors.slice(0, 3).join(", ")}${authors.length > 3 ? " et al." : ""}. ${cut(summary)}`,
      ...present("date", field(entry, "published")),
    },
  ];
}

/** Returns the text of a child element, on one line; empty when there is none. */
export function field(element: XmlElement, name: string): string {
  return textOf(childElement(element, name)).replace(/\s+/g, " ").trim();
}

function cut(text: string): string {
  return text.length <= DESCRIPTION_CHARS ? text : `${text.slice(0, text.lastIndexOf(" ", DESCRIPTION_CHARS))} …`;
}
