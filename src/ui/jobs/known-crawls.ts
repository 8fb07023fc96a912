import { createStore } from "../parts/store.ts";
import { keep, readStored } from "../parts/kept.ts";

/** A crawl that was started or opened in this browser. The service lists only active ones. */
export interface KnownCrawl {
  id: string;
  url?: string | undefined;
  status?: string | undefined;
  completed?: number | undefined;
  total?: number | undefined;
  atMs: number;
}

const NAME = "crawls";
const MAX_KEPT = 60;

/** Newest first. */
export const knownCrawls = createStore<KnownCrawl[]>(readStored<KnownCrawl[]>(NAME, []));

/** Adds a crawl, or updates a known one. */
export function rememberCrawl(crawl: KnownCrawl): void {
  const known = knownCrawls.get();
  const earlier = known.find(({ id }) => id === crawl.id);
  const merged = earlier === undefined ? crawl : { ...earlier, ...withoutUndefined(crawl), atMs: earlier.atMs };
  if (earlier !== undefined && JSON.stringify(earlier) === JSON.stringify(merged)) return;
  const next = [merged, ...known.filter(({ id }) => id !== crawl.id)]
    .sort((one, other) => other.atMs - one.atMs)
    .slice(0, MAX_KEPT);
  keep(NAME, next);
  knownCrawls.set(next);
}

export function forgetCrawl(id: string): void {
  const next = knownCrawls.get().filter((crawl) => crawl.id !== id);
  keep(NAME, next);
  knownCrawls.set(next);
}

function withoutUndefined(crawl: KnownCrawl): Partial<KnownCrawl> {
  return Object.fromEntries(Object.entries(crawl).filter(([, value]) => value !== undefined));
}
