import { ownerOf } from "../../core/fair-order.ts";
import { GrowingBytes } from "../../core/waits/growing-bytes.ts";
import type { Discoveries, SitemapEntry } from "../../jobs/kind.ts";
import { discoverSitemaps } from "../map/discover-sitemaps.ts";
import { sitemapIdentity } from "../map/sitemap-identity.ts";
import { wordsOnSitemaps } from "../map/words-on-sitemaps.ts";
import type { HostFacts } from "../scrape/host-facts.ts";
import type { WorkerRunContext } from "./run/worker-run-context.ts";

/** With the time in which the frontier takes the URLs. */
const TIME_MS = 240_000;
/** Limits the memory of a worker run and the size of a frontier; the largest sitemap file has 50,000 URLs. */
const MAX_URLS = 500_000;
/** Length of a date; longer texts are none. */
const MAX_DATE_CHARS = 40;
/** Number of URLs that are reported at a time. */
const PIECE = 2_000;
const PIECE_CHARS = 1_000_000;
const NONE_FOUND = "no sitemap was found";
/** Pieces that wait for the frontier while a sitemap is read on. */
const MAX_WAITING_PIECES = 4;

/**
 * Finds the URLs of the site's sitemaps and reports them as they are read. A repetition reports the same URLs, which
 * changes nothing.
 * @returns whether a sitemap could not be read, or there was none, and what the job's warning says of that.
 */
export async function enqueueSitemapUrls(
  { deps, kind, specification }: WorkerRunContext,
  hosts: HostFacts,
  hand: (discoveries: Discoveries) => Promise<void>,
): Promise<{ lacksSitemap: boolean; sitemapProblems: readonly string[] }> {
  const { input } = specification;
  const seed = kind.seed?.(input);
  if (seed === undefined || !seed.readsSitemaps) return { lacksSitemap: false, sitemapProblems: [] };
  const { sitemaps } = await hosts.robotsOf(seed.startUrl);
  let waiting: SitemapEntry[] = [];
  let waitingChars = 0;
  let handing = Promise.resolve();
  let waitingPieces = 0;
  /** One piece after the other. @returns a promise when the reading must wait for them */
  const handIn = (): Promise<void> | undefined => {
    const urls = waiting;
    [waiting, waitingChars] = [[], 0];
    waitingPieces++;
    handing = handing.then(async () => {
      await hand((await kind.fromSitemap?.(urls, input)) ?? { candidates: [], filtered: [] });
      waitingPieces--;
    });
    // A failure ends the reading when it next waits, and is thrown at the end.
    handing.catch(() => undefined);
    return waitingPieces > MAX_WAITING_PIECES ? handing : undefined;
  };
  const { startUrl, hasMoved = false } = seed;
  const { teamId } = specification.key;
  const identity = await sitemapIdentity(deps, specification.scrapeOptions, { teamId, startUrl, hasMoved });
  const owner = ownerOf(specification.key);
  const deadlineMs = deps.clock.now() + TIME_MS;
  const memory = new GrowingBytes(deps.memory, owner);
  const found = await discoverSitemaps(deps, {
    startUrl,
    ...identity,
    listed: sitemaps,
    deadlineMs,
    maxUrls: MAX_URLS,
    runTask: deps.textTasks(owner, { deadlineMs }),
    memory,
    owner,
    sleep: deps.sleep,
    onUrl: ({ url, lastModified = "" }) => {
      const isDated = lastModified !== "" && lastModified.length <= MAX_DATE_CHARS;
      waiting.push(isDated ? { url, lastModified } : { url });
      waitingChars += url.length;
      return waiting.length >= PIECE || waitingChars >= PIECE_CHARS ? handIn() : undefined;
    },
  }).finally(() => memory.release());
  void handIn();
  await handing;
  const words = wordsOnSitemaps(found);
  const lacksSitemap = found.sitemaps.length === 0 || words.length > 0;
  // Without its links, a site that has no sitemap has no pages.
  const isEmpty = lacksSitemap && words.length === 0 && seed.readsLinks === false;
  return { lacksSitemap, sitemapProblems: isEmpty ? [NONE_FOUND] : words };
}
