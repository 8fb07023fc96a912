import { expect, test } from "vitest";
import { packTrees, nameSplits } from "../../../../src/tools/train-main-content/pack-model.ts";
import { binColumns } from "../../../../src/tools/train-main-content/trees/bin-columns.ts";
import { boostTrees } from "../../../../src/tools/train-main-content/trees/boost-trees.ts";
import { fitAll } from "../../../../src/tools/train-main-content/trees/fit-all.ts";
import { predictRows, unpackTrees } from "../../../../src/content/main-content/model/boosted-trees.ts";

const ROWS = 2000;
const NAMES = ["x", "y", "noise"];
const PARAMETERS = {
  trees: 40,
  maxLeaves: 6,
  learningRate: 0.3,
  columnShare: 1,
  rowShare: 0.8,
  minLeafWeight: 1,
  lambda: 1,
};

/** Content is where x and y are both large: no single column tells. */
function examples(noisyWeight = 1) {
  const values = new Float32Array(ROWS * 3);
  const labels = new Uint8Array(ROWS);
  for (let row = 0; row < ROWS; row++) {
    const x = (row % 50) / 50;
    const y = Math.floor(row / 50) / 40;
    values.set([x, y, (row * 7919) % 101], row * 3);
    labels[row] = x >= 0.5 && y >= 0.5 ? 1 : 0;
  }
  const weights = new Float32Array(ROWS).fill(noisyWeight);
  return { values, labels, weights, data: binColumns([{ rows: ROWS, width: 3, values }], weights, 64) };
}

test("trees learn what two columns say together", () => {
  const { labels, logOdds } = { ...examples(), ...boostTrees(examples(), PARAMETERS, 10) };
  const said = Uint8Array.from(logOdds, (odds) => (odds > 0 ? 1 : 0));
  expect(said).toEqual(labels);
});

test("the packed trees say of a row what the training says of it", () => {
  const { values, ...given } = examples();
  const { trees, logOdds } = boostTrees(given, PARAMETERS, 10);
  const packed = unpackTrees(packTrees(nameSplits(trees, given.data, NAMES)), NAMES);
  const probabilities = predictRows(packed, { matrix: values, width: 3 });
  const wanted = logOdds.map((odds) => 1 / (1 + Math.exp(-odds)));
  const furthest = wanted.reduce((most, value, row) => Math.max(most, Math.abs(value - (probabilities[row] ?? 0))), 0);
  expect(furthest).toBeLessThan(0.01);
});

test("rows without weight teach nothing", () => {
  const given = examples();
  const half = { ...given, weights: given.weights.map((weight, row) => (row % 50 < 25 ? weight : 0)) };
  const { logOdds } = boostTrees(half, PARAMETERS, 10);
  expect(Math.max(...logOdds)).toBeLessThan(0);
});

test("the same examples give the same trees, in one thread or two", async () => {
  const { data, labels, weights } = examples();
  const folds = Uint8Array.from({ length: ROWS }, (_, row) => row % 2);
  const job = { data, labels, weights, folds, parameters: { ...PARAMETERS, trees: 5 }, earlyTrees: 2 };
  const jobs = [
    { ...job, heldOut: [0] },
    { ...job, heldOut: [1] },
  ];
  const [one, two] = await Promise.all([fitAll(jobs, 1), fitAll(jobs, 2)]);
  expect(two).toEqual(one);
  expect(one[0]?.trees).not.toEqual(one[1]?.trees);
});
