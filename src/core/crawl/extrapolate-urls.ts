/** URLs that a sample of pages links to. */
export interface LinkedSample {
  /** For each URL that was not known before, the number of pages of the sample that link to it. */
  counts: readonly number[];
  /** Number of pages of the sample. */
  sampled: number;
  /** Number of pages that the sample stands for. */
  parents: number;
}

/**
 * Estimates how many different new URLs a set of pages links to, from those that a sample of the pages links to. Where
 * pages share links, their number levels off (extrapolation of incidence data, Colwell et al. 2012); where none is shared,
 * it grows with the pages.
 */
export function extrapolateUrls({ counts, sampled, parents }: LinkedSample): number {
  const seen = counts.length;
  const further = Math.max(0, parents - sampled);
  if (sampled === 0 || further === 0 || seen === 0) return seen;
  const once = counts.filter((count) => count === 1).length;
  const twice = counts.filter((count) => count === 2).length;
  const linear = (further * once) / sampled;
  if (twice === 0) return seen + linear;
  const unseen = ((sampled - 1) / sampled) * (once ** 2 / (2 * twice));
  if (unseen === 0) return seen;
  const rate = once / (sampled * unseen + once);
  return seen + Math.min(linear, unseen * (1 - (1 - rate) ** further));
}

/**
 * Returns the share of newly found URLs that lead further, rather than back to unseen pages of the same distance from the
 * start: the more links lead to known ones of these, and the fewer of them are known, the smaller it is.
 *
 * @param found links of the sample to unknown URLs.
 * @param back links of the sample to known pages of the same distance that are found elsewhere.
 * @param coverage share of the pages of this distance that is known, 0 to 1.
 */
export function shareOfFurther({ found, back, coverage }: { found: number; back: number; coverage: number }): number {
  if (found === 0 || back === 0 || coverage >= 1) return 1;
  return Math.max(0, found - (back * (1 - coverage)) / coverage) / found;
}

/** Returns up to `count` items at even distances of the list. */
export function spread<Item>(items: readonly Item[], count: number): Item[] {
  if (items.length <= count) return [...items];
  return Array.from({ length: count }, (_, index) => items[Math.floor(((index + 0.5) * items.length) / count)]).filter(
    (item) => item !== undefined,
  );
}
