import { isHidden, isShadowRoot, SILENT_TAGS, type Revealed } from "./hidden.ts";
import type { ElementNode } from "./tree/tree.ts";

/** The subtrees that are searched for hidden content, and the parts of them that are left out in any case. */
export interface Selection {
  roots: readonly ElementNode[];
  droppedElements: ReadonlySet<ElementNode>;
}

/**
 * Hidden text at least this many times as long as the rest of the page is its content, unless it is a notice of a few
 * lines.
 */
const CONTENT_RATIO = 2;
const MIN_CONTENT_CHARS = 500;
const DIALOG_NAME = /modal|dialog|pop-?up|overlay|lightbox|drawer|cookie|consent/i;
/** Revealed content may hold further hidden content; this bounds the search. */
const MAX_ROUNDS = 4;
const NOTHING: ReadonlySet<ElementNode> = new Set();

/**
 * Finds the hiding markers that do not count when a page is emitted as a whole. Some pages are hidden until a script
 * shows them, or are inside a `noscript`: their hidden part is longer than all visible text, and holds the page's title
 * or most of its text. Dialogs, menus and folded panels of other pages stay hidden. Where nothing is visible at all, no
 * marker counts.
 */
export function findRevealed({ roots, droppedElements }: Selection): Revealed {
  let revealed = NOTHING;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const measured = measureText(roots, droppedElements, revealed);
    const { visible, hidden } = measured;
    const all = hidden.reduce((sum, part) => sum + part.length, visible.length);
    const content = hidden.filter(({ element, length, holdsTitle }) => {
      if (length <= visible.length || isDialog(element)) return false;
      if (holdsTitle && !visible.holdsTitle) return true;
      return length >= MIN_CONTENT_CHARS && length > (all - length) * CONTENT_RATIO;
    });
    if (content.length === 0) return visible.length === 0 && all > 0 ? "all" : revealed;
    revealed = revealed.union(new Set(content.map(({ element }) => element)));
  }
  return revealed;
}

/** Reports whether an element is a dialog, by its tag, role, class or id. */
export function isDialog({ tag, attributes }: ElementNode): boolean {
  const { role = "", class: classes = "", id = "" } = attributes;
  return tag === "dialog" || DIALOG_NAME.test(`${role} ${classes} ${id}`);
}

interface Measured {
  /** Characters of text. */
  length: number;
  holdsTitle: boolean;
}

interface MeasuredText {
  visible: Measured;
  /** The topmost hidden elements that hold text. */
  hidden: (Measured & { element: ElementNode })[];
}

function measureText(
  roots: readonly ElementNode[],
  dropped: ReadonlySet<ElementNode>,
  revealed: ReadonlySet<ElementNode>,
): MeasuredText {
  const hidden: MeasuredText["hidden"] = [];
  const visible = measure(roots, (element) => {
    if (dropped.has(element) || isButton(element)) return false;
    if (revealed.has(element) || !(element.tag === "noscript" || isHidden(element))) return true;
    const inner = measure([element], (below) => !dropped.has(below));
    if (inner.length > 0) hidden.push({ element, ...inner });
    return false;
  });
  return { visible, hidden };
}

/** The label of a button is not content; panels that buttons unfold are examined separately. */
function isButton({ tag }: ElementNode): boolean {
  return tag === "button";
}

function measure(roots: readonly ElementNode[], isEntered: (element: ElementNode) => boolean): Measured {
  const measured = { length: 0, holdsTitle: false };
  const stack = [...roots];
  for (let element = stack.pop(); element !== undefined; element = stack.pop()) {
    if (isSilent(element) || !isEntered(element)) continue;
    if (element.tag === "h1" || element.tag === "main") measured.holdsTitle = true;
    for (const child of element.children) {
      if (typeof child !== "string") stack.push(child);
      else if (child.length > 1 || child.charCodeAt(0) > 32) measured.length += child.trim().length;
    }
  }
  return measured;
}

function isSilent(element: ElementNode): boolean {
  return SILENT_TAGS.has(element.tag) && element.tag !== "noscript" && !isShadowRoot(element);
}
