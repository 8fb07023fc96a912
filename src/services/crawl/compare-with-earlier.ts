import type { EarlierPage, RemovalReason, Tombstone } from "../../core/crawl/page-version.ts";
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
    const { notFound, redirected } = await frontiers.missing(id, pages.map(({ key }) => key)); // prettier-ignore
    const removed = removedOf(pages, { notFound, redirected, lacksSitemap: comparison.lacksSitemap });
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
    // A page of a sitemap that could not be read may still be in it.
    if (isMissing.has(page.key))
      return lacksSitemap && page.parent === undefined ? [] : [{ page, reason: "not_found" }];
    // A page that redirected before has its content at the other URL as before.
    const isMoved = hasMoved.has(page.key) && page.version.finalUrl === undefined;
    return isMoved ? [{ page, reason: "redirected" }] : [];
  });
}

async function tombstoneOf(earlier: EarlierPages, { page, reason }: Removed): Promise<Tombstone> {
  const links = await earlier.open(page).links();
  return { url: page.url, reason, scrapeId: page.document.scrapeId, chunks: links?.chunks ?? [] };
}
