import type { Discoveries } from "../../jobs/kind.ts";
import { discoverSitemaps } from "../map/discover-sitemaps.ts";
import type { HostFacts } from "../scrape/host-facts.ts";
import type { WorkerRunContext } from "./worker-run-context.ts";

const TIME_MS = 120_000;
/** Bounds the memory of a consumer and the size of a frontier; the largest file of a sitemap has 50,000. */
const MAX_URLS = 500_000;
/** URLs that are handed in at a time. */
const PIECE = 2_000;

/**
 * Finds what a job begins with beside its first page: the URLs of its site's sitemaps, handed in as they are read. Done
 * twice it finds the same, which changes nothing.
 */
export async function enqueueSitemapUrls(
  { deps, kind, specification }: WorkerRunContext,
  hosts: HostFacts,
  hand: (discoveries: Discoveries) => Promise<void>,
): Promise<void> {
  const { input } = specification;
  const seed = kind.seed?.(input);
  if (seed === undefined || !seed.readsSitemaps) return;
  const { sitemaps } = await hosts.robotsOf(seed.startUrl);
  let waiting: string[] = [];
  let handing = Promise.resolve();
  const handIn = (): void => {
    const urls = waiting;
    waiting = [];
    handing = handing.then(() => hand(kind.sow?.(urls, input) ?? { candidates: [], filtered: [] }));
  };
  await discoverSitemaps(deps, {
    startUrl: seed.startUrl,
    listed: sitemaps,
    deadlineMs: deps.clock.now() + TIME_MS,
    maxUrls: MAX_URLS,
    onUrl: ({ url }) => {
      waiting.push(url);
      if (waiting.length >= PIECE) handIn();
    },
  });
  handIn();
  await handing;
}
