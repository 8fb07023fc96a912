import type { Candidate } from "../../core/crawl/frontier.ts";
import type { Owner } from "../../core/fair-order.ts";
import { hash53, randomSeed } from "../../core/text/hash.ts";
import type { GrowingBytes } from "../../core/waits/growing-bytes.ts";
import type { WorkBudget } from "../../core/work-budget.ts";
import { crawl, type CrawlInput } from "../../jobs/crawl/crawl.ts";
import { robotsOfHost } from "../crawl/robots-of-host.ts";
import { discoverSitemaps } from "../map/discover-sitemaps.ts";
import type { SampleDeps } from "./sample-page.ts";

/** Sitemaps that a crawl would read. */
interface SitemapReading {
  input: CrawlInput;
  owner: Owner;
  /** Ms since the epoch. */
  deadlineMs: number;
  maxUrls: number;
  memory: GrowingBytes;
  /** Of the patterns of the rules. */
  budget: WorkBudget;
}

/** Numbers of files and URLs. */
interface SitemapCounts {
  sitemaps: number;
  urls: number;
  /** URLs that the rules leave out. */
  leftOut: number;
  /** URLs beyond the budget, which were not compared with the rules. */
  uncompared: number;
}

/** URLs that are judged at a time. */
const URLS_A_PIECE = 500;

/** Reads the sitemaps of a site piece by piece. @param take is called with each URL within the rules. */
export async function readSitemapUrls(
  deps: SampleDeps,
  { input, owner, deadlineMs, maxUrls, budget, memory }: SitemapReading,
  take: (candidate: Candidate) => void,
): Promise<SitemapCounts> {
  const { startUrl } = input.rules;
  const { robots } = await robotsOfHost(deps, startUrl, { deadlineMs, owner });
  const leftOut = new Set<number>();
  const seed = randomSeed();
  let uncompared = 0;
  let urls = 0;
  let piece: { url: string }[] = [];
  let judging = Promise.resolve();
  const judge = async (entries: { url: string }[]): Promise<void> => {
    const { candidates = [], filtered = [] } = (await crawl.fromSitemap?.(entries, input, budget)) ?? {};
    for (const { url, reason } of filtered) {
      if (reason === "WORK_LIMIT") uncompared++;
      else leftOut.add(hash53(url, seed));
    }
    for (const candidate of candidates) take(candidate);
  };
  /** @returns a promise for the end of the judging of all pieces */
  const judgePiece = (): Promise<void> => {
    const entries = piece;
    piece = [];
    urls += entries.length;
    judging = judging.then(() => judge(entries));
    return judging;
  };
  const { sitemaps } = await discoverSitemaps(deps, {
    startUrl,
    listed: robots.sitemaps,
    deadlineMs,
    maxUrls,
    runTask: deps.textTasks(owner, { deadlineMs, left: deps.clientLeft }),
    memory,
    owner,
    onUrl: ({ url }) => (piece.push({ url }) >= URLS_A_PIECE ? judgePiece() : undefined),
  });
  await judgePiece();
  return { sitemaps: sitemaps.length, urls, leftOut: leftOut.size, uncompared };
}

/** Returns how many times as many pages the sitemaps have as were found within the rules; at least 1. */
export function extentOfSitemaps({ urls, uncompared }: SitemapCounts): number {
  return uncompared === urls ? 1 : urls / (urls - uncompared);
}

/** @param listed number of pages that were not known before */
export function describeSitemaps({ sitemaps, leftOut, uncompared }: SitemapCounts, listed: number): string {
  if (sitemaps === 0) return "No sitemap was found";
  const files = `${sitemaps} ${sitemaps === 1 ? "sitemap" : "sitemaps"} with ${listed} further pages to crawl`;
  const left = leftOut === 0 ? "" : `; the rules leave out ${leftOut} more`;
  return `${files}${left}${uncompared === 0 ? "" : `; ${uncompared} more were not compared with the rules`}`;
}
