import type { Candidate, FrontierItem, FrontierState } from "./frontier.ts";
import { toAbsoluteUrl } from "../url/url.ts";

/**
 * Maximum number of concurrent pages of one consumer: somewhat more than the connections of its invocation (six), so that
 * some pages are converted while others wait for their sites.
 */
export const PAGES_PER_MESSAGE = 8;

/** A work message whose run gives no heartbeat for this long counts as lost, as its leases do. */
export const RUN_LIFE_MS = 12_000;
/**
 * The same for a message in a queue that no run has answered yet. The queue may have a backlog: messages that were sent
 * again too soon would make it longer.
 */
export const SENT_LIFE_MS = 60_000;

/**
 * Returns the number of further consumers needed. A consumer requests more work until its time is over.
 * @param room consumers that there is room for beside those of other jobs; a job's first one needs none.
 */
export function messagesNeeded({
  claimable,
  maxConcurrency,
  open,
  room,
}: {
  claimable: number;
  maxConcurrency: number;
  open: number;
  room: number;
}): number {
  const useful = Math.ceil(Math.min(claimable, maxConcurrency) / PAGES_PER_MESSAGE);
  const allowed = Math.ceil(maxConcurrency / PAGES_PER_MESSAGE);
  return open === 0 ? Math.min(useful, Math.max(1, room)) : Math.max(0, Math.min(useful, allowed - open, room));
}

/**
 * Returns the number of further URLs that a run may lease ahead, of a part of those that wait: other runs want some too.
 * They do not count as concurrent, since none is begun before another page of the run has finished.
 */
export function claimableAhead({ config, counters }: FrontierState, ahead: number): number {
  // Pages of such a job begin one after another, and would be put back.
  if (config.delayMs > 0) return 0;
  const places = config.limit === undefined ? Infinity : config.limit - counters.completed - counters.leased;
  const runs = Math.ceil(config.maxConcurrency / PAGES_PER_MESSAGE);
  const share = Math.floor((counters.pending - counters.leased) / (2 * runs));
  return Math.max(0, Math.min(ahead, places, share));
}

/**
 * Assigns each item the next reserved time of its host (ms since the epoch), in order.
 * @returns the items that may begin before `horizonMs`, and those to put back until their time.
 */
export function spreadByHost<Item extends FrontierItem>(
  items: readonly Item[],
  moments: ReadonlyMap<string, readonly number[]>,
  horizonMs: number,
): { now: (Item & { startAtMs: number })[]; later: { item: Item; atMs: number }[] } {
  const used = new Map<string, number>();
  const now: (Item & { startAtMs: number })[] = [];
  const later: { item: Item; atMs: number }[] = [];
  for (const item of items) {
    const host = hostOf(item.url);
    const place = used.get(host) ?? 0;
    used.set(host, place + 1);
    const atMs = moments.get(host)?.[place] ?? 0;
    if (atMs <= horizonMs) now.push({ ...item, startAtMs: atMs });
    else later.push({ item, atMs });
  }
  return { now, later };
}

/** Returns host and port of a URL as the caller wrote it. */
export function hostOf(url: string): string {
  return new URL(toAbsoluteUrl(url)).host;
}

/** Returns the entries of a batch. Repeated URLs are scraped repeatedly: the position is the key. */
export function batchEntries(urls: readonly string[], first: number): Candidate[] {
  return urls.map((url, index) => ({ key: `#${first + index}`, url, depth: 0, isExternal: false, parent: undefined }));
}
