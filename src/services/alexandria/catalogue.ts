import { withoutPrototype } from "../../core/without-prototype.ts";

/** An option of a capability, as its contract declares it. */
export interface CapabilityOption {
  name: string;
  type: "string" | "integer";
  required: boolean;
  about: string;
}

/** A capability: one kind of request to one provider. */
export interface Capability {
  provider: string;
  capability: string;
  name: string;
  description: string;
  whenToUse: string;
  category: string;
  /** Hosts whose pages its records are about. */
  hosts: readonly string[];
  /** Papers have more fields and filters than other records. */
  kind: "papers" | "web" | "news" | "github";
}

/** Credits of one successful call. */
export const CALL_CREDITS = 2;
export const MAX_RECORDS = 50;
export const DEFAULT_RECORDS = 10;

export const CATEGORIES: Readonly<Record<string, string>> = withoutPrototype({
  research: "Papers and their records",
  developer: "Repositories of source code",
  knowledge: "Entities with their labels and descriptions",
  news: "Articles of the press of the world",
  "own-pages": "Pages that your team has scraped and crawled",
});

/** Every capability of this service: its providers that need no key. */
export const CAPABILITIES: readonly Capability[] = [
  {
    provider: "openalex",
    capability: "works/search",
    name: "Search OpenAlex",
    description: "Find scholarly works of all fields with abstracts, authors and citations.",
    whenToUse: "Papers, studies and citations of any field of research.",
    category: "research",
    hosts: ["openalex.org", "doi.org"],
    kind: "papers",
  },
  {
    provider: "arxiv",
    capability: "papers/search",
    name: "Search arXiv",
    description: "Find preprints of physics, mathematics and computer science with abstracts and categories.",
    whenToUse: "Papers and preprints of physics, mathematics, machine learning and computer science.",
    category: "research",
    hosts: ["arxiv.org"],
    kind: "papers",
  },
  {
    provider: "crossref",
    capability: "works/search",
    name: "Search Crossref",
    description: "Find registered publications with DOI, authors and dates.",
    whenToUse: "The DOI or the record of a publication, an article or a book.",
    category: "research",
    hosts: ["crossref.org", "doi.org"],
    kind: "papers",
  },
  {
    provider: "pubmed",
    capability: "papers/search",
    name: "Search PubMed",
    description: "Find biomedical and clinical papers with abstracts and authors.",
    whenToUse: "Papers and studies of medicine, health, biology and clinical trials.",
    category: "research",
    hosts: ["pubmed.ncbi.nlm.nih.gov", "ncbi.nlm.nih.gov"],
    kind: "papers",
  },
  {
    provider: "github",
    capability: "repositories/search",
    name: "Search GitHub",
    description: "Find repositories of source code with description, language and stars.",
    whenToUse: "Open source code, libraries and repositories of software.",
    category: "developer",
    hosts: ["github.com"],
    kind: "github",
  },
  {
    provider: "wikidata",
    capability: "entities/search",
    name: "Search Wikidata",
    description: "Find entities such as persons, places and companies by their label.",
    whenToUse: "The identity of a person, place, company or concept.",
    category: "knowledge",
    hosts: ["wikidata.org", "wikipedia.org"],
    kind: "web",
  },
  {
    provider: "gdelt",
    capability: "articles/search",
    name: "Search GDELT",
    description: "Find news articles of the last three months from the press of the world.",
    whenToUse: "Current news and reports in the press about an event, company or person.",
    category: "news",
    hosts: ["gdeltproject.org"],
    kind: "news",
  },
  {
    provider: "own-index",
    capability: "pages/search",
    name: "Search your pages",
    description: "Find pages that your team has scraped and crawled, by their full text.",
    whenToUse: "Pages that were read before.",
    category: "own-pages",
    hosts: [],
    kind: "web",
  },
];

const QUERY: CapabilityOption = {
  name: "query",
  type: "string",
  required: true,
  about: "Words to search for, 1 to 2,000 characters.",
};
const LIMIT: CapabilityOption = {
  name: "limit",
  type: "integer",
  required: false,
  about: `Maximum number of records, 1 to ${MAX_RECORDS}. Default: ${DEFAULT_RECORDS}.`,
};
const dayOption = (name: string, about: string): CapabilityOption => ({ name, type: "string", required: false, about });

/** Returns the options of a capability's contract. */
export function optionsOf({ kind }: Capability): CapabilityOption[] {
  const days = [
    dayOption("from", "First day of publication, as YYYY-MM-DD. Default: no limit."),
    dayOption("to", "Last day of publication, as YYYY-MM-DD. Default: no limit."),
  ];
  return [QUERY, LIMIT, ...(kind === "papers" ? days : [])];
}

/** Returns the fields of a capability's records. */
export function recordFieldsOf({ kind }: Capability): { name: string; type: string }[] {
  const texts = kind === "papers" ? ["paperId", "title", "abstract", "authors", "createdDate"] : ["url", "title"];
  const fields = [...texts, ...(kind === "papers" ? [] : ["description", "date"])];
  return [
    ...fields.map((name) => ({ name, type: "string" })),
    ...(kind === "papers" ? [{ name: "ids", type: "object" }] : []),
  ];
}
