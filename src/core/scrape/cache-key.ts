import { placeOf, type PagePlace } from "./scrape-id.ts";

/**
 * Key of a page-cache entry: everything that changes the result of a page load (api-contract.md, “Page cache”).
 */
export interface PageCacheKey {
  /** Team that owns the copy; empty for copies that all teams share. */
  team: string;
  /** Normalised URL. */
  url: string;
  mobile: boolean;
  blockAds: boolean;
  /** ISO 3166-1 alpha-2 in lower case, or an empty string. */
  country: string;
  /** Sorted, lower case, joined by commas. */
  languages: string;
  /** Screenshot options; empty for none. A page stored with a screenshot also serves requests without one. */
  screenshot: string;
}

/** Returns the key as text, without the screenshot: an entry with one also serves requests without it. */
export function cacheText(key: PageCacheKey): string {
  return JSON.stringify([key.team, key.url, key.mobile, key.blockAds, key.country, key.languages]);
}

/** Returns the place of a page, which the ids of its scrapes contain. */
export function placeOfPage(key: PageCacheKey): PagePlace {
  return placeOf(cacheText(key), key.url);
}
