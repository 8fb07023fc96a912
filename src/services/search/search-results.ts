import { snippetText } from "../../content/text/snippet-text.ts";
import { isoMs, relativeAge } from "../../core/text/relative-age.ts";
import type { SearchCategory } from "../../search/provider.ts";
import type { FusedHit } from "../../search/fuse.ts";

/** A hit of a search that is restricted to categories. */
export interface CategorisedHit extends FusedHit {
  category?: SearchCategory;
}

/** A result of a web search. */
export interface WebResult {
  url: string;
  title: string;
  description: string;
  position: number;
  category?: string;
  date?: string;
  /** ID of the scrape that found it, while that scrape is stored. */
  scrapeId?: string;
  /** Provider that found it first. */
  provider: string;
  /** All providers that found it, when there are several. */
  providers?: string[];
}

export interface ImageResult {
  title: string;
  /** URL of the picture. */
  imageUrl: string;
  imageWidth?: number;
  imageHeight?: number;
  /** URL of the page that contains it. */
  url: string;
  position: number;
  provider: string;
  providers?: string[];
}

export interface NewsResult {
  title: string;
  url: string;
  snippet: string;
  /** Age in words, such as `3 hours ago`. */
  date?: string;
  /** Date of publication in ISO 8601, when the provider gives one. */
  publishedDate?: string;
  imageUrl?: string;
  position: number;
  provider: string;
  providers?: string[];
}

function foundBy({ providers }: FusedHit): { provider: string; providers?: string[] } {
  const [provider = ""] = providers;
  return providers.length > 1 ? { provider, providers } : { provider };
}

export function toWebResult(hit: CategorisedHit, index: number): WebResult {
  const { url, title, description, date, category, scrapeId } = hit;
  return {
    url,
    title: snippetText(title),
    description: snippetText(description),
    position: index + 1,
    ...(category === undefined ? {} : { category }),
    ...(date === undefined ? {} : { date }),
    ...(scrapeId === undefined ? {} : { scrapeId }),
    ...foundBy(hit),
  };
}

export function toImageResult(hit: CategorisedHit, index: number): ImageResult[] {
  const { url, title, imageUrl, imageWidth, imageHeight } = hit;
  if (imageUrl === undefined) return [];
  const size = {
    ...(imageWidth === undefined ? {} : { imageWidth }),
    ...(imageHeight === undefined ? {} : { imageHeight }),
  };
  return [{ title: snippetText(title), imageUrl, ...size, url, position: index + 1, ...foundBy(hit) }];
}

/** @param nowMs Ms since the epoch, which ages are counted to. */
export function toNewsResult(hit: FusedHit, index: number, nowMs: number): NewsResult {
  const { url, title, description, date, imageUrl } = hit;
  return {
    title: snippetText(title),
    url,
    snippet: snippetText(description),
    ...(date === undefined ? {} : agesOf(date, nowMs)),
    ...(imageUrl === undefined ? {} : { imageUrl }),
    position: index + 1,
    ...foundBy(hit),
  };
}

function agesOf(date: string, nowMs: number): Pick<NewsResult, "date" | "publishedDate"> {
  return { date: relativeAge(date, nowMs), ...(isoMs(date) === undefined ? {} : { publishedDate: date }) };
}
