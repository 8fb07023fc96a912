import type { WorkBudget } from "../../../../core/work-budget.ts";
import type { PdfPage } from "../pdf-document.ts";
import { COMPARISONS_PER_STEP } from "../pdf-work.ts";
import type { TextRun } from "../text-run.ts";
import { multiply } from "./page-rotation.ts";

/** A link of a page with its box, in points from the upper left corner. */
export interface LinkArea {
  href: string;
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Returns the links to web addresses among the annotations of a page. */
export function linkAreas(annotations: readonly unknown[], page: PdfPage): LinkArea[] {
  const { transform } = page.getViewport({ scale: 1 });
  return annotations.flatMap((annotation) => {
    if (typeof annotation !== "object" || annotation === null || !("url" in annotation) || !("rect" in annotation))
      return [];
    const { url, rect } = annotation;
    if (typeof url !== "string" || !Array.isArray(rect)) return [];
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = rect.map(Number);
    const [, , , , ax = 0, ay = 0] = multiply(transform, [1, 0, 0, 1, x1, y1]);
    const [, , , , bx = 0, by = 0] = multiply(transform, [1, 0, 0, 1, x2, y2]);
    return [
      { href: url, left: Math.min(ax, bx), right: Math.max(ax, bx), top: Math.min(ay, by), bottom: Math.max(ay, by) },
    ];
  });
}

/**
 * Splits a run at links that cover a part of it; the start in the text is estimated from the position, to the nearest
 * word. Returns what is left as it is when the budget is spent.
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
  const perCharacter = (run.right - run.left) / length;
  const from = nearestWordEdge(run.text, (area.left - run.left) / perCharacter);
  const to = nearestWordEdge(run.text, (area.right - run.left) / perCharacter);
  if (to <= from) return undefined;
  const piece = (start: number, end: number, href: string | undefined): TextRun => ({
    ...run,
    text: run.text.slice(start, end),
    left: run.left + start * perCharacter,
    right: run.left + end * perCharacter,
    href,
  });
  return {
    before: from > 0 ? piece(0, from, undefined) : undefined,
    covered: piece(from, to, area.href),
    behind: to < length ? piece(to, length, undefined) : undefined,
  };
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

function isWordEdge(text: string, at: number): boolean {
  return at <= 0 || at >= text.length || /[\s([{,;]/.test(text[at - 1] ?? "") || /[\s)\]},.;]/.test(text[at] ?? "");
}
