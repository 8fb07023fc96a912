import { ownerOf } from "../../core/fair-order.ts";
import type { Discoveries, SitemapEntry } from "../../jobs/kind.ts";
import { discoverSitemaps } from "../map/discover-sitemaps.ts";
import type { HostFacts } from "../scrape/host-facts.ts";
import type { WorkerRunContext } from "./run/worker-run-context.ts";

const TIME_MS = 120_000;
/** Limits the memory of a worker run and the size of a frontier; the largest sitemap file has 50,000 URLs. */
const MAX_URLS = 500_000;
/** Length of a date; longer texts are none. */
const MAX_DATE_CHARS = 40;
/** Number of URLs that are reported at a time. */
const PIECE = 2_000;
const PIECE_CHARS = 1_000_000;

/**
 * Finds the URLs of the site's sitemaps and reports them as they are read. A repetition reports the same URLs, which
 * changes nothing.
 * @returns whether a sitemap could not be read, or there was none.
 */
export async function enqueueSitemapUrls(
  { deps, kind, specification }: WorkerRunContext,
  hosts: HostFacts,
  hand: (discoveries: Discoveries) => Promise<void>,
): Promise<{ lacksSitemap: boolean }> {
  const { input } = specification;
  const seed = kind.seed?.(input);
  if (seed === undefined || !seed.readsSitemaps) return { lacksSitemap: false };
  const { sitemaps } = await hosts.robotsOf(seed.startUrl);
  let waiting: SitemapEntry[] = [];
  let waitingChars = 0;
  let handing = Promise.resolve();
  /** One piece after the other. The reading of a sitemap goes on when its piece is handed in. */
  const handIn = async (): Promise<void> => {
    const urls = waiting;
    [waiting, waitingChars] = [[], 0];
    handing = handing.then(async () =>
      hand((await kind.fromSitemap?.(urls, input)) ?? { candidates: [], filtered: [] }),
    );
    await handing;
  };
  const { sitemaps: read, problems } = await discoverSitemaps(deps, {
    startUrl: seed.startUrl,
    listed: sitemaps,
    deadlineMs: deps.clock.now() + TIME_MS,
    maxUrls: MAX_URLS,
    runTask: deps.textTasks(ownerOf(specification.key)),
    onUrl: ({ url, lastModified = "" }) => {
      const isDated = lastModified !== "" && lastModified.length <= MAX_DATE_CHARS;
      waiting.push(isDated ? { url, lastModified } : { url });
      waitingChars += url.length;
      return waiting.length >= PIECE || waitingChars >= PIECE_CHARS ? handIn() : undefined;
    },
  });
  await handIn();
  return { lacksSitemap: read.length === 0 || problems.length > 0 };
}
