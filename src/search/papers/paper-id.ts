/** Registries of papers, in the order in which one is preferred as a paper's id. */
export const ID_NAMESPACES = ["arxiv", "pmid", "doi", "pmcid", "openalex"] as const;
export type IdNamespace = (typeof ID_NAMESPACES)[number];

/** The id of a paper in one registry, in its normal form. */
export interface PaperId {
  namespace: IdNamespace;
  value: string;
}

const MAX_ID_CHARS = 300;
const ARXIV = /^(?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?\/\d{7})(?:v\d+)?$/i;
const DOI = /^10\.\d{4,9}\/\S+$/;

/** Patterns of the URLs of each registry, with the id in a group. */
const URL_PATTERNS: readonly [IdNamespace, RegExp][] = [
  ["arxiv", /^https?:\/\/(?:www\.|export\.)?arxiv\.org\/(?:abs|pdf|html)\/(.+?)(?:\.pdf)?$/i],
  ["doi", /^https?:\/\/(?:dx\.)?doi\.org\/(.+)$/i],
  ["pmid", /^https?:\/\/pubmed\.ncbi\.nlm\.nih\.gov\/(\d+)/i],
  ["pmcid", /^https?:\/\/(?:www\.ncbi\.nlm\.nih\.gov\/pmc|pmc\.ncbi\.nlm\.nih\.gov)\/articles\/(?:PMC)?(\d+)/i],
  ["openalex", /^https?:\/\/(?:api\.)?openalex\.org\/(?:works\/)?(W\d+)$/i],
];

/**
 * Reads the id of a paper: `namespace:id`, a bare arXiv id, DOI, PMC id, OpenAlex id or PubMed number, or the URL of
 * a paper at one of these registries.
 * @returns undefined for other texts.
 */
export function parsePaperId(text: string): PaperId | undefined {
  const trimmed = text.trim();
  if (trimmed === "" || trimmed.length > MAX_ID_CHARS) return undefined;
  for (const [namespace, pattern] of URL_PATTERNS) {
    const match = pattern.exec(trimmed);
    if (match !== null) return normalId(namespace, match[1] ?? "");
  }
  const [, name = "", value = ""] = /^([a-z]+):(.+)$/i.exec(trimmed) ?? [];
  const namespace = ID_NAMESPACES.find((known) => known === name.toLowerCase());
  if (namespace !== undefined) return normalId(namespace, value.trim());
  if (ARXIV.test(trimmed)) return normalId("arxiv", trimmed);
  if (DOI.test(trimmed)) return normalId("doi", trimmed);
  if (/^PMC\d+$/i.test(trimmed)) return normalId("pmcid", trimmed);
  if (/^W\d+$/i.test(trimmed)) return normalId("openalex", trimmed);
  return /^\d{1,9}$/.test(trimmed) ? normalId("pmid", trimmed) : undefined;
}

/** Returns the normal form of an id; undefined when the text is not an id of this registry. */
export function normalId(namespace: IdNamespace, text: string): PaperId | undefined {
  const value = NORMAL[namespace](text.trim());
  if (value === undefined) return undefined;
  // arXiv registers a DOI for each of its papers.
  const [, arxiv] = namespace === "doi" ? (/^10\.48550\/arxiv\.(.+)$/.exec(value) ?? []) : [];
  return arxiv === undefined ? { namespace, value } : normalId("arxiv", arxiv);
}

const NORMAL: Record<IdNamespace, (text: string) => string | undefined> = {
  arxiv: (text) => (ARXIV.test(text) ? text.toLowerCase().replace(/v\d+$/, "") : undefined),
  doi: (text) => (DOI.test(text) ? text.toLowerCase() : undefined),
  pmid: (text) => (/^\d{1,9}$/.test(text) ? text : undefined),
  pmcid: (text) => /^(?:PMC)?(\d{1,9})$/i.exec(text)?.[1]?.replace(/^/, "PMC"),
  openalex: (text) => (/^W\d{1,12}$/i.test(text) ? text.toUpperCase() : undefined),
};

/** Writes an id as `namespace:id`. */
export function writePaperId({ namespace, value }: PaperId): string {
  return `${namespace}:${value}`;
}
