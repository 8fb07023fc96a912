import { keepShape } from "../../core/kept-shapes.ts";
import type { MainContent } from "./main-content.ts";
import type { WorkBudget } from "../../core/work-budget.ts";
import { headingLevel } from "./blocks.ts";
import { hasText } from "../text/has-text.ts";
import { NO_ATTRIBUTES, textLengthOf, type ElementNode } from "../html/tree/tree.ts";

/** A piece of a page that is kept or left out as one, in document order. */
export interface ContentUnit {
  kind: "text" | "heading" | "figure" | "code" | "formula";
  /** The element that holds the unit's text. */
  element: ElementNode;
  /** True when the unit is all that the element holds; a text unit is only its own text. */
  isWhole: boolean;
  length: number;
  isKept: boolean;
  /** The definition list around. */
  grid: ElementNode | undefined;
}

/** Elements that cannot separate two units. */
const SILENT_TAGS = new Set(
  "head script style template svg canvas select datalist textarea map title noscript iframe object button".split(" "),
);
const FORMULA_CLASS = /(?:^|\s)(?:mwe-math-element|katex-display|MathJax_Display|math-display)(?:\s|$)/;
const FIGURE_CLASS = /(?:^|\s)(?:wp-caption|figure|image-caption-container)(?:\s|$)/;

/**
 * Cuts the body of a page into units, with the classifier's result for each. Recursion is bounded by the tree's depth.
 * @throws AppError `SCRAPE_WORK_LIMIT` when the budget is spent: figures in figures are looked through at each level
 */
export function listContentUnits(root: ElementNode, content: MainContent, budget: WorkBudget): ContentUnit[] {
  const lister = new Lister(content, budget);
  lister.read(root, { isDropped: content.droppedElements.has(root), grid: undefined });
  return lister.units;
}

const NOTHING_KEPT = { some: false, all: false };

interface Surroundings {
  isDropped: boolean;
  grid: ElementNode | undefined;
}

class Lister {
  readonly units: ContentUnit[] = [];
  readonly #content: MainContent;
  readonly #budget: WorkBudget;

  constructor(content: MainContent, budget: WorkBudget) {
    this.#content = content;
    this.#budget = budget;
    keepShape(this);
  }

  read(element: ElementNode, around: Surroundings): void {
    const { droppedText, droppedElements } = this.#content;
    const droppedIndexes = droppedText.get(element);
    const { children } = element;
    for (let index = 0; index < children.length; index++) {
      const child = children[index] as ElementNode | string;
      if (typeof child === "string") {
        const isKept = !around.isDropped && droppedIndexes?.has(index) !== true;
        if (hasText(child))
          this.units.push({ kind: "text", element, isWhole: false, length: child.length, isKept, grid: around.grid });
        continue;
      }
      if (SILENT_TAGS.has(child.tag)) continue;
      const isDropped = around.isDropped || droppedElements.has(child);
      const kind = kindOf(child, this.#budget);
      const grid = kind === "text" && child.tag === "dl" ? child : around.grid;
      const within = isDropped === around.isDropped && grid === around.grid ? around : { isDropped, grid };
      if (kind !== "text") this.#addWhole(child, kind, within);
      else this.read(child, within);
    }
  }

  #addWhole(element: ElementNode, kind: Exclude<ContentUnit["kind"], "text">, { isDropped, grid }: Surroundings): void {
    const { some, all } = isDropped ? NOTHING_KEPT : this.#keptOf(element);
    // A figure of which a part is missing is restored as a whole.
    const isKept = kind === "figure" ? all : some;
    this.units.push({ kind, element, isWhole: true, length: textLengthOf(element), isKept, grid });
  }

  /** Reports whether some of an element's content is kept, and whether all is. */
  #keptOf(element: ElementNode): { some: boolean; all: boolean } {
    const { droppedText, droppedElements } = this.#content;
    let some = false;
    let all = true;
    const stack = [element];
    for (let current = stack.pop(); current !== undefined; current = stack.pop()) {
      const indexes = droppedText.get(current);
      const { children } = current;
      for (let index = 0; index < children.length; index++) {
        const child = children[index]!;
        if (typeof child === "string") {
          if (indexes?.has(index) === true) all = false;
          else if (hasText(child)) some = true;
        } else if (droppedElements.has(child)) all = false;
        else if (!SILENT_TAGS.has(child.tag)) stack.push(child);
      }
    }
    return { some: some || all, all };
  }
}

function kindOf(element: ElementNode, budget: WorkBudget): ContentUnit["kind"] {
  const { tag, attributes } = element;
  if (headingLevel(tag) > 0) return "heading";
  if (tag === "figure") return isPicture(element, budget) ? "figure" : "text";
  if (tag === "pre") return "code";
  if (tag === "math" || tag === "mjx-container") return "formula";
  if (attributes === NO_ATTRIBUTES) return "text";
  const classes = attributes["class"];
  if (classes === undefined) return "text";
  // Searching for a part of the names costs less than the pattern, which most classes do not match.
  if ((classes.includes("ath") || classes.includes("katex")) && FORMULA_CLASS.test(classes)) return "formula";
  return tag === "div" && FIGURE_CLASS.test(classes) && isPicture(element, budget) ? "figure" : "text";
}

/** Longer texts in figures are drawn user interfaces, tables or listings, and are judged separately. */
const MAX_CAPTION_CHARS = 300;
const ACTIVE_TAGS = new Set("nav button form input h1 h2 h3 ul ol table pre blockquote".split(" "));

/** Reports whether a figure is a picture with at most a caption and its source. */
function isPicture(figure: ElementNode, budget: WorkBudget): boolean {
  let hasImage = false;
  let links = 0;
  let length = 0;
  const stack: (ElementNode | string)[] = [...figure.children];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (typeof node === "string") {
      length += node.trim().length;
      continue;
    }
    budget.spend();
    if (ACTIVE_TAGS.has(node.tag)) return false;
    if (node.tag === "img" || node.tag === "video") hasImage = true;
    if (node.tag === "a") links++;
    if (!SILENT_TAGS.has(node.tag)) for (const child of node.children) stack.push(child);
  }
  return hasImage && links <= 2 && length <= MAX_CAPTION_CHARS;
}
