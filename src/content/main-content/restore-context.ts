import type { MainContent } from "./main-content.ts";
/**
 * Restores units that belong to kept content although their words do not show it: the pictures of figures, listings
 * and formulas in the middle of it, and the other entries of a definition list.
 */
import { WorkBudget } from "../../core/work-budget.ts";
import { listContentUnits, type ContentUnit } from "./content-units.ts";
import type { ElementNode, HtmlTree } from "../html/tree/tree.ts";

const PICTURE_TAGS = new Set(["img", "video", "picture", "source"]);
/** Number of levels above a figure that count as its surroundings. */
const MAX_LEVELS = 3;
/** Share of a definition list that must be kept for the rest to be restored. */
const MIN_GRID_SHARE = 0.5;
/** Share of the surroundings that must be kept for a figure at their edge to be restored. */
const MIN_AROUND_SHARE = 0.5;
/** Maximum number of units to each side in the surroundings. */
const MAX_AROUND_UNITS = 40;

/** @throws AppError `SCRAPE_WORK_LIMIT` when the budget is spent. */
export function restoreContext(tree: HtmlTree, content: MainContent, budget = new WorkBudget()): MainContent {
  budget.spend(tree.elementCount);
  const units = listContentUnits(tree.root, content, budget);
  if (!units.some(({ isKept }) => isKept)) return content;
  const restored = [...restoreGrids(units), ...restoreIslands(units, budget)];
  return restored.length === 0 ? content : withoutDropping(content, restored, budget);
}

/** Keeps definition lists as a whole or not at all. */
function restoreGrids(units: readonly ContentUnit[]): ContentUnit[] {
  const grids = new Map<ElementNode, ContentUnit[]>();
  for (const unit of units) {
    if (unit.grid === undefined) continue;
    const members = grids.get(unit.grid);
    if (members === undefined) grids.set(unit.grid, [unit]);
    else members.push(unit);
  }
  const restored: ContentUnit[] = [];
  for (const members of grids.values()) {
    if (shareOfKept(members) < MIN_GRID_SHARE) continue;
    for (const unit of members) {
      if (unit.isKept) continue;
      unit.isKept = true;
      restored.push(unit);
    }
  }
  return restored;
}

/**
 * Restores figures, listings and formulas between two kept units, or at the edge of surroundings of which most is kept.
 */
function restoreIslands(units: readonly ContentUnit[], budget: WorkBudget): ContentUnit[] {
  return units.filter((unit, index) => {
    if (unit.isKept || !isIsland(unit)) return false;
    budget.spend(2 * MAX_AROUND_UNITS);
    const before = neighbour(units, index, -1);
    const after = neighbour(units, index, 1);
    const isBetween = before?.isKept === true && after?.isKept === true;
    const isAtEdge =
      (before?.isKept === true || after?.isKept === true) && shareAround(units, index, budget) >= MIN_AROUND_SHARE;
    if (!isBetween && !isAtEdge) return false;
    unit.isKept = true;
    return true;
  });
}

function isIsland({ kind }: ContentUnit): boolean {
  return kind === "figure" || kind === "code" || kind === "formula";
}

/** Returns the next unit that is neither such an island nor a heading. */
function neighbour(units: readonly ContentUnit[], from: number, step: 1 | -1): ContentUnit | undefined {
  const end = from + step * MAX_AROUND_UNITS;
  for (let index = from + step; index !== end && index >= 0 && index < units.length; index += step) {
    const unit = units[index] as ContentUnit;
    if (unit.isKept || (!isIsland(unit) && unit.kind !== "heading")) return unit;
  }
  return undefined;
}

/** Returns the share of the text that is kept in the element around a unit, or in the one around that. */
function shareAround(units: readonly ContentUnit[], index: number, budget: WorkBudget): number {
  let around = units[index]?.element.parent;
  for (let level = 0; around !== undefined && level < MAX_LEVELS; level++, around = around.parent) {
    budget.spend(2 * MAX_AROUND_UNITS);
    const inside = unitsWithin(units, index, around).filter((unit) => !isIsland(unit));
    if (inside.length > 0) return shareOfKept(inside);
  }
  return 0;
}

function unitsWithin(units: readonly ContentUnit[], index: number, around: ElementNode): ContentUnit[] {
  let start = index;
  while (start > Math.max(0, index - MAX_AROUND_UNITS) && isInside((units[start - 1] as ContentUnit).element, around))
    start--;
  let end = index;
  while (
    end + 1 < Math.min(units.length, index + MAX_AROUND_UNITS) &&
    isInside((units[end + 1] as ContentUnit).element, around)
  )
    end++;
  return units.slice(start, end + 1);
}

function shareOfKept(units: readonly ContentUnit[]): number {
  let all = 0;
  let kept = 0;
  for (const { length, isKept } of units) {
    all += length;
    if (isKept) kept += length;
  }
  return all === 0 ? 0 : kept / all;
}

function isInside(element: ElementNode, around: ElementNode): boolean {
  for (let current: ElementNode | undefined = element; current !== undefined; current = current.parent) {
    if (current === around) return true;
  }
  return false;
}

/**
 * Returns the same content with some units kept. Where such a unit is in a dropped element, its neighbours are dropped
 * instead.
 */
function withoutDropping(content: MainContent, units: readonly ContentUnit[], budget: WorkBudget): MainContent {
  const droppedElements = new Set(content.droppedElements);
  const droppedText = new Map(content.droppedText);
  for (const { element, isWhole, kind } of units) {
    for (const ancestor of ancestorsFromTop(element)) {
      budget.spend();
      openUp(ancestor, droppedElements);
    }
    if (kind === "figure") sparePictures(element, droppedElements);
    else if (isWhole) spareWithin(element, droppedElements, droppedText);
    else {
      openUp(element, droppedElements);
      droppedText.delete(element);
    }
  }
  return { confidence: content.confidence, droppedElements, droppedText };
}

function ancestorsFromTop({ parent }: ElementNode): ElementNode[] {
  const ancestors: ElementNode[] = [];
  for (let current = parent; current !== undefined; current = current.parent) ancestors.push(current);
  return ancestors.toReversed();
}

/** Drops the children of an element instead of the element. */
function openUp(element: ElementNode, dropped: Set<ElementNode>): void {
  if (!dropped.delete(element)) return;
  for (const child of element.children) if (typeof child !== "string") dropped.add(child);
}

function spareWithin(
  element: ElementNode,
  droppedElements: Set<ElementNode>,
  droppedText: Map<ElementNode, ReadonlySet<number>>,
): void {
  const stack = [element];
  for (let current = stack.pop(); current !== undefined; current = stack.pop()) {
    droppedElements.delete(current);
    droppedText.delete(current);
    for (const child of current.children) if (typeof child !== "string") stack.push(child);
  }
}

/** Keeps the pictures of a figure. Its caption was chosen or left out by its words. */
function sparePictures(element: ElementNode, dropped: Set<ElementNode>): void {
  const pictures: ElementNode[] = [];
  const stack = [element];
  for (let current = stack.pop(); current !== undefined; current = stack.pop()) {
    if (PICTURE_TAGS.has(current.tag)) pictures.push(current);
    for (const child of current.children) if (typeof child !== "string") stack.push(child);
  }
  for (const picture of pictures) {
    for (const ancestor of ancestorsFromTop(picture)) openUp(ancestor, dropped);
    dropped.delete(picture);
  }
}
