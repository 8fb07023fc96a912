import { childElements, findElements, parseXml, type XmlElement } from "../../content/documents/containers/xml-tree.ts";
import { present } from "../response-fields.ts";
import { askText, failed, malformed, type Asked, type ProviderWeb } from "../ask.ts";
import { expressionOf, field } from "../providers/research/arxiv.ts";
import { idsOf, type Paper, type PaperQuery, type PaperSource } from "./paper.ts";

const MAX_RESULTS = 500;

/** Papers of arXiv by its query interface (info.arxiv.org/help/api), the only source with its categories. */
export function createArxivPapers(web: ProviderWeb, { baseUrl }: { baseUrl: string }): PaperSource {
  async function ask(parameters: Record<string, string>, deadlineMs: number): Promise<Asked<Paper[]>> {
    const url = `${baseUrl}/api/query?${new URLSearchParams(parameters)}`;
    const asked = await askText(web, { deadlineMs }, { url });
    if (asked.kind === "failed") return asked;
    if (!/<feed\b/.test(asked.value)) return malformed("it is no Atom feed");
    const entries = findElements(parseXml(asked.value), "entry");
    const [first] = entries;
    if (first !== undefined && field(first, "id").includes("/api/errors"))
      return failed("refused", `It refuses the request (${field(first, "summary")})`);
    return { kind: "answered", value: entries.flatMap((entry) => toPaper(entry, baseUrl)) };
  }

  return {
    name: "arxiv",
    filters: new Set(["authors", "categories"]),
    finds: new Set(["arxiv"]),
    async search(query) {
      const expression = expressionFor(query);
      if (expression === "") return { kind: "answered", value: [] };
      const parameters = { search_query: expression, start: "0", sortBy: "relevance" };
      return await ask({ ...parameters, max_results: String(Math.min(MAX_RESULTS, query.limit)) }, query.deadlineMs);
    },
    async find({ value }, deadlineMs) {
      const asked = await ask({ id_list: value, max_results: "1" }, deadlineMs);
      return asked.kind === "failed" ? asked : { kind: "answered", value: asked.value[0] };
    },
  };
}

function expressionFor({ terms, authors, categories, from, to, deadlineMs }: PaperQuery): string {
  const day = (date: string | undefined): number | undefined => (date === undefined ? undefined : Date.parse(date));
  const [fromMs, toMs] = [day(from), day(to)];
  const timeRange = {
    ...(fromMs === undefined ? {} : { fromMs }),
    // The last day is included.
    ...(toMs === undefined ? {} : { toMs: toMs + 86_399_000 }),
  };
  const words = expressionOf({ terms, deadlineMs, timeRange });
  if (words === "") return "";
  const quoted = (text: string): string => `"${text.replace(/["\\()]/g, " ").trim()}"`;
  return [
    words,
    ...authors.map((name) => `au:${quoted(name)}`),
    ...categories.map((category) => `cat:${category.replace(/[^\w.-]/g, "")}`),
  ].join(" AND ");
}

function toPaper(entry: XmlElement, baseUrl: string): Paper[] {
  const id = /\/abs\/(.+)$/.exec(field(entry, "id"))?.[1];
  const ids = idsOf(["arxiv", id], ["doi", field(entry, "arxiv:doi") || field(entry, "doi")]);
  const [own] = ids;
  if (own === undefined || own.namespace !== "arxiv") return [];
  return [
    {
      ids,
      title: field(entry, "title"),
      abstract: field(entry, "summary"),
      authors: childElements(entry, "author").map((author) => field(author, "name")),
      categories: [...new Set(childElements(entry, "category").flatMap(({ attributes }) => attributes["term"] ?? []))],
      ...present("createdDate", field(entry, "published")),
      ...present("updateDate", field(entry, "updated")),
      fullTextUrls: [`${baseUrl}/pdf/${own.value}`],
    },
  ];
}
