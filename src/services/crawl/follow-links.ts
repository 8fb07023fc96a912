import { WorkBudget } from "../../core/work-budget.ts";
import { MAX_FOLLOWED, MAX_PATTERN_STEPS } from "../../jobs/crawl/crawl.ts";
import { NOTHING, type Discoveries, type JobKind, type Landing } from "../../jobs/kind.ts";

/** Links from which a page is followed in pieces. A URL that is found takes some 200 bytes until it is handed in. */
const MANY_LINKS = 5_000;

/** The links of a page that are followed in pieces, while it has no place among the pages of the isolate. */
export interface ManyLinks {
  landing: Landing;
  links: readonly string[];
  /** The job's input when the page was read. */
  input: unknown;
}

/** URLs that a page leads to; of one with many links those of `manyLinks`, which are followed later. */
export interface Followed {
  discoveries: Discoveries;
  manyLinks?: ManyLinks;
}

/**
 * Follows the links of a page.
 * @param links returns the absolute URLs of the page, in its order.
 */
export async function followLinks(
  kind: JobKind,
  landing: Landing,
  links: () => readonly string[],
  input: unknown,
): Promise<Followed> {
  let many: readonly string[] | undefined;
  const few = (): readonly string[] => {
    const all = links();
    if (all.length <= MANY_LINKS) return all;
    many = all;
    return [];
  };
  const discoveries = await kind.follow(landing, few, input);
  return many === undefined ? { discoveries } : { discoveries: NOTHING, manyLinks: { landing, links: many, input } };
}

/** Follows many links in pieces, within the limits of one page. */
export async function* followInPieces(
  kind: JobKind,
  { landing, links, input }: ManyLinks,
): AsyncGenerator<Discoveries, void> {
  const budget = new WorkBudget({ steps: MAX_PATTERN_STEPS });
  let maxFollowed = MAX_FOLLOWED;
  for (let from = 0; from < links.length; from += MANY_LINKS) {
    const piece = links.slice(from, from + MANY_LINKS);
    const found = await kind.follow(landing, () => piece, input, { budget, maxFollowed });
    maxFollowed -= found.candidates.length;
    yield found;
  }
}
