import type { Cleaned } from "../html/cleaned.ts";
import { WorkBudget } from "../../core/work-budget.ts";
import { concealmentOf } from "../html/concealment.ts";
import { isReadNoscript, isShadowRoot, SILENT_TAGS } from "../html/hidden.ts";
import { hasText } from "../text/has-text.ts";
import { BLOCK_TAGS, type ElementNode } from "../html/tree/tree.ts";
import { isDisclosure, saysSomething } from "./inline/button.ts";
import { isFormulaTwin, isTexScript } from "./math/math.ts";

/** The data about the written page that every rule uses. */
export interface MarkdownPage {
  readonly baseUrl: string;
  readonly removeBase64Images: boolean;
  /** Counts the work of writing; when it is spent, writers stop and leave out the rest. */
  readonly budget: WorkBudget;
  /** Reports whether an element is left out of the markdown. */
  isSkipped(element: ElementNode): boolean;
  /** Returns the indexes of text children that are left out. */
  droppedText(element: ElementNode): ReadonlySet<number> | undefined;
  /** The first image that was written for each address. */
  readonly pictures: Map<string, ElementNode>;
}

/** Fonts whose letters are pictures, so that their text is the picture's name; and links of wikis to edit a section. */
const NO_TEXT_CLASS = /(?:^|\s)(?:material-icons|material-symbols|mw-editsection)/;

export function createMarkdownPage(
  cleaned: Cleaned,
  {
    keepsButtons = false,
    budget = new WorkBudget(),
    ...options
  }: { baseUrl: string; removeBase64Images: boolean; keepsButtons?: boolean; budget?: WorkBudget | undefined },
): MarkdownPage {
  const { droppedElements, droppedText, revealed } = cleaned;
  const isConcealed = concealmentOf(cleaned, budget);
  const isKeptButton = buttonsOf(cleaned);
  return {
    ...options,
    budget,
    pictures: new Map(),
    droppedText: (element) => droppedText.get(element),
    isSkipped: (element) => {
      if (droppedElements.has(element)) return true;
      if (SILENT_TAGS.has(element.tag)) {
        return !isTexScript(element) && !isShadowRoot(element) && !isReadNoscript(element, revealed);
      }
      const classes = element.attributes["class"];
      if (classes !== undefined && (NO_TEXT_CLASS.test(classes) || isFormulaTwin(element))) return true;
      if (isConcealed(element)) return true;
      return element.tag === "button" && !keepsButtons && !isKeptButton(element);
    },
  };
}

/**
 * Selects the buttons that are kept: those with information in the classifier's choice, those that unfold a panel in
 * whole pages, and the ones that main content shows.
 */
function buttonsOf(cleaned: Cleaned): (button: ElementNode) => boolean {
  const { revealed } = cleaned;
  if (revealed !== "all") return (button) => isDisclosure(button) || revealed.has(button);
  const known = new Map<ElementNode, boolean>();
  return (button) => {
    let isKept = known.get(button);
    if (isKept === undefined) known.set(button, (isKept = saysSomething(button, cleaned)));
    return isKept;
  };
}

const MEDIA_BLOCKS = new Set(["iframe", "video", "audio"]);
const BLOCK_STYLE = /(?:^|[;\s])display\s*:\s*(?:block|flex|grid|table|list-item)/i;

/** True for elements that are laid out as blocks. */
export function isBlock({ tag, attributes }: ElementNode): boolean {
  if (BLOCK_TAGS.has(tag) || MEDIA_BLOCKS.has(tag)) return true;
  const style = attributes["style"];
  return style !== undefined && BLOCK_STYLE.test(style) && tag !== "a" && tag !== "img" && tag !== "code";
}

/** Counts steps of writing. @returns false when the budget is spent: the writer stops, and the response says so. */
export function takeStep({ budget }: MarkdownPage, steps = 1): boolean {
  if (budget.take(steps)) return true;
  budget.cut("markdown");
  return false;
}

/** True for inline elements that hold something accepted. Stops at the first. */
export function holds(element: ElementNode, page: MarkdownPage, accepts: (inner: ElementNode) => boolean): boolean {
  const stack: ElementNode[] = [element];
  for (let current = stack.pop(); current !== undefined; current = stack.pop()) {
    for (const child of current.children) {
      if (typeof child === "string" || page.isSkipped(child)) continue;
      if (accepts(child)) return true;
      if (!takeStep(page)) return false;
      if (child.children.length > 0) stack.push(child);
    }
  }
  return false;
}

/** Returns the kept children of an element, without blank texts: for elements that hold parts and no text. */
export function keptChildren(page: MarkdownPage, element: ElementNode): (ElementNode | string)[] {
  const dropped = page.droppedText(element);
  return element.children.filter((child, index) =>
    typeof child === "string" ? dropped?.has(index) !== true && hasText(child) : !page.isSkipped(child),
  );
}
