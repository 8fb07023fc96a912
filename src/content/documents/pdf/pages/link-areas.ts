import type { WorkBudget } from "../../../../core/work-budget.ts";
import type { PdfPage } from "../pdf-document.ts";
import { COMPARISONS_PER_STEP } from "../pdf-work.ts";
import { type TextRun, WIDE_LETTERS } from "../text-run.ts";
import { multiply, rotated, type Rotation } from "./page-rotation.ts";

const WIDE_LETTER = new RegExp(WIDE_LETTERS, "");

/** A link of a page with its box, in points from the upper left corner of the turned page. */
export interface LinkArea {
  href: string;
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Returns the links to web addresses among the annotations of a page, turned as its text. */
export function linkAreas(annotations: readonly unknown[], page: PdfPage, rotation: Rotation): LinkArea[] {
  const { transform, width, height } = page.getViewport({ scale: 1 });
  const placed = (x: number, y: number): [number, number] => {
    const [, , , , left = 0, top = 0] = multiply(transform, [1, 0, 0, 1, x, y]);
    return rotated([left, top], rotation, width, height);
  };
  return annotations.flatMap((annotation) => {
    if (typeof annotation !== "object" || annotation === null || !("url" in annotation) || !("rect" in annotation))
      return [];
    const { url, rect } = annotation;
    if (typeof url !== "string" || !Array.isArray(rect)) return [];
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = rect.map(Number);
    const [ax, ay] = placed(x1, y1);
    const [bx, by] = placed(x2, y2);
    return [
      { href: url, left: Math.min(ax, bx), right: Math.max(ax, bx), top: Math.min(ay, by), bottom: Math.max(ay, by) },
    ];
  });
}

/**
 * Splits a run at links that cover a part of it; the start in the text is estimated from the position, to the nearest
 * word, or letter where words have no spaces between them. Returns what is left as it is when the budget is spent.
 */
export function splitAtLinks(run: TextRun, areas: readonly LinkArea[], budget: WorkBudget): TextRun[] {
  const split: TextRun[] = [];
  // Pieces from the right to the left, each with the links that may cover a part of it.
  const open = [{ piece: run, areas }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { piece, areas: own } = next;
    const mayCompare = budget.take(own.length / COMPARISONS_PER_STEP);
    const within = mayCompare ? own.filter((area) => isCovered(piece, area)) : [];
    const [area, ...rest] = within;
    const parts = area === undefined ? undefined : partsAt(piece, area, budget);
    if (parts === undefined) {
      split.push(piece);
      continue;
    }
    if (parts.behind !== undefined) open.push({ piece: parts.behind, areas: rest });
    open.push({ piece: parts.covered, areas: [] });
    if (parts.before !== undefined) open.push({ piece: parts.before, areas: rest });
  }
  return split;
}

function isCovered(run: TextRun, area: LinkArea): boolean {
  const middle = run.baseline - run.size * 0.3;
  const isBeside = middle <= area.top || middle >= area.bottom;
  return !isBeside && Math.min(run.right, area.right) - Math.max(run.left, area.left) > run.size * 0.3;
}

/** Returns the part of a run that a link covers, and those before and behind it; undefined when it covers no word. */
function partsAt(
  run: TextRun,
  area: LinkArea,
  budget: WorkBudget,
): { before: TextRun | undefined; covered: TextRun; behind: TextRun | undefined } | undefined {
  const { length } = run.text;
  if (!budget.take(length / COMPARISONS_PER_STEP)) return undefined;
  const places = placesOf(run);
  const from = nearestWordEdge(run.text, positionAt(area.left, places));
  const to = nearestWordEdge(run.text, positionAt(area.right, places));
  if (to <= from) return undefined;
  const piece = (start: number, end: number, href: string | undefined): TextRun => ({
    ...run,
    text: run.text.slice(start, end),
    left: places[start] ?? run.left,
    right: places[end] ?? run.right,
    href,
  });
  return {
    before: from > 0 ? piece(0, from, undefined) : undefined,
    covered: piece(from, to, area.href),
    behind: to < length ? piece(to, length, undefined) : undefined,
  };
}

/** Estimates where each character of a run begins, and where the last one ends: letters of East Asia are twice as wide as others. */
function placesOf({ text, left, right }: TextRun): Float64Array {
  const places = new Float64Array(text.length + 1);
  for (let at = 0; at < text.length; at++)
    places[at + 1] = (places[at] ?? 0) + (WIDE_LETTER.test(text.charAt(at)) ? 2 : 1);
  const perUnit = (right - left) / (places[text.length] || 1);
  return places.map((units) => left + units * perUnit);
}

/** Returns how many characters, with a part of the last one, end at a place on the page. */
function positionAt(place: number, places: Float64Array): number {
  let [low, high] = [0, places.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((places[middle] ?? 0) <= place) low = middle;
    else high = middle;
  }
  const [left = 0, right = 0] = [places[low], places[high]];
  return low + (place - left) / (right - left);
}

/** Returns the edge of a word that is nearest to a position, the left one of two; the ends of the text are edges. */
function nearestWordEdge(text: string, position: number): number {
  if (!(position > 0.5)) return 0;
  if (position >= text.length - 0.5) return text.length;
  let low = Math.floor(position);
  let high = low + 1;
  for (;;) {
    if (position - low <= high - position) {
      if (isWordEdge(text, low)) return low;
      low--;
    } else {
      if (isWordEdge(text, high)) return high;
      high++;
    }
  }
}

/** Letters of scripts without spaces between words, except their marks, which belong to the letter before them. */
const WITHOUT_SPACES = /[\u2E80-\u9FFF\uF900-\uFAFF\uFF00-\uFF60]|(?=\p{L})[\u0E00-\u0EFF\u1000-\u109F\u1780-\u17FF]/u;
const MARK = /[\p{M}\uDC00-\uDFFF]/u;

function isWordEdge(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return true;
  const [before, after] = [text.charAt(at - 1), text.charAt(at)];
  if (/[\s([{,;]/.test(before) || /[\s)\]},.;]/.test(after)) return true;
  return (WITHOUT_SPACES.test(before) || WITHOUT_SPACES.test(after)) && !MARK.test(after);
}
