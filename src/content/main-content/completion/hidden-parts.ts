import { keepShape } from "../../../core/kept-shapes.ts";
import { isForScreenReaders, isHidden } from "../../html/hidden.ts";
import { isDialog } from "../../html/reveal.ts";
import type { ElementNode } from "../../html/tree/tree.ts";
import { levelOf, type PageOutline } from "../blocks.ts";
import type { ChoiceToComplete } from "./completion.ts";

/** Hidden texts beyond this share of the kept words are content that a script shows; smaller ones are notices. */
const MAX_NOTICE_SHARE = 0.2;
/** Words that are notices on every page. */
const MAX_NOTICE_WORDS = 20;
/** Names of parts that a page folds: their text is shown when a reader asks for it. */
const PANEL_NAME = /tab|panel|accordion|collaps|toggle|fold|more|expand|answer|faq/i;

/**
 * Drops hidden dialogs, and small hidden parts that nothing on the page unfolds: messages of forms, templates, twins for
 * other devices. Panels stay, and so do hidden parts that are a large share of the content, and a hidden `h1` outside of
 * dialogs where no visible one is kept.
 */
export function dropHiddenParts({ page, kept }: Pick<ChoiceToComplete, "page" | "kept">): void {
  const { outline, text } = page;
  const parts = new HiddenParts(outline);
  const found: number[] = [];
  const title = findTitle(outline, kept, parts);
  let words = 0;
  let hiddenWords = 0;
  let dialogWords = 0;
  let titleWords = 0;
  for (let block = 0; block < kept.length; block++) {
    if (kept[block] === 0) continue;
    words += text.sizes[block]!;
    const kind = parts.kindOf(outline.blocks[block]!.runs[0]!.parent);
    if (kind === SHOWN) continue;
    if (block === title) {
      titleWords = text.sizes[block]!;
      continue;
    }
    found.push(block);
    if (kind === IN_DIALOG) dialogWords += text.sizes[block]!;
    else hiddenWords += text.sizes[block]!;
  }
  if (hiddenWords + dialogWords + titleWords === words) return;
  const areNotices = hiddenWords <= Math.max(MAX_NOTICE_WORDS, (words - dialogWords) * MAX_NOTICE_SHARE);
  for (const block of found) {
    if (areNotices || parts.kindOf(outline.blocks[block]!.runs[0]!.parent) === IN_DIALOG) kept[block] = 0;
  }
}

/** Returns the first kept `h1` that is visible; the first hidden one outside of dialogs where none is; else -1. */
function findTitle(outline: PageOutline, kept: Uint8Array, parts: HiddenParts): number {
  let title = -1;
  for (let block = 0; block < kept.length; block++) {
    if (kept[block] === 0 || levelOf(outline, block) !== 1) continue;
    const kind = parts.kindOf(outline.blocks[block]!.runs[0]!.parent);
    if (kind === SHOWN) return block;
    if (kind === HIDDEN && title === -1) title = block;
  }
  return title;
}

const UNKNOWN = 0;
const SHOWN = 1;
const HIDDEN = 2;
const IN_DIALOG = 3;

/** Finds out whether elements are in hidden parts, and not in panels of them. Each element is examined once at most. */
class HiddenParts {
  readonly #outline: PageOutline;
  readonly #kinds: Uint8Array;
  #targets: Set<string> | undefined;

  constructor(outline: PageOutline) {
    this.#outline = outline;
    this.#kinds = new Uint8Array(outline.elements.length);
    this.#kinds[0] = SHOWN;
    keepShape(this);
  }

  kindOf(element: number): number {
    const { parents } = this.#outline;
    const path: number[] = [];
    let index = element;
    for (; this.#kinds[index] === UNKNOWN; index = parents[index]!) path.push(index);
    let kind = this.#kinds[index]!;
    for (let inner = path.pop(); inner !== undefined; inner = path.pop()) {
      kind = this.#kindWithin(inner, kind);
      this.#kinds[inner] = kind;
    }
    return kind;
  }

  #kindWithin(index: number, around: number): number {
    const element = this.#outline.elements[index]!;
    const isStart = around === SHOWN && isHidden(element) && !isForScreenReaders(element.attributes["class"]);
    if (around === IN_DIALOG || (isStart && isDialog(element))) return IN_DIALOG;
    if (around === SHOWN && !isStart) return SHOWN;
    this.#targets ??= controlledBy(this.#outline.elements);
    return isPanel(element, this.#targets) ? SHOWN : HIDDEN;
  }
}

/** Returns the ids of the elements that controls of the page show. */
function controlledBy(elements: readonly ElementNode[]): Set<string> {
  const ids = new Set<string>();
  for (const { attributes } of elements) {
    const { "aria-controls": controls, "data-target": target, "data-bs-target": bootstrapTarget, href } = attributes;
    if (controls !== undefined) for (const id of controls.split(/\s+/)) ids.add(id);
    for (const selector of [target, bootstrapTarget, href]) {
      if (selector?.startsWith("#") === true && selector.length > 1) ids.add(selector.slice(1));
    }
  }
  return ids;
}

function isPanel({ tag, attributes }: ElementNode, targets: ReadonlySet<string>): boolean {
  const { id, role, class: classes } = attributes;
  if (tag === "details" || role === "tabpanel") return true;
  if (id !== undefined && (targets.has(id) || PANEL_NAME.test(id))) return true;
  return classes !== undefined && PANEL_NAME.test(classes);
}
