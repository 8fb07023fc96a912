import { wordsOf } from "../../core/search/words.ts";
import { idsOf, type Paper } from "./paper.ts";
import { writePaperId } from "./paper-id.ts";

export interface FusedPaper {
  paper: Paper;
  /** Sum of the reciprocal ranks. */
  score: number;
  sources: string[];
}

/** Constant of reciprocal rank fusion, as in its paper. */
const RANK_OFFSET = 60;
/** Shorter titles, such as “Introduction”, do not identify a paper. */
const LEAST_TITLE_CHARS = 20;

/**
 * Merges lists of papers into one by reciprocal rank fusion (Cormack, Clarke, Büttcher 2009). Papers that share an id,
 * or a title, are one; each fills the fields that the others leave empty.
 */
export function fusePapers(lists: readonly { source: string; papers: readonly Paper[] }[]): FusedPaper[] {
  const byKey = new Map<string, FusedPaper>();
  const fused = new Set<FusedPaper>();
  for (const { source, papers } of lists) {
    for (const [rank, paper] of papers.entries()) {
      const keys = keysOf(paper);
      const known = keys.map((key) => byKey.get(key)).find((entry) => entry !== undefined);
      if (known?.sources.includes(source) === true) continue;
      const gain = 1 / (RANK_OFFSET + rank + 1);
      const entry = known ?? { paper, score: 0, sources: [] };
      entry.paper = joinPapers(entry.paper, paper);
      entry.score += gain;
      entry.sources.push(source);
      fused.add(entry);
      for (const key of [...keys, ...keysOf(entry.paper)]) byKey.set(key, entry);
    }
  }
  return [...fused].sort((left, right) => right.score - left.score);
}

function keysOf({ ids, title }: Paper): string[] {
  const words = wordsOf(title).join(" ");
  return [...ids.map(writePaperId), ...(words.length < LEAST_TITLE_CHARS ? [] : [`title:${words}`])];
}

/** Merges two descriptions of the same paper; the values of the first have precedence. */
export function joinPapers(first: Paper, next: Paper): Paper {
  if (first === next) return first;
  return {
    ...next,
    ...first,
    ids: idsOf(...[...first.ids, ...next.ids].map(({ namespace, value }) => [namespace, value] as const)),
    title: first.title || next.title,
    abstract: first.abstract.length >= next.abstract.length ? first.abstract : next.abstract,
    authors: first.authors.length > 0 ? first.authors : next.authors,
    categories: first.categories.length > 0 ? first.categories : next.categories,
    fullTextUrls: [...new Set([...first.fullTextUrls, ...next.fullTextUrls])],
  };
}
