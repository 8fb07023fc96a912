/**
 * Repeated shapes: cards, list entries, comments, rows. Siblings of one shape form a unit; so do equal shapes
 * page-wide.
 */
import type { ElementNode } from "../../html/tree/tree.ts";
import type { PageOutline } from "../blocks.ts";
import type { ElementNames } from "./element-names.ts";
import { type ElementSums, sumUpwards } from "./element-sums.ts";
import type { TextFacts } from "./text-facts.ts";

/** Sums over the members of a unit. */
export interface Unit {
  count: number;
  length: number;
  linkLength: number;
  good: number;
  /** Blocks, images and links: only counted for units of siblings. */
  blocks: number;
  images: number;
  links: number;
  /** Indexes of the first and the last member: the first of a row of siblings identifies the row. */
  first: number;
  last: number;
}

export interface Repetition {
  /** For each element the unit of its siblings of the same shape, itself included; undefined without text. */
  siblings: (Unit | undefined)[];
  /** For each element the nearest one, itself or around it, whose siblings repeat; -1 where there is none. */
  nearest: Int32Array;
  /** For each block the number of its shape: that of its element and of the element's parent. */
  shapeOf: Int32Array;
  /** For each shape number its blocks. */
  shapes: Unit[];
}

/** Fewer siblings than this are not a row of like things. */
export const MIN_REPEATS = 3;

interface Measured {
  outline: PageOutline;
  text: TextFacts;
  sums: ElementSums;
  names: ElementNames;
}

export function measureRepetition({ outline, text, sums, names }: Measured): Repetition {
  const elementShapes = numberShapes(names);
  const shapeOf = pairShapes(outline, elementShapes);
  const siblings = siblingUnits(outline, sums, elementShapes);
  return { siblings, nearest: nearestRepeated(outline, siblings), shapeOf, shapes: sumShapes(outline, text, shapeOf) };
}

/** An element whose siblings repeat, and the steps up to it from the element that it was found for. */
export interface Repeated {
  index: number;
  steps: number;
  unit: Unit;
}

/** Returns the first element whose siblings repeat, `from` or less than `reach` steps above it. */
export function findRepeated(
  { siblings, nearest }: Repetition,
  { depths }: PageOutline,
  { from, reach }: { from: number; reach: number },
): Repeated | undefined {
  const index = nearest[from]!;
  const unit = siblings[index];
  if (unit === undefined) return undefined;
  const steps = depths[from]! - depths[index]!;
  return steps < reach ? { index, steps, unit } : undefined;
}

/** Returns the next such element around one, less than `reach` steps above it. */
export function findRepeatedAround(
  repetition: Repetition,
  outline: PageOutline,
  { index, reach }: { index: number; reach: number },
): Repeated | undefined {
  return findRepeated(repetition, outline, { from: outline.parents[index]!, reach: reach - 1 });
}

function nearestRepeated({ parents }: PageOutline, siblings: readonly (Unit | undefined)[]): Int32Array {
  const nearest = new Int32Array(siblings.length).fill(-1, 0, 1);
  for (let index = 1; index < nearest.length; index++) {
    const unit = siblings[index];
    nearest[index] = unit !== undefined && unit.count >= MIN_REPEATS ? index : nearest[parents[index]!]!;
  }
  return nearest;
}

/** Returns a number for each element with text: equal for the same tag and first two classes. The root's is 0. */
function numberShapes({ numbers, examples }: ElementNames): Int32Array {
  const byShape = new Map<string, number>();
  const shapeOfName = examples.map((element) => {
    const key = shapeKey(element);
    const shape = byShape.get(key) ?? byShape.size;
    byShape.set(key, shape);
    return shape;
  });
  return numbers.map((name) => (name < 0 ? -1 : shapeOfName[name]!));
}

const FIRST_CLASSES = /^(\S*)(?:\s+(\S*))?/;

function shapeKey({ tag, attributes }: ElementNode): string {
  const classes = attributes["class"];
  if (!classes) return `${tag}.`;
  const [, first = "", second = ""] = FIRST_CLASSES.exec(classes) ?? [];
  return `${tag}.${first}.${second}`;
}

function siblingUnits({ elements, parents }: PageOutline, sums: ElementSums, shapes: Int32Array): (Unit | undefined)[] {
  const images = new Float64Array(elements.length);
  const links = new Float64Array(elements.length);
  for (let index = 0; index < elements.length; index++) {
    const { tag } = elements[index]!;
    if (tag === "img") images[index] = 1;
    else if (tag === "a") links[index] = 1;
  }
  sumUpwards(parents, [images, links]);
  const units = new Map<number, Unit>();
  const siblings: (Unit | undefined)[] = [];
  for (let index = 0; index < elements.length; index++) {
    if (sums.blocks[index] === 0) {
      siblings.push(undefined);
      continue;
    }
    const key = (parents[index]! + 1) * elements.length + shapes[index]!;
    let unit = units.get(key);
    if (unit === undefined) units.set(key, (unit = emptyUnit(index)));
    unit.count++;
    unit.length += sums.lengths[index]!;
    unit.linkLength += sums.linkLengths[index]!;
    unit.good += sums.good[index]!;
    unit.blocks += sums.blocks[index]!;
    unit.images += images[index]!;
    unit.links += links[index]!;
    unit.last = index;
    siblings.push(unit);
  }
  return siblings;
}

function pairShapes({ elements, parents, blocks }: PageOutline, shapes: Int32Array): Int32Array {
  const numbers = new Map<number, number>();
  const paired = new Int32Array(blocks.length);
  for (let block = 0; block < paired.length; block++) {
    const { element } = blocks[block]!;
    const parent = parents[element]!;
    const key = shapes[element]! * (elements.length + 1) + (parent < 0 ? elements.length : shapes[parent]!);
    let number = numbers.get(key);
    if (number === undefined) numbers.set(key, (number = numbers.size));
    paired[block] = number;
  }
  return paired;
}

function sumShapes({ blocks }: PageOutline, text: TextFacts, shapeOf: Int32Array): Unit[] {
  const shapes: Unit[] = [];
  blocks.forEach(({ linkLength }, block) => {
    const unit = (shapes[shapeOf[block]!] ??= emptyUnit(block));
    unit.count++;
    unit.length += text.lengths[block]!;
    unit.linkLength += linkLength;
    unit.good += text.good[block]!;
    unit.last = block;
  });
  return shapes;
}

function emptyUnit(first: number): Unit {
  return { count: 0, length: 0, linkLength: 0, good: 0, blocks: 0, images: 0, links: 0, first, last: first };
}
