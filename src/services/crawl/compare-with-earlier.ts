import type { EarlierPage, RemovalReason, Tombstone } from "../../core/crawl/page-version.ts";
import { keysOfUrl } from "../../core/url/url-key.ts";
import type { JobSpecification } from "../../jobs/kind.ts";
import type { Claim, ComparedPages } from "../../ports/crawl/frontier.ts";
import type { Deps } from "../deps.ts";
import type { EarlierPages } from "./earlier-pages.ts";

/** Pages of the earlier job that are compared at a time: their chunk ids fit into one call (32 MiB). */
const PIECE = 100;

interface Comparing {
  specification: Pick<JobSpecification, "id" | "since">;
  earlier: EarlierPages;
  comparison: NonNullable<Claim["comparison"]>;
  leaseId: number;
}

/**
 * Compares the pages of the earlier job with those that this job has found, in order of their keys, and reports part after
 * part. A repetition continues behind the last part that was stored.
 */
export async function compareWithEarlier(
  { frontiers }: Pick<Deps, "frontiers">,
  { specification: { id, since }, earlier, comparison, leaseId }: Comparing,
  hand: (compared: ComparedPages) => Promise<void>,
): Promise<void> {
  let from = comparison.after;
  for (;;) {
    const pages = since === undefined ? [] : await frontiers.versions(since.id, { after: from, limit: PIECE });
    const to = pages.at(-1)?.key ?? from;
    const { lacksSitemap } = comparison;
    const { notFound, redirected } = await frontiers.missing(id, keysToAsk(pages, lacksSitemap));
    const removed = removedOf(pages, { notFound, redirected, lacksSitemap });
    const tombstones = await Promise.all(removed.map((each) => tombstoneOf(earlier, each)));
    const isLast = pages.length === 0;
    await hand({ from, to, removed: tombstones, ...(isLast ? { lease: leaseId } : {}) });
    if (isLast) return;
    from = to;
  }
}

interface Removed {
  page: EarlierPage;
  reason: RemovalReason;
}

function removedOf(
  pages: readonly EarlierPage[],
  { notFound, redirected, lacksSitemap }: { notFound: string[]; redirected: string[]; lacksSitemap: boolean },
): Removed[] {
  const isMissing = new Set(notFound);
  const hasMoved = new Set(redirected);
  return pages.flatMap((page): Removed[] => {
    const { finalKey, aliasOf } = page.version;
    // Its document is that of the page that redirects to it, which is compared itself.
    if (aliasOf !== undefined) return [];
    if (isMissing.has(page.key)) {
      const isElsewhere = finalKey !== undefined && !isMissing.has(finalKey);
      // A page of a sitemap that could not be read may still be in it, and lead to others.
      const isUncertain = lacksSitemap && parentKeys(page).every((key) => isMissing.has(key));
      return isElsewhere || isUncertain ? [] : [{ page, reason: "not_found" }];
    }
    // A page that redirected before has its content at the other URL as before.
    const isMoved = hasMoved.has(page.key) && page.version.finalUrl === undefined;
    return isMoved ? [{ page, reason: "redirected" }] : [];
  });
}

/** Returns the keys by which this job may know the pages, those that they redirect to, and their parents. */
function keysToAsk(pages: readonly EarlierPage[], lacksSitemap: boolean): string[] {
  const keys = pages.flatMap((page) => [
    page.key,
    ...(page.version.finalKey === undefined ? [] : [page.version.finalKey]),
    ...(lacksSitemap ? parentKeys(page) : []),
  ]);
  return [...new Set(keys)];
}

function parentKeys({ parent }: EarlierPage): string[] {
  return parent === undefined ? [] : keysOfUrl(parent);
}

async function tombstoneOf(earlier: EarlierPages, { page, reason }: Removed): Promise<Tombstone> {
  const links = await earlier.open(page).links();
  return { url: page.url, reason, scrapeId: page.document.scrapeId, chunks: links?.chunks ?? [] };
}
