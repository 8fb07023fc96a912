import { TextMap, TextSet } from "../../core/text/text-map.ts";
import type { Discoveries } from "../../jobs/kind.ts";

/** URLs that were reported before. From another page, the same URL may be out of scope, so that both are kept apart. */
export interface KnownUrls {
  inScope: Pick<TextSet, "has">;
  filtered: Pick<TextSet, "has">;
}

/** Removes duplicates: pages of one site link to the same URLs repeatedly, and each is reported once. */
export function distinctDiscoveries(found: readonly Discoveries[], reported: KnownUrls): Discoveries {
  const candidates = new TextMap<Discoveries["candidates"][number]>();
  const filtered = new TextMap<Discoveries["filtered"][number]>();
  for (const discoveries of found) {
    for (const candidate of discoveries.candidates) {
      if (reported.inScope.has(candidate.url)) continue;
      const known = candidates.get(candidate.url);
      if (known === undefined || candidate.depth < known.depth) candidates.set(candidate.url, candidate);
    }
    for (const url of discoveries.filtered) {
      if (!reported.filtered.has(url.url) && filtered.get(url.url) === undefined) filtered.set(url.url, url);
    }
  }
  return { candidates: [...candidates.values], filtered: [...filtered.values] };
}

interface ReportedLinks {
  candidates: readonly { url: string }[];
  filtered: readonly { url: string }[];
}

/** The latest URLs that a run has reported: the pages of a site link to much the same ones, which need not be reported again. */
export class ReportedUrls implements KnownUrls {
  inScope = new TextSet();
  filtered = new TextSet();

  /** Adds the URLs of a report. Those of earlier reports are forgotten when they are more than `max`. */
  add({ candidates, filtered }: ReportedLinks, max: number): void {
    if (this.inScope.size + this.filtered.size > max) [this.inScope, this.filtered] = [new TextSet(), new TextSet()];
    for (const { url } of candidates) this.inScope.add(url);
    for (const { url } of filtered) this.filtered.add(url);
  }
}
