import { INDEXED_TEXT } from "../../content/page-parts.ts";
import { plainText } from "../../content/text/plain-text.ts";
import type { ScrapeOptions } from "../../formats/scrape-options.ts";
import type { IndexedPage } from "../../ports/search/page-index.ts";
import { hasContent } from "../../core/scrape/page.ts";
import type { Deps } from "../deps.ts";
import type { LoadedThroughCache } from "./load-through-cache.ts";

type IndexDeps = Pick<Deps, "pageIndex" | "clock" | "settings" | "log">;

/**
 * Share of the retention after which the entry of an unchanged page is looked at for its renewal. The index renews an entry
 * after half of the retention, and an entry may be that old when the page is read or its entry is looked at: with a quarter,
 * it is looked at again before it expires.
 */
const LOOK_SHARE = 0.25;

/** Costs of indexing one new page: its text and its words. A known page that has not changed takes no rows. */
export const INDEXING_COSTS = { durableObjectRequests: 1, durableObjectRowsWritten: 2 };

/** Reports whether pages are added to the search index: not when nothing of them may be retained. */
export function isIndexed(
  { settings }: Pick<Deps, "settings">,
  { options, zeroDataRetention }: { options: Pick<ScrapeOptions, "storeInCache">; zeroDataRetention: boolean },
): boolean {
  return settings.indexRetentionMs > 0 && !zeroDataRetention && options.storeInCache !== false;
}

/** Returns the index entry of a loaded page; undefined for errors, walls, parts of pages, and pages without text. */
export function toIndexedPage(
  { view, obstacle }: LoadedThroughCache,
  { url, markdown, scrapeId, nowMs }: { url: string; markdown: string | undefined; scrapeId: string; nowMs: number },
): IndexedPage | undefined {
  const { loaded, kind } = view;
  if (obstacle !== undefined || !hasContent(loaded.statusCode)) return undefined;
  // A PDF whose text was not requested consists of bytes only.
  if (kind === "pdf" && view.document?.numPages === undefined) return undefined;
  const body = plainText((markdown ?? view.markdown(INDEXED_TEXT)).slice(0, INDEXED_TEXT.maxChars));
  if (body === "") return undefined;
  const metadata = view.metadata();
  return {
    url: URL.canParse(loaded.url) ? loaded.url : url,
    title: textOf(metadata["title"]),
    description: textOf(metadata["description"]),
    language: primaryLanguage(textOf(metadata["language"])),
    body,
    fileType: kind,
    datedAtMs: dateOf([metadata["modifiedTime"], metadata["publishedTime"]], nowMs),
    scrapeId,
  };
}

/** Adds pages to their team's search index. Called after the response, which does not wait for it. */
export async function indexPages(deps: IndexDeps, teamId: string, pages: readonly IndexedPage[]): Promise<void> {
  if (pages.length === 0) return;
  const options = { nowMs: deps.clock.now(), retentionMs: deps.settings.indexRetentionMs };
  const { refused } = await deps.pageIndex.put(teamId, pages, options);
  if (refused > 0) deps.log({ event: "search_index_full", teamId, pages: refused });
}

/**
 * Reports whether the index entry of an unchanged page may need its renewal, so that looking at it is worth a call.
 * @param last when the entry was last put or looked at, as the page's version or validators state.
 */
export function mayNeedRenewal(
  { clock, settings }: Pick<IndexDeps, "clock" | "settings">,
  last: { indexedAtMs?: number | undefined; readAtMs?: number | undefined },
): boolean {
  const { indexedAtMs = last.readAtMs ?? 0 } = last;
  return clock.now() - indexedAtMs >= settings.indexRetentionMs * LOOK_SHARE;
}

/**
 * Renews the entries of pages that were found to be unchanged without being read, so that pages that crawls and monitors
 * confirm remain in the index. Called after the response.
 */
export async function confirmIndexed(deps: IndexDeps, teamId: string, urls: readonly string[]): Promise<void> {
  if (urls.length === 0) return;
  const options = { nowMs: deps.clock.now(), retentionMs: deps.settings.indexRetentionMs };
  const { refused } = await deps.pageIndex.confirm(teamId, urls, options);
  if (refused > 0) deps.log({ event: "search_index_full", teamId, pages: refused });
}

/** Returns the first value: metadata that occurs twice in a page is a list. */
function textOf(value: unknown): string {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === "string" ? first.trim().slice(0, 1000) : "";
}

function primaryLanguage(tag: string): string {
  return /^([a-z]{2,3})(?:[-_].*)?$/i.exec(tag)?.[1]?.toLowerCase() ?? "";
}

/** Returns the first plausible date: not in the future, and not before the first web page. */
function dateOf(values: readonly unknown[], nowMs: number): number {
  const dates = values.map((value) => Date.parse(textOf(value)));
  return dates.find((ms) => ms > FIRST_WEB_PAGE_MS && ms <= nowMs) ?? nowMs;
}

const FIRST_WEB_PAGE_MS = Date.UTC(1991, 0, 1);
