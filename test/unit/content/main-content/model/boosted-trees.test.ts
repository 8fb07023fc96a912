import { expect, test } from "vitest";
import {
  type PackedTrees,
  predictRows,
  unpackTrees,
} from "../../../../../src/content/main-content/model/boosted-trees.ts";
import { packTrees, type Tree } from "../../../../../src/tools/train-main-content/pack-model.ts";
import { given } from "../../../../fakes/given.ts";

const logistic = (logOdds: number) => 1 / (1 + Math.exp(-logOdds));

/** length < 3 ? (links < 1 ? -1 : -2) : 2, and a second tree of one leaf, 0.5. */
const PACKED: PackedTrees = packTrees([[["length", 3, 4], ["links", 1, 2], [-1], [-2], [2]], [[0.5]]]);

test.each([
  { row: [2, 0], logOdds: -0.5 },
  { row: [2, 1], logOdds: -1.5 },
  { row: [3, 0], logOdds: 2.5 },
  { row: [9, 9], logOdds: 2.5 },
])("row $row adds up to $logOdds", ({ row, logOdds }) => {
  const trees = unpackTrees(PACKED, ["length", "links"]);
  expect(predictRows(trees, { matrix: Float32Array.from(row), width: 2 })[0]).toBeCloseTo(logistic(logOdds), 3);
});

test("rows that are clear early are spared the other trees", () => {
  const trees = unpackTrees(PACKED, ["length", "links"]);
  const matrix = Float32Array.of(2, 0, 3, 0);
  const [unclear, clear] = predictRows(trees, { matrix, width: 2, earlyExit: { trees: 1, logOdds: 2 } });
  expect(unclear).toBeCloseTo(logistic(-0.5), 3);
  expect(clear).toBeCloseTo(logistic(2), 3);
});

test("rows that nobody wants are not judged", () => {
  const trees = unpackTrees(PACKED, ["length", "links"]);
  const probabilities = predictRows(trees, {
    matrix: Float32Array.of(3, 0, 3, 0),
    width: 2,
    wanted: Uint8Array.of(0, 1),
  });
  expect([...probabilities]).toEqual([0, expect.closeTo(logistic(2.5), 3)]);
});

test("columns are found by name, whatever their order", () => {
  const trees = unpackTrees(PACKED, ["other", "links", "length"]);
  expect(predictRows(trees, { matrix: Float32Array.of(7, 0, 2, 7, 0, 3), width: 3 })).toHaveLength(2);
  expect(predictRows(trees, { matrix: Float32Array.of(7, 0, 2), width: 3 })[0]).toBeCloseTo(logistic(-0.5), 3);
});

test("a feature without a column is named", () => {
  expect(() => unpackTrees(PACKED, ["length"])).toThrow('"links"');
});

test("no rows, no probabilities", () => {
  expect(predictRows(unpackTrees(PACKED, ["length", "links"]), { matrix: new Float32Array(0), width: 2 })).toHaveLength(
    0,
  );
});

test("trees with too many nodes are refused", () => {
  expect(() => packTrees([[["length", 1, 256], [1], [2]]])).toThrow("too many nodes");
});

type Row = readonly number[];

/** Values and thresholds alike, so that many thresholds are met exactly. */
const LEVELS = [-1e9, -2.5, -1, -0.1, -0, 0, 0.1, 0.5, 1, 3, 1e-30, 12_345.678].map(Math.fround);

const FEATURES = ["f0", "f1", "f2", "f3", "f4", "f5"];

function somethingRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function randomTree(random: () => number, depth: number): Tree {
  if (depth === 0 || random() < 0.2) return [[Math.round((random() - 0.5) * 65_534) / 1e5]];
  const left = randomTree(random, depth - 1);
  const right = randomTree(random, depth - 1);
  const threshold = given(LEVELS[Math.floor(random() * LEVELS.length)]);
  return [[given(FEATURES[Math.floor(random() * FEATURES.length)]), threshold, left.length + 1], ...left, ...right];
}

function walk(tree: Tree, row: Row): number {
  let at = 0;
  for (;;) {
    const node = given(tree[at]);
    if (node.length === 1) return node[0];
    at += given(row[Number(node[0].slice(1))]) < node[1] ? 1 : node[2];
  }
}

/** Each value is that of the row before as often as `sameness` says. */
function randomRows(random: () => number, count: number, sameness: number): number[][] {
  const rows: number[][] = [];
  for (let row = 0; row < count; row++) {
    const before = rows.at(-1);
    rows.push(
      FEATURES.map((_, column) =>
        before && random() < sameness ? given(before[column]) : given(LEVELS[Math.floor(random() * LEVELS.length)]),
      ),
    );
  }
  return rows;
}

test.each([1, 2, 3, 31, 32, 33, 64, 100])(
  "%i rows come to the leaves of random trees that a plain walk finds",
  (count) => {
    const random = somethingRandom(count);
    // The first leaf makes all leaves multiples of 0.00001 when they are packed.
    const forest: Tree[] = [[[0.327_67]], ...Array.from({ length: 40 }, () => randomTree(random, 5))];
    const trees = unpackTrees(packTrees(forest), FEATURES);
    const earlyExit = { trees: 10, logOdds: 0.6 };
    for (const sameness of [0, 0.7, 0.97]) {
      const rows = randomRows(random, count, sameness);
      const wanted = Uint8Array.from(rows, () => (random() < 0.8 ? 1 : 0));
      const expected = rows.map((row, index) => {
        if (wanted[index] === 0) return 0;
        const leaves = forest.map((tree) => walk(tree, row));
        const early = leaves.slice(0, earlyExit.trees).reduce((sum, leaf) => sum + leaf, 0);
        return logistic(Math.abs(early) < earlyExit.logOdds ? leaves.reduce((sum, leaf) => sum + leaf, 0) : early);
      });
      const probabilities = predictRows(trees, {
        matrix: Float32Array.from(rows.flat()),
        width: FEATURES.length,
        earlyExit,
        wanted,
      });
      expect([...probabilities]).toEqual(expected.map((probability) => expect.closeTo(probability, 5)));
    }
  },
);
