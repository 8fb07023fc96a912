import type { SearchTerms } from "../../core/search/search-query.ts";

/** A page to be found again. */
export interface IndexedPage {
  url: string;
  title: string;
  description: string;
  /** ISO 639, in lower case; empty when the page does not say. */
  language: string;
  /** The page's text, without markup. */
  body: string;
  /** `pdf`, `html`, … */
  fileType: string;
  /** When the page says that it was published or changed last; when it was read if it does not. */
  datedAtMs: number;
  /** The scrape that it was read by. */
  scrapeId: string;
}

export interface PageQuery {
  terms: SearchTerms;
  /** Primary language that pages must have; pages that do not say theirs are found all the same. */
  language?: string;
  fromMs?: number;
  toMs?: number;
  newestFirst?: boolean;
  limit: number;
  /** Pages that were read before are forgotten. */
  indexedAfterMs: number;
}

export interface FoundPage {
  url: string;
  title: string;
  description: string;
  body: string;
  datedAtMs: number;
  /** The scrape that it was indexed from, whose result may have expired; null where none is known. */
  scrapeId: string | null;
}

/** Full-text search over what a team has read. Nobody finds what another team reads. */
export interface PageIndex {
  /** Adds pages or replaces what is known of their URLs. Doing it twice does no harm. */
  put(teamId: string, pages: readonly IndexedPage[], options: { nowMs: number; retentionMs: number }): Promise<void>;
  /** Best first. */
  search(teamId: string, query: PageQuery): Promise<FoundPage[]>;
  /** Forgets up to `limit` pages that were read before a moment. @returns how many. */
  purge(indexedBeforeMs: number, limit: number): Promise<number>;
}
