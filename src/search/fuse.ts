import { similarUrlKey, tidyUrl } from "../core/url/url-key.ts";
import type { SearchHit, SearchSource } from "./provider.ts";

/** A hit with those who found it, the one that ranked it best first. */
export interface FusedHit extends SearchHit {
  providers: string[];
}

/** Reciprocal rank fusion's constant, as in its paper. */
const RANK_OFFSET = 60;

/**
 * One list of several: reciprocal rank fusion (Cormack, Clarke, Büttcher 2009), with pages that are the same but for the
 * way their URL is written taken as one; pictures by their own URL, since one page may have several. Hits without a URL that can be read are left out.
 */
export function fuseHits(
  source: SearchSource,
  lists: readonly { provider: string; hits: readonly SearchHit[] }[],
): FusedHit[] {
  const fused = new Map<string, { hit: FusedHit; score: number }>();
  for (const { provider, hits } of lists) {
    const seen = new Set<string>();
    for (const [rank, hit] of hits.entries()) {
      const key = keyOf(source === "images" ? (hit.imageUrl ?? hit.url) : hit.url);
      if (key === undefined || seen.has(key)) continue;
      seen.add(key);
      const gain = 1 / (RANK_OFFSET + rank + 1);
      const known = fused.get(key);
      if (known === undefined) fused.set(key, { hit: { ...hit, providers: [provider] }, score: gain });
      else fused.set(key, { hit: joined(known.hit, hit, provider), score: known.score + gain });
    }
  }
  return [...fused.values()].sort((left, right) => right.score - left.score).map(({ hit }) => hit);
}

function keyOf(url: string): string | undefined {
  const parsed = URL.parse(url);
  if (parsed === null || (parsed.protocol !== "http:" && parsed.protocol !== "https:")) return undefined;
  return similarUrlKey(tidyUrl(parsed, { ignoreQueryParameters: false }));
}

/** The first to name a page names it; what it leaves open the others fill in. */
function joined(first: FusedHit, next: SearchHit, provider: string): FusedHit {
  return {
    ...next,
    ...first,
    title: first.title === "" ? next.title : first.title,
    description: first.description === "" ? next.description : first.description,
    providers: [...first.providers, provider],
  };
}
