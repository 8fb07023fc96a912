import { inPieces } from "../../core/in-pieces.ts";
import { TextMap, TextSet } from "../../core/text/text-map.ts";
import type { Discoveries } from "../../jobs/kind.ts";

/** URLs that were reported before. From another page, the same URL may be out of scope, so that both are kept apart. */
export interface KnownUrls {
  inScope: Pick<TextSet, "has">;
  filtered: Pick<TextSet, "has">;
}

/** URLs of a page that are looked up before other requests run: a millisecond. */
const URLS_A_TURN = 500;

/** Removes duplicates: pages of one site link to the same URLs repeatedly, and each is reported once. */
export async function distinctDiscoveries(found: readonly Discoveries[], reported: KnownUrls): Promise<Discoveries> {
  const candidates = new TextMap<Discoveries["candidates"][number]>();
  const filtered = new TextMap<Discoveries["filtered"][number]>();
  for (const discoveries of found) {
    await inPieces(discoveries.candidates, URLS_A_TURN, (candidate) => {
      if (reported.inScope.has(candidate.url)) return;
      const known = candidates.get(candidate.url);
      if (known === undefined || candidate.depth < known.depth) candidates.set(candidate.url, candidate);
    });
    await inPieces(discoveries.filtered, URLS_A_TURN, (url) => {
      if (!reported.filtered.has(url.url) && filtered.get(url.url) === undefined) filtered.set(url.url, url);
    });
  }
  return { candidates: [...candidates.values], filtered: [...filtered.values] };
}

interface ReportedLinks {
  candidates: readonly { url: string }[];
  filtered: readonly { url: string }[];
}

/** The latest URLs that a run has reported: the pages of a site link to much the same ones, which need not be reported again. */
export class ReportedUrls implements KnownUrls {
  readonly inScope = new TextSet();
  readonly filtered = new TextSet();

  /** Adds the URLs of a report. With more than `max`, all earlier ones are forgotten. */
  async add({ candidates, filtered }: ReportedLinks, max: number): Promise<void> {
    const makeRoom = (): void => {
      if (this.inScope.size + this.filtered.size < max) return;
      this.inScope.clear();
      this.filtered.clear();
    };
    await inPieces(candidates, URLS_A_TURN, ({ url }) => {
      makeRoom();
      this.inScope.add(url);
    });
    await inPieces(filtered, URLS_A_TURN, ({ url }) => {
      makeRoom();
      this.filtered.add(url);
    });
  }
}
