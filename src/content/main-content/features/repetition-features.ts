/** Features of the row of like things that the block is part of, if any. */
import { type FeatureGroup, writePerElement } from "./feature-group.ts";
import type { PageMeasures } from "./page-measures.ts";
import { findRepeated, findRepeatedAround, type Unit } from "./repetition.ts";

const UNIT_NAMES = [
  ...["Count", "Length", "LinkDensity", "GoodDensity", "Steps", "Share", "Images", "Links", "Blocks"].map(
    (name) => `unit${name}`,
  ),
  ...["Count", "Length", "LinkDensity", "Share"].map((name) => `outerUnit${name}`),
];
const OUTER_UNIT = 9;
const REACH = 7;
const OUTER_REACH = 10;

export const repetitionFeatures: FeatureGroup = {
  names: [
    ...UNIT_NAMES,
    ...["Count", "Length", "LinkDensity", "GoodDensity", "Share", "Spread"].map((name) => `shape${name}`),
  ],
  prepare(page) {
    const { outline, totals, repetition } = page;
    const writeUnits = writePerElement(page, UNIT_NAMES.length, (element, values) =>
      describeUnits(page, element, values),
    );
    return (block, matrix, offset) => {
      writeUnits(block, matrix, offset);
      const shape = repetition.shapes[repetition.shapeOf[block]!]!;
      const length = Math.max(1, shape.length);
      let at = offset + UNIT_NAMES.length;
      matrix[at++] = Math.log1p(shape.count);
      matrix[at++] = Math.log1p(shape.length / shape.count);
      matrix[at++] = shape.linkLength / length;
      matrix[at++] = shape.good / length;
      matrix[at++] = shape.length / totals.length;
      matrix[at++] = (shape.last - shape.first) / outline.blocks.length;
    };
  },
};

/** Describes the innermost unit around an element, and the next one around that; zeros where there is none. */
function describeUnits({ outline, totals, repetition }: PageMeasures, element: number, values: Float32Array): void {
  values.fill(0);
  const inner = findRepeated(repetition, outline, { from: element, reach: REACH });
  if (inner === undefined) return;
  const { unit } = inner;
  const length = Math.max(1, unit.length);
  values[0] = Math.log1p(unit.count);
  values[1] = Math.log1p(length / unit.count);
  values[2] = unit.linkLength / length;
  values[3] = unit.good / length;
  values[4] = inner.steps + 1;
  values[5] = length / totals.length;
  values[6] = unit.images / unit.count;
  values[7] = Math.log1p(unit.links / unit.count);
  values[8] = Math.log1p(unit.blocks / unit.count);
  const outer = findRepeatedAround(repetition, outline, { index: inner.index, reach: OUTER_REACH });
  if (outer !== undefined) describeOuter(outer.unit, totals.length, values);
}

function describeOuter(unit: Unit, pageLength: number, values: Float32Array): void {
  const length = Math.max(1, unit.length);
  values[OUTER_UNIT] = Math.log1p(unit.count);
  values[OUTER_UNIT + 1] = Math.log1p(length / unit.count);
  values[OUTER_UNIT + 2] = unit.linkLength / length;
  values[OUTER_UNIT + 3] = length / pageLength;
}
