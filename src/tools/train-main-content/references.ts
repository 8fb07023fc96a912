/** Published and measured word F1 of other extractors on the Web Content Extraction Benchmark, to be read beside ours. */

export const PAGE_TYPES = ["article", "collection", "product", "listing", "forum", "documentation", "service"] as const;

export interface Reference {
  name: string;
  development: number | undefined;
  test: number | undefined;
  /** On the test set, in the order of `PAGE_TYPES`; empty where unknown. */
  testByType: readonly number[];
}

export const REFERENCES: readonly Reference[] = [
  {
    name: "text of the body",
    development: 0.682,
    test: 0.714,
    testByType: [0.801, 0.478, 0.545, 0.626, 0.64, 0.737, 0.659],
  },
  {
    name: "tag-list filter",
    development: 0.774,
    test: 0.813,
    testByType: [0.867, 0.665, 0.668, 0.753, 0.728, 0.863, 0.809],
  },
  {
    name: "tag-list filter in landmarks",
    development: 0.808,
    test: 0.831,
    testByType: [0.888, 0.679, 0.706, 0.78, 0.719, 0.872, 0.833],
  },
  {
    name: "Readability 0.6",
    development: 0.776,
    test: 0.839,
    testByType: [0.943, 0.609, 0.641, 0.645, 0.716, 0.889, 0.812],
  },
  {
    name: "Defuddle 0.19",
    development: 0.814,
    test: 0.864,
    testByType: [0.946, 0.695, 0.776, 0.642, 0.803, 0.958, 0.781],
  },
  { name: "Trafilatura (published)", development: 0.791, test: 0.833, testByType: [] },
  { name: "rs-trafilatura (published)", development: 0.859, test: 0.893, testByType: [] },
];
