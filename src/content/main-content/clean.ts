import type { Cleaned } from "../html/cleaned.ts";
import { isAppError } from "../../core/errors.ts";
import { WorkBudget } from "../../core/work-budget.ts";
import { ancestorsOfMain, findBoilerplate } from "./boilerplate.ts";
import { isConcealed, isReadNoscript, isShadowRoot, SILENT_TAGS } from "../html/hidden.ts";
import { findMainContent } from "./find-main-content.ts";
import type { MainContentModel } from "./model/load-model.ts";
import { restoreContext } from "./restore-context.ts";
import { hasText } from "../text/has-text.ts";
import { findRevealed, type Selection } from "../html/reveal.ts";
import { findShown } from "../markdown/find-shown.ts";
import { MAX_SELECTOR_CHARS, selectAll } from "../html/tree/select.ts";
import type { SiteTemplate } from "./site-template.ts";
import type { ElementNode, HtmlTree } from "../html/tree/tree.ts";

/** Options for the parts of a page to keep (api-contract.md, “HTML cleaning”). */
export interface CleanOptions {
  onlyMainContent: boolean;
  /** CSS selectors; when there are any, only elements that match are kept. */
  includeTags: string[];
  /** CSS selectors of elements that are left out in any case. */
  excludeTags: string[];
  /** The site's template learned from its other pages, when it is known. */
  site?: SiteTemplate;
  /** Another model than the shipped one, to measure it. */
  model?: MainContentModel;
}

const NO_TEXT: ReadonlyMap<ElementNode, ReadonlySet<number>> = new Map();
/**
 * Below this expected F1 the classifier's choice is little better than the plain rules, which never lose a whole
 * article.
 */
const MIN_CONFIDENCE = 0.15;

/** Limit of the classifier's steps, and its largest share of what is left: the writers of the response run after it. */
const MAX_CLASSIFIER_STEPS = 20_000_000;
const MAX_CLASSIFIER_SHARE = 0.5;
/** On a page of more elements the classifier would take seconds, and a page that large is a table or a book anyway. */
const MAX_CLASSIFIED_ELEMENTS = 60_000;

/**
 * Decides which parts of a page are kept: explicit rules first (`includeTags`, `excludeTags`, elements that hold
 * `#main`), then main content. When that is uncertain, the plain rules by tags apply, and when nothing at all would be
 * left the whole page stays, so that the result for a page with visible text is never empty. A page whose content is
 * hidden is shown nevertheless.
 * @throws AppError `BAD_REQUEST` for a selector that cannot be read.
 */
export function cleanTree(tree: HtmlTree, url: string, options: CleanOptions, budget = new WorkBudget()): Cleaned {
  const roots = options.includeTags.length === 0 ? [tree.root] : outermost(select(tree, options.includeTags, budget));
  const excluded = new Set(select(tree, options.excludeTags, budget));
  const selection: Selection = { roots, droppedElements: excluded };
  const chosen =
    options.includeTags.length === 0
      ? withinBudget(budget, (own) => chosenContent(tree, url, { selection, options, budget: own }))
      : undefined;
  if (chosen === "too large" && options.onlyMainContent) budget.cut("main content (told by tags alone)");
  const content = chosen === undefined || chosen === "too large" || !hasVisibleText(chosen) ? undefined : chosen;
  if (options.onlyMainContent && content !== undefined) return content;
  const whole: Cleaned = { ...selection, droppedText: NO_TEXT, revealed: findRevealed(selection) };
  if (!options.onlyMainContent) return content === undefined ? whole : withContent(whole, content, budget);
  const cut = plainCut(tree, whole);
  return hasVisibleText(cut) ? cut : whole;
}

/** Runs the classifier within its share of the budget. */
function withinBudget<Result>(budget: WorkBudget, choose: (own: WorkBudget) => Result): Result | "too large" {
  const steps = Math.min(MAX_CLASSIFIER_STEPS, Math.floor(budget.left.steps * MAX_CLASSIFIER_SHARE));
  try {
    return choose(budget.within({ steps }));
  } catch (error) {
    if (!isAppError(error) || error.code !== "SCRAPE_WORK_LIMIT") throw error;
    return "too large";
  }
}

/** Returns the whole page with every hidden part that main content shows, so that it never has less. */
function withContent(whole: Cleaned, content: Cleaned, budget: WorkBudget): Cleaned {
  return whole.revealed === "all" ? whole : { ...whole, revealed: whole.revealed.union(findShown(content, budget)) };
}

/** Returns the classifier's choice, unless it is uncertain. */
function chosenContent(
  tree: HtmlTree,
  url: string,
  { selection, options: { site, model }, budget }: { selection: Selection; options: CleanOptions; budget: WorkBudget },
): Cleaned | undefined {
  if (tree.elementCount > MAX_CLASSIFIED_ELEMENTS) return undefined;
  const content = findMainContent(tree, url, { site, budget, model });
  if (content.confidence < MIN_CONFIDENCE) return undefined;
  const { droppedElements, droppedText } = restoreContext(tree, content, budget);
  const dropped = new Set(droppedElements);
  for (const element of ancestorsOfMain(tree)) dropped.delete(element);
  const { roots, droppedElements: excluded } = selection;
  for (const element of excluded) dropped.add(element);
  return {
    roots,
    droppedElements: dropped,
    droppedText,
    revealed: "all",
    repeatedShare: content.repeatedShare,
  };
}

function plainCut(tree: HtmlTree, whole: Cleaned): Cleaned {
  return { ...whole, droppedElements: findBoilerplate(tree).union(whole.droppedElements) };
}

function select(tree: HtmlTree, selectors: string[], budget: WorkBudget): ElementNode[] {
  return selectors.flatMap((selector) => selectAll(tree.root, withComposedFrames(selector), budget));
}

/** Older clients select frames by this name, which is what a browser makes of those that it can read. */
const FRAME_ALIAS = /div\[data-original-tag=(["']?)iframe\1\]/g;
/** An attribute selector, which stays, or the name of the tag. */
const FRAME_TAG = /\[[^\]]*\]|(?<![\w.#:-])iframe(?![\w-])/gi;
const ANY_FRAME = ':is(iframe, div[data-original-tag="iframe"])';

/** Reports whether a selector names frames, whose content only a browser puts into the page. */
export function selectsFrames(selector: string): boolean {
  return withComposedFrames(selector).includes(ANY_FRAME);
}

/** Lets `iframe` select frames of the source and those that a browser has put into the page. */
function withComposedFrames(selector: string): string {
  // Refused when it is applied; brackets that are never closed take the square of their number here.
  if (selector.length > MAX_SELECTOR_CHARS) return selector;
  const plain = selector.replace(FRAME_ALIAS, "iframe");
  return plain.replace(FRAME_TAG, (found) => (found.startsWith("[") ? found : ANY_FRAME));
}

/** Returns the outermost elements, in the same order: a match inside a match would be emitted twice. */
function outermost(elements: ElementNode[]): ElementNode[] {
  const known = new Set(elements);
  return [...known].filter((element) => {
    for (let parent = element.parent; parent !== undefined; parent = parent.parent) {
      if (known.has(parent)) return false;
    }
    return true;
  });
}

/** Reports whether there is any visible word. */
function hasVisibleText({ roots, droppedElements, droppedText, revealed }: Cleaned): boolean {
  const stack = [...roots];
  for (let element = stack.pop(); element !== undefined; element = stack.pop()) {
    const isShown = !SILENT_TAGS.has(element.tag) || isShadowRoot(element) || isReadNoscript(element, revealed);
    if (droppedElements.has(element) || !isShown) continue;
    if (isConcealed(element, revealed)) continue;
    const dropped = droppedText.get(element);
    const { children } = element;
    for (let index = 0; index < children.length; index++) {
      const child = children[index]!;
      if (typeof child !== "string") stack.push(child);
      else if (hasText(child) && dropped?.has(index) !== true) return true;
    }
  }
  return false;
}
