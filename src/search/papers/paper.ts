import type { SearchTerms } from "../../core/search/search-query.ts";
import type { Asked } from "../ask.ts";
import { ID_NAMESPACES, normalId, writePaperId, type IdNamespace, type PaperId } from "./paper-id.ts";

/** A paper as one source describes it. */
export interface Paper {
  /** At least one. */
  ids: PaperId[];
  title: string;
  /** Plain text; empty when the source has none. */
  abstract: string;
  /** Names, given name first. */
  authors: string[];
  /** Subject categories of arXiv. */
  categories: string[];
  /** ISO 8601, as exact as the source has it. */
  createdDate?: string;
  updateDate?: string;
  /** Addresses of the paper's text, best first. */
  fullTextUrls: string[];
  /** Number of papers that cite it. */
  citations?: number;
  /** OpenAlex ids of the papers that it cites, where requested. */
  references?: string[];
}

/** One question to one source of papers. */
export interface PaperQuery {
  text: string;
  terms: SearchTerms;
  limit: number;
  /** Names, or parts of them; all must match. */
  authors: readonly string[];
  /** Categories of arXiv; all must match. */
  categories: readonly string[];
  /** First and last day in ISO 8601. */
  from?: string;
  to?: string;
  teamId: string;
  /** Ms since the epoch. */
  deadlineMs: number;
}

export const RELATIONS = ["similar", "citers", "references"] as const;
export type Relation = (typeof RELATIONS)[number];

/** Papers that are related to others, in the source's order. */
export interface RelatedPapers {
  papers: Paper[];
  /** Number of related papers that the source knows, also of those that it has not returned. */
  total: number;
}

/** A source of papers. It never throws: what went wrong is an outcome. */
export interface PaperSource {
  name: string;
  /** Filters that it applies; it is not asked when a query has another. */
  filters: ReadonlySet<"authors" | "categories">;
  search(query: PaperQuery): Promise<Asked<Paper[]>>;
  /** Registries whose ids `find` looks up. */
  finds: ReadonlySet<IdNamespace>;
  /** @returns undefined as the value when it has no such paper. */
  find?(id: PaperId, deadlineMs: number): Promise<Asked<Paper | undefined>>;
  /** @param works OpenAlex ids of the papers to start from. */
  related?(works: readonly string[], wanted: RelatedQuery): Promise<Asked<RelatedPapers>>;
  /** Returns the paper's text as far as the source itself has it. */
  readText?(paper: Paper, deadlineMs: number): Promise<Asked<string | undefined>>;
}

export interface RelatedQuery {
  relation: Relation;
  limit: number;
  deadlineMs: number;
}

/** Returns the distinct ids among several that may be absent or malformed. */
export function idsOf(...found: readonly (readonly [IdNamespace, string | null | undefined])[]): PaperId[] {
  const ids = found.flatMap(([namespace, text]) => normalId(namespace, text ?? "") ?? []);
  return [...new Map(ids.map((id) => [writePaperId(id), id])).values()];
}

/** Returns the id under which a paper is known: that of the first registry in the order of `ID_NAMESPACES`. */
export function primaryIdOf({ ids }: Pick<Paper, "ids">): PaperId | undefined {
  const inOrder = ids.toSorted((left, right) => rankOf(left) - rankOf(right));
  return inOrder[0];
}

function rankOf({ namespace }: PaperId): number {
  return ID_NAMESPACES.indexOf(namespace);
}

/** Returns the OpenAlex id of a paper; undefined when it is not known. */
export function openalexIdOf({ ids }: Pick<Paper, "ids">): string | undefined {
  return ids.find(({ namespace }) => namespace === "openalex")?.value;
}
