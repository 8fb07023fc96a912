import type { Discoveries } from "../../jobs/kind.ts";

/** Returns the key of a URL that is in scope: from another page, the same URL may be out of scope. */
export function inScopeKey(url: string): string {
  return `+${url}`;
}

/**
 * Removes duplicates: pages of one site link to the same URLs repeatedly, and each is reported once.
 * @param reported URLs of earlier reports, those in scope by their `inScopeKey`.
 */
export function distinctDiscoveries(found: readonly Discoveries[], reported: ReadonlySet<string>): Discoveries {
  const candidates = new Map<string, Discoveries["candidates"][number]>();
  const filtered = new Map<string, Discoveries["filtered"][number]>();
  for (const discoveries of found) {
    for (const candidate of discoveries.candidates) {
      if (reported.has(inScopeKey(candidate.url))) continue;
      const known = candidates.get(candidate.url);
      if (known === undefined || candidate.depth < known.depth) candidates.set(candidate.url, candidate);
    }
    for (const url of discoveries.filtered) {
      if (!reported.has(url.url) && !filtered.has(url.url)) filtered.set(url.url, url);
    }
  }
  return { candidates: [...candidates.values()], filtered: [...filtered.values()] };
}

interface ReportedLinks {
  candidates: readonly { url: string }[];
  filtered: readonly { url: string }[];
}

/** The latest URLs that a run has reported: the pages of a site link to much the same ones, which need not be reported again. */
export class ReportedUrls {
  #keys = new Set<string>();

  /** URLs in scope by their `inScopeKey`, and the others. */
  get keys(): ReadonlySet<string> {
    return this.#keys;
  }

  /** Adds the URLs of a report. Those of earlier reports are forgotten when they are more than `max`. */
  add({ candidates, filtered }: ReportedLinks, max: number): void {
    if (this.#keys.size > max) this.#keys = new Set();
    for (const { url } of candidates) this.#keys.add(inScopeKey(url));
    for (const { url } of filtered) this.#keys.add(url);
  }
}
