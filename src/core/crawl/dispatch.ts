import type { Candidate, FrontierItem } from "./frontier.ts";
import { toAbsoluteUrl } from "../url/url.ts";

/** Pages that one consumer has in flight at a time. */
export const PAGES_PER_MESSAGE = 30;

/** How many more consumers there is work for. A consumer fetches more work by itself for as long as it may live. */
export function messagesNeeded({
  claimable,
  maxConcurrency,
  open,
}: {
  claimable: number;
  maxConcurrency: number;
  open: number;
}): number {
  const useful = Math.ceil(Math.min(claimable, maxConcurrency) / PAGES_PER_MESSAGE);
  const allowed = Math.ceil(maxConcurrency / PAGES_PER_MESSAGE);
  return open === 0 ? useful : Math.max(0, Math.min(useful, allowed - open));
}

/**
 * Gives each item the next of its host's moments (ms since the epoch), in order.
 * @returns those that may begin before `horizonMs`, and those that are to be put back until their moment.
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

/** Host and port that a URL, as its caller wrote it, is loaded from. */
export function hostOf(url: string): string {
  return new URL(toAbsoluteUrl(url)).host;
}

/** A batch scrapes each of its URLs, the same one twice if it stands there twice: its place is what it is known by. */
export function batchEntries(urls: readonly string[], first: number): Candidate[] {
  return urls.map((url, index) => ({ key: `#${first + index}`, url, depth: 0, isExternal: false, parent: undefined }));
}
