/** Repeated shapes: cards, list entries, comments, rows. Siblings of one shape form a unit; so do equal shapes page-wide. */
import type { ElementNode } from "../tree.ts";
import { type FeatureGroup, writePerElement } from "./feature-group.ts";
import { type PageMeasures, sumUpwards } from "./page-measures.ts";

interface Unit {
  count: number;
  blocks: number;
  images: number;
  links: number;
  length: number;
  linkLength: number;
  good: number;
  first: number;
  last: number;
}

const MIN_REPEATS = 3;

const UNIT_NAMES = [
  ...["Count", "Length", "LinkDensity", "GoodDensity", "Steps", "Share", "Images", "Links", "Blocks"].map(
    (name) => `unit${name}`,
  ),
  ...["Count", "Length", "LinkDensity", "Share"].map((name) => `outerUnit${name}`),
];

export const repetitionFeatures: FeatureGroup = {
  names: [
    ...UNIT_NAMES,
    ...["Count", "Length", "LinkDensity", "GoodDensity", "Share", "Spread"].map((name) => `shape${name}`),
  ],
  prepare(page) {
    const { outline, totals } = page;
    const units = siblingUnits(page);
    const shapes = groupByShape(page);
    const shapeUnits = sumGroups(page, shapes);
    const writeUnits = writePerElement(page, (element) => describeUnits(page, units, element));
    return (block, matrix, offset) => {
      writeUnits(block, matrix, offset);
      const shape = shapeUnits[shapes[block]!]!;
      let at = offset + UNIT_NAMES.length;
      matrix[at++] = Math.log1p(shape.count);
      matrix[at++] = Math.log1p(shape.length / shape.count);
      matrix[at++] = shape.linkLength / Math.max(1, shape.length);
      matrix[at++] = shape.good / Math.max(1, shape.length);
      matrix[at++] = shape.length / totals.length;
      matrix[at++] = (shape.last - shape.first) / outline.blocks.length;
    };
  },
};

/** Tag and first two classes: what makes two siblings "the same kind of thing". */
export function shapeKey({ tag, attributes }: ElementNode): string {
  const classes = attributes.class;
  if (!classes) return `${tag}.`;
  const [first = "", second = ""] = classes.split(/\s+/, 2);
  return `${tag}.${first}.${second}`;
}

function siblingUnits({ outline, sums }: PageMeasures): (Unit | undefined)[] {
  const units = new Map<string, Unit>();
  const images = new Float64Array(outline.elements.length);
  const links = new Float64Array(outline.elements.length);
  outline.elements.forEach(({ tag }, index) => {
    if (tag === "img") images[index] = 1;
    else if (tag === "a") links[index] = 1;
  });
  sumUpwards(outline, [images, links]);
  return outline.elements.map((element, index) => {
    if (sums.blocks[index] === 0) return undefined;
    const key = `${outline.parents[index]}|${shapeKey(element)}`;
    let unit = units.get(key);
    if (!unit) units.set(key, (unit = emptyUnit(index)));
    addSizes(unit, index, {
      length: sums.lengths[index]!,
      linkLength: sums.linkLengths[index]!,
      good: sums.good[index]!,
    });
    unit.blocks += sums.blocks[index]!;
    unit.images += images[index]!;
    unit.links += links[index]!;
    return unit;
  });
}

/** For each block the number of its shape: blocks whose element and parent have the same shape share one, page-wide. */
export function groupByShape({ outline }: PageMeasures): Int32Array {
  const { blocks, elements, parents } = outline;
  return numberKeys(
    blocks.map(({ element }) => {
      const parent = elements[parents[element]!];
      return `${shapeKey(elements[element]!)}<${parent ? shapeKey(parent) : ""}`;
    }),
  );
}

/** For each block the number of the innermost row of three or more like siblings that it stands in; alone, its own. */
export function groupBySiblings(page: PageMeasures): Int32Array {
  const { blocks, parents } = page.outline;
  const units = siblingUnits(page);
  const numbers = new Map<Unit, number>();
  return Int32Array.from(blocks, ({ element }, block) => {
    for (let index = element, steps = 0; index > 0 && steps < 7; index = parents[index]!, steps++) {
      const unit = units[index];
      if (!unit || unit.count < MIN_REPEATS) continue;
      if (!numbers.has(unit)) numbers.set(unit, -1 - numbers.size);
      return numbers.get(unit)!;
    }
    return block;
  });
}

function numberKeys(keys: string[]): Int32Array {
  const numbers = new Map<string, number>();
  return Int32Array.from(keys, (key) => {
    let number = numbers.get(key);
    if (number === undefined) numbers.set(key, (number = numbers.size));
    return number;
  });
}

function sumGroups({ outline, text }: PageMeasures, groups: Int32Array): Unit[] {
  const units: Unit[] = [];
  outline.blocks.forEach(({ linkLength }, index) => {
    const unit = (units[groups[index]!] ??= emptyUnit(index));
    addSizes(unit, index, { length: text.lengths[index]!, linkLength, good: text.good[index]! });
  });
  return units;
}

function emptyUnit(first: number): Unit {
  return { count: 0, blocks: 0, images: 0, links: 0, length: 0, linkLength: 0, good: 0, first, last: first };
}

function addSizes(
  unit: Unit,
  index: number,
  { length, linkLength, good }: Pick<Unit, "length" | "linkLength" | "good">,
): void {
  unit.count++;
  unit.length += length;
  unit.linkLength += linkLength;
  unit.good += good;
  unit.last = index;
}

function describeUnits({ outline, totals }: PageMeasures, units: (Unit | undefined)[], element: number): number[] {
  const values = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  let index = element;
  let steps = 0;
  for (; index > 0 && steps < 7; index = outline.parents[index]!, steps++) {
    const unit = units[index];
    if (!unit || unit.count < MIN_REPEATS) continue;
    const length = Math.max(1, unit.length);
    values.splice(
      0,
      9,
      Math.log1p(unit.count),
      Math.log1p(length / unit.count),
      unit.linkLength / length,
      unit.good / length,
      steps + 1,
      length / totals.length,
      unit.images / unit.count,
      Math.log1p(unit.links / unit.count),
      Math.log1p(unit.blocks / unit.count),
    );
    break;
  }
  const inner = steps < 7 ? units[index] : undefined;
  if (!inner) return values;
  for (let outerSteps = 0; index > 0 && outerSteps < 10; index = outline.parents[index]!, outerSteps++) {
    const unit = units[index];
    if (!unit || unit === inner || unit.count < MIN_REPEATS) continue;
    const length = Math.max(1, unit.length);
    values.splice(
      9,
      4,
      Math.log1p(unit.count),
      Math.log1p(length / unit.count),
      unit.linkLength / length,
      length / totals.length,
    );
    break;
  }
  return values;
}
