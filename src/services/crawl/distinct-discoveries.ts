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
