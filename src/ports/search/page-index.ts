import type { SearchTerms } from "../../core/search/search-query.ts";

/** A page to index. */
export interface IndexedPage {
  url: string;
  title: string;
  description: string;
  /** ISO 639, in lower case; empty when the page does not declare it. */
  language: string;
  /** The page's text, without markup. */
  body: string;
  /** `pdf`, `html`, … */
  fileType: string;
  /** Date of publication or last change that the page states; otherwise the time at which it was read. */
  datedAtMs: number;
  /** Id of the scrape that read the page. */
  scrapeId: string;
}

export interface PageQuery {
  terms: SearchTerms;
  /** Required primary language; pages that declare none also match. */
  language?: string;
  fromMs?: number;
  toMs?: number;
  newestFirst?: boolean;
  limit: number;
  /** Pages read before this moment do not match. */
  indexedAfterMs: number;
}

export interface FoundPage {
  url: string;
  title: string;
  description: string;
  body: string;
  datedAtMs: number;
  /** Id of the scrape that the page was indexed from, whose result may have expired; null when unknown. */
  scrapeId: string | null;
}

/** Size of a team's index. */
export interface IndexSize {
  /** Number of pages, including those that have expired and are not deleted yet. */
  pages: number;
  bytes: number;
  /** Number of databases that the index is divided into. */
  shards: number;
  /** True when new pages are not added until others expire. */
  isFull: boolean;
}

/** Full-text search over the pages that a team has read. A team never finds pages of another team. */
export interface PageIndex {
  /**
   * Adds pages or replaces the entries of their URLs. Idempotent. Pages are deleted after the retention.
   * @returns the number of pages for which the index had no room.
   */
  put(
    teamId: string,
    pages: readonly IndexedPage[],
    options: { nowMs: number; retentionMs: number },
  ): Promise<{ refused: number }>;
  /**
   * Renews the entries of pages that are known to be unchanged, as `put` with the same content would. Nothing is written
   * before half of the retention is over. Pages without an entry, and entries that have expired, are left as they are.
   */
  confirm(
    teamId: string,
    urls: readonly string[],
    options: { nowMs: number; retentionMs: number },
  ): Promise<{ refused: number }>;
  /** Returns matching pages, best first, including those that were put just before. */
  search(teamId: string, query: PageQuery): Promise<FoundPage[]>;
  size(teamId: string): Promise<IndexSize>;
}
