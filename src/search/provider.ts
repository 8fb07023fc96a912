import type { AppError } from "../core/errors.ts";
import type { SearchTerms } from "../core/search/search-query.ts";
import type { TimeRange } from "../core/search/time-range.ts";

export const SOURCES = ["web", "images", "news"] as const;
export type SearchSource = (typeof SOURCES)[number];

export const CATEGORIES = ["github", "research", "pdf", "developer", "gov"] as const;
export type SearchCategory = (typeof CATEGORIES)[number];

/** The kind of results to request: a source, or a category of web results. */
export const PLACES = [...SOURCES, ...CATEGORIES] as const;
export type SearchPlace = (typeof PLACES)[number];

/** Filters of a query that not every provider supports. */
export type SearchFilter = "tbs" | "lang" | "country" | "location" | "safe" | "filter";

/** One question to one provider. */
export interface SearchQuery {
  /** As the caller wrote it. */
  text: string;
  terms: SearchTerms;
  source: SearchSource;
  category?: SearchCategory;
  limit: number;
  /** Hosts to stay on, and hosts to stay away from. One of the two lists is empty. */
  includeDomains: readonly string[];
  excludeDomains: readonly string[];
  timeRange?: TimeRange;
  /** The time range as Google writes it. */
  tbs?: string;
  /** ISO 639-1, in lower case. */
  language?: string;
  /** The language with its region or script, such as `pt-br` or `zh-hant`, in lower case. */
  languageTag?: string;
  /** ISO 3166-1 alpha-2, in lower case. */
  country?: string;
  /** A place in words. */
  location?: string;
  safe?: boolean;
  /** Google's `filter`: `0` shows similar results too. */
  filter?: string;
  /** Whose own pages may be found. */
  teamId: string;
  /** Ms since the epoch. */
  deadlineMs: number;
}

/** One result of a provider; texts are plain, without markup. */
export interface SearchHit {
  url: string;
  title: string;
  description: string;
  /** When it was published: ISO 8601, or the provider's own words. */
  date?: string;
  imageUrl?: string;
  imageWidth?: number;
  imageHeight?: number;
  /** The scrape that it was read by, of a page of this deployment's own index. */
  scrapeId?: string;
}

export type FailureReason =
  | "unauthorized"
  | "rate_limited"
  | "refused"
  | "server_error"
  | "timed_out"
  | "unreachable"
  | "malformed";

export type ProviderOutcome =
  | { kind: "answered"; hits: SearchHit[] }
  | {
      kind: "failed";
      reason: FailureReason;
      /** For the caller: what happened, without secrets. */
      message: string;
      /** Time until the provider accepts requests again, in ms. */
      retryAfterMs?: number;
      /** Why this deployment did not begin the query, whose provider others may use: the error of a search that has no other answer. */
      refusal?: AppError;
    };

/** A way to search. It never throws: what went wrong is an outcome, and an empty list means that there is nothing. */
export interface SearchProvider {
  name: string;
  places: ReadonlySet<SearchPlace>;
  /** Filters that it supports. */
  fulfils: ReadonlySet<SearchFilter>;
  /** Those of its filters that it does not apply to a query, such as a country that it does not know; absent when it applies all. */
  leavesOut?: (query: SearchQuery) => SearchFilter[];
  /** The only hosts that it knows pages of; absent when it knows the whole web. */
  hosts?: readonly string[];
  search(query: SearchQuery): Promise<ProviderOutcome>;
}
