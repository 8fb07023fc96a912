import { OPS } from "#pdfjs";
import type { WorkBudget } from "../../../../core/work-budget.ts";
import { COMPARISONS_PER_STEP, type PdfWork } from "../pdf-work.ts";
import type { PdfPage } from "../pdf-document.ts";
import { type Dot, dotOf, isDotSize, MAX_DOTS } from "./small-shapes.ts";
import { MAX_PICTURES, type PagePicture, toPictures } from "./page-pictures.ts";
import { multiply, rotated, type Rotation } from "./page-rotation.ts";

/** A rule in the typographic sense: a horizontal or vertical line, in points from the upper left corner of the rotated page. */
export interface RulingLine {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** Boxes thinner than this, in points, are drawn lines. */
const MAX_THICKNESS = 3;
/** Shorter lines, in points, are parts of drawings. */
const MIN_LENGTH = 8;
/** Height of a painted box that may be the background of a row, in points. */
const ROW_HEIGHT = { least: 8, most: 150 };
/** More lines than this are a drawing. */
const MAX_RULES = 4_000;
const MAX_SAVED_STATES = 1_000;
/** Commands of a path in the list of drawing operations of pdf.js, with the numbers that follow each. */
const MOVE_TO = 0;
const LINE_TO = 1;
const NUMBERS_OF: readonly number[] = [2, 2, 6, 4, 0];
/** Lines that differ less from upright and level ones, in units of the path, are such. */
const MAX_SLANT = 0.01;

type Matrix = readonly number[];
type Numbers = ArrayLike<number>;

/** The lines, pictures and small shapes of a page. */
export interface Drawing {
  rules: RulingLine[];
  pictures: PagePicture[];
  /** Set when the page has more pictures than are read. */
  hasMorePictures: boolean;
  /** Small round or square shapes. */
  dots: Dot[];
}

export const NO_DRAWING: Drawing = { rules: [], pictures: [], hasMorePictures: false, dots: [] };

/**
 * Returns the horizontal and vertical lines of a page, and its pictures; none when its drawing operations cannot be read or
 * exceed the budget for drawings.
 */
export async function readDrawing(page: PdfPage, rotation: Rotation, work: PdfWork): Promise<Drawing> {
  return (await work.readDrawing((budget) => drawingOf(page, rotation, budget))) ?? NO_DRAWING;
}

async function drawingOf(page: PdfPage, rotation: Rotation, budget: WorkBudget): Promise<Drawing> {
  const operations = await page.getOperatorList().catch(() => undefined);
  if (operations === undefined || !budget.take(operations.fnArray.length / COMPARISONS_PER_STEP)) return NO_DRAWING;
  const { transform, width, height } = page.getViewport({ scale: 1 });
  const isSideways = rotation === 90 || rotation === 270;
  const turned = isSideways ? { width: height, height: width } : { width, height };
  const rules: RulingLine[] = [];
  const parts: PagePicture[] = [];
  let hasMorePictures = false;
  const dots: Dot[] = [];
  const finish = (): Drawing => ({
    rules,
    pictures: toPictures(parts, turned),
    hasMorePictures,
    dots: dots.length > MAX_DOTS ? [] : dots,
  });
  const saved: Matrix[] = [];
  let matrix: Matrix = transform;
  for (const [at, operation] of operations.fnArray.entries()) {
    const values: unknown = operations.argsArray[at];
    if (operation === OPS.save || operation === OPS.paintFormXObjectBegin) {
      if (saved.length < MAX_SAVED_STATES) saved.push(matrix);
    } else if (operation === OPS.restore || operation === OPS.paintFormXObjectEnd) matrix = saved.pop() ?? matrix;
    if (operation === OPS.transform) matrix = multiply(matrix, numbersOf(values));
    else if (operation === OPS.paintFormXObjectBegin && Array.isArray(values) && values[0] !== null)
      matrix = multiply(matrix, numbersOf(values[0]));
    else if (operation === OPS.paintImageXObject) {
      const corners = UNIT_SQUARE.map((corner) => rotated(apply(matrix, corner), rotation, width, height));
      if (parts.length >= MAX_PICTURES) hasMorePictures = true;
      else parts.push({ ...boundsOf(corners), ...sizeOf(values) });
    } else if (operation === OPS.constructPath && Array.isArray(values) && isPainted(values[0])) {
      for (const path of Array.isArray(values[1]) ? values[1] : []) {
        const numbers = pathOf(path);
        if (!budget.take(numbers.length / COMPARISONS_PER_STEP)) return finish();
        const isStroked = values[0] === OPS.stroke || values[0] === OPS.closeStroke;
        const dot = dots.length > MAX_DOTS ? undefined : dotOf(numbers, NUMBERS_OF);
        if (dot !== undefined) {
          const shown = boundsOf(dot.map((corner) => rotated(apply(matrix, corner), rotation, width, height)));
          if (isDotSize(shown)) dots.push(shown);
        }
        for (const line of linesOf(numbers, isStroked, scaleOf(matrix))) {
          const corners = line.map((corner) => rotated(apply(matrix, corner), rotation, width, height));
          const rule = toRule(corners);
          if (rule !== undefined) rules.push(rule);
          if (rules.length >= MAX_RULES) return { ...finish(), rules: [] };
        }
      }
    }
  }
  return finish();
}

/**
 * Reports whether a page shows what may be letters: an image, or a painted path with a curve or a slanted line. Frames, rules
 * and backgrounds are none, so that a page with these alone is blank.
 * @param options.hasUnknownText counts text in too, as its characters may not be known
 */
export async function showsShapes(
  page: PdfPage,
  { hasUnknownText }: { hasUnknownText: boolean },
  work: PdfWork,
): Promise<boolean> {
  const before = work.images;
  const { fnArray, argsArray } = await page.getOperatorList();
  // Images in a line of the content are no part of the list.
  if (work.images > before || fnArray.some((operation) => IMAGES.has(operation))) return true;
  if (hasUnknownText && fnArray.some((operation) => TEXTS.has(operation))) return true;
  return fnArray.some((operation, at) => {
    const values: unknown = argsArray[at];
    if (operation !== OPS.constructPath || !Array.isArray(values) || !isPainted(values[0])) return false;
    const paths = Array.isArray(values[1]) ? values[1].map(pathOf) : [];
    return paths.some((path) => !work.budget.take(path.length / COMPARISONS_PER_STEP) || hasShape(path));
  });
}

const IMAGES: ReadonlySet<number> = new Set([
  OPS.paintImageXObject,
  OPS.paintInlineImageXObject,
  OPS.paintImageMaskXObject,
]);

const TEXTS: ReadonlySet<number> = new Set([OPS.showText, OPS.showSpacedText, OPS.nextLineShowText]);

function hasShape(path: Numbers): boolean {
  let [x, y] = [0, 0];
  for (let at = 0; at < path.length;) {
    const command = path[at] ?? 0;
    const count = NUMBERS_OF[command] ?? 0;
    const [nextX, nextY] = count === 0 ? [x, y] : [path[at + count - 1] ?? x, path[at + count] ?? y];
    if (count > 2) return true;
    if (command === LINE_TO && Math.min(Math.abs(nextX - x), Math.abs(nextY - y)) > MAX_SLANT) return true;
    [x, y] = [nextX, nextY];
    at += count + 1;
  }
  return false;
}

/** An image is painted into the unit square of its space. */
const UNIT_SQUARE: readonly [number, number][] = [[0, 0], [1, 0], [0, 1], [1, 1]]; // prettier-ignore

function sizeOf(values: unknown): { width: number; height: number } {
  const [, width, height]: unknown[] = Array.isArray(values) ? values : [];
  const pixels = (value: unknown): number => (typeof value === "number" && value > 0 ? Math.round(value) : 0);
  return { width: pixels(width), height: pixels(height) };
}

function isPainted(operation: unknown): boolean {
  return operation !== OPS.endPath && operation !== OPS.clip && operation !== OPS.eoClip;
}

function numbersOf(values: unknown): number[] {
  const list: unknown = values instanceof Float32Array ? [...values] : values;
  return Array.isArray(list) ? list.map(Number).filter(Number.isFinite) : [];
}

/** Returns the numbers of a path as they are, where all are finite: a drawing has hundreds of thousands. */
function pathOf(values: unknown): Numbers {
  return values instanceof Float32Array && values.every(Number.isFinite) ? values : numbersOf(values);
}

function scaleOf([a = 1, b = 0, c = 0, d = 1]: Matrix): number {
  return Math.sqrt(Math.abs(a * d - b * c));
}

/**
 * Returns the lines of a stroked path, or the thin outlines of a filled one and the edges of its boxes, each by its corners.
 * `scale` is that of the path on the page.
 */
function linesOf(path: Numbers, isStroked: boolean, scale: number): [number, number][][] {
  const outlines: [number, number][][] = [];
  for (let at = 0; at < path.length;) {
    const command = path[at] ?? 0;
    const count = NUMBERS_OF[command] ?? 0;
    const point: [number, number] = [path[at + count - 1] ?? 0, path[at + count] ?? 0];
    const last = outlines.at(-1);
    if (command === MOVE_TO || last === undefined) outlines.push([point]);
    else if (command === LINE_TO) last.push(point);
    // The first point again, for the line that closes the outline.
    else if (count === 0) last.push(last[0] ?? point);
    else outlines.push([point]);
    at += count + 1;
  }
  const isThin = (corners: [number, number][]): boolean =>
    [0, 1].some((axis) => {
      const values = corners.map((corner) => corner[axis] ?? 0);
      return Math.max(...values) - Math.min(...values) <= MAX_THICKNESS;
    });
  return outlines.flatMap((corners) => {
    if (corners.length < 2 || corners.length > 100) return [];
    if (isThin(corners)) return [corners];
    if (!isStroked) return edgesOfRow(corners, scale);
    return corners.slice(1).map((corner, at) => [corners[at] ?? corner, corner]);
  });
}

/** Returns the upper and the lower edge of a painted box that may be the background of a row or a cell. */
function edgesOfRow(corners: readonly [number, number][], scale: number): [number, number][][] {
  const [xs, ys] = [0, 1].map((axis) =>
    [...new Set(corners.map((corner) => corner[axis] ?? 0))].toSorted((a, b) => a - b),
  );
  const [left, right] = xs ?? [];
  const [one, other] = ys ?? [];
  if (xs?.length !== 2 || ys?.length !== 2 || corners.length < 4) return [];
  if (left === undefined || right === undefined || one === undefined || other === undefined) return [];
  const height = (other - one) * scale;
  if (height < ROW_HEIGHT.least || height > ROW_HEIGHT.most) return [];
  return [one, other].map((y) => [[left, y], [right, y]]); // prettier-ignore
}

function apply([a = 1, b = 0, c = 0, d = 1, e = 0, f = 0]: Matrix, [x, y]: [number, number]): [number, number] {
  return [a * x + c * y + e, b * x + d * y + f];
}

function boundsOf(corners: readonly (readonly [number, number])[]): RulingLine {
  const xs = corners.map(([x]) => x);
  const ys = corners.map(([, y]) => y);
  return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
}

function toRule(corners: readonly (readonly [number, number])[]): RulingLine | undefined {
  const rule = boundsOf(corners);
  const [width, height] = [rule.right - rule.left, rule.bottom - rule.top];
  return Math.min(width, height) <= MAX_THICKNESS && Math.max(width, height) >= MIN_LENGTH ? rule : undefined;
}

/** Reports whether a line is horizontal. */
export function isHorizontal(rule: RulingLine): boolean {
  return rule.right - rule.left >= rule.bottom - rule.top;
}
