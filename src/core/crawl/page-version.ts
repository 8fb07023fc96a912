import { z } from "zod";
import { PageSource } from "../scrape/page-source.ts";

/** How a page differs from the earlier crawl that an incremental crawl continues. */
export const PAGE_CHANGES = ["new", "changed", "unchanged", "removed"] as const;
export type PageChange = (typeof PAGE_CHANGES)[number];

/** Properties of a page by which a later crawl detects whether it has changed. */
export const PageVersion = z.object({
  /** Fingerprint of the derived content. */
  fingerprint: z.string(),
  /** Time of the request that last confirmed the content, in ms since the epoch. */
  readAtMs: z.number(),
  /**
   * Time at which the entry of the page in the search index was last put, or looked at for its renewal, in ms since the
   * epoch; `readAtMs` where it is absent.
   */
  indexedAtMs: z.number().optional(),
  /** Validators of the response; only of pages that were loaded without a browser. */
  etag: z.string().optional(),
  lastModified: z.string().optional(),
  /** `lastmod` of the page in the sitemap, as written there. */
  sitemapDate: z.string().optional(),
  /** URL after redirects, where it differs from the URL of the item. */
  finalUrl: z.string().optional(),
  /** Key of that URL, whose row has the same document. */
  finalKey: z.string().optional(),
  /** Key of the page that redirects here, when its document is that of this row. */
  aliasOf: z.string().optional(),
  /** True when a browser has rendered the page. */
  isRendered: z.boolean().optional(),
  /** True when the template of the site was applied. */
  hasTemplate: z.boolean().optional(),
  /** Origin of the content; older versions lack it. */
  source: PageSource.optional(),
});
export type PageVersion = z.infer<typeof PageVersion>;

/** Location of the links of a page: an entry of a compressed list in an object. */
export const LinksPlace = z.object({ object: z.string(), offset: z.number(), length: z.number(), index: z.number() });
export type LinksPlace = z.infer<typeof LinksPlace>;

/** A page of an earlier crawl: its version, and where its document and its links are stored. */
export interface EarlierPage {
  key: string;
  url: string;
  /** Page that links to it; undefined for a URL of the sitemap, and for the start page. */
  parent: string | undefined;
  version: PageVersion;
  document: { object: string; offset: number; length: number; metadataBytes: number; scrapeId: string };
  links: LinksPlace | undefined;
}

/** Why a page, or chunks of it, no longer exist. */
export const REMOVAL_REASONS = ["gone", "not_found", "redirected", "changed"] as const;
export type RemovalReason = (typeof REMOVAL_REASONS)[number];

/** A page that was removed, or a changed page that has lost chunks. */
export interface Tombstone {
  url: string;
  /** `gone`: HTTP 404 or 410. `not_found`: no page or sitemap leads to it. `changed`: only chunks were removed. */
  reason: RemovalReason;
  /** Scrape of the earlier document. */
  scrapeId: string;
  /** Ids of the chunks that no longer exist, for jobs with the format `chunks`. */
  chunks: string[];
}

/** Numbers of pages by change. */
export const ChangeCounts = z.object({
  new: z.number(),
  changed: z.number(),
  unchanged: z.number(),
  removed: z.number(),
});
export type ChangeCounts = z.infer<typeof ChangeCounts>;

export const NO_CHANGES: ChangeCounts = { new: 0, changed: 0, unchanged: 0, removed: 0 };

const DAY_MS = 86_400_000;
/** Latest end of a date without a time: midnight of the westernmost time zone. */
const WESTERNMOST_MS = 12 * 3_600_000;

/**
 * Reports whether a sitemap states that a page has not changed since it was read: its `lastmod` is before that time, and
 * not newer than the one that the earlier crawl has seen. A date that cannot be read states nothing.
 */
export function isUnchangedBySitemap(
  sitemapDate: string | undefined,
  version: { readAtMs: number; sitemapDate?: string | undefined },
): boolean {
  const ends = endOf(sitemapDate);
  if (ends === undefined || ends >= version.readAtMs) return false;
  const before = endOf(version.sitemapDate);
  return before === undefined || ends <= before;
}

/** Returns the last moment that a W3C date can mean (ms since the epoch). */
function endOf(date: string | undefined): number | undefined {
  const text = date?.trim() ?? "";
  if (!/^\d{4}-\d{2}-\d{2}/.test(text)) return undefined;
  const isDay = text.length === 10;
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) return undefined;
  if (isDay) return ms + DAY_MS + WESTERNMOST_MS;
  // A time without a zone.
  return /(?:z|[+-]\d{2}:?\d{2})$/i.test(text) ? ms : ms + WESTERNMOST_MS;
}
