import { expect, test } from "vitest";
import { type PackedTrees, predictRows, unpackTrees } from "../../../../src/content/model/boosted-trees.ts";
import { packTrees } from "../../../../src/tools/train-main-content/pack-model.ts";

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
