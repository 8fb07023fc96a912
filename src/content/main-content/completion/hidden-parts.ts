import { isForScreenReaders, isHidden } from "../../html/hidden.ts";
import { isDialog } from "../../html/reveal.ts";
import type { ElementNode } from "../../html/tree/tree.ts";
import type { PageMeasures } from "../features/page-measures.ts";
import type { ChoiceToComplete } from "./completion.ts";

/** Hidden texts beyond this share of the kept words are content that a script shows; smaller ones are notices. */
const MAX_NOTICE_SHARE = 0.2;
/** Words that are notices on every page. */
const MAX_NOTICE_WORDS = 20;
/** Names of parts that a page folds: their text is shown when a reader asks for it. */
const PANEL_NAME = /tab|panel|accordion|collaps|toggle|fold|more|expand|answer|faq/i;

/**
 * Drops hidden dialogs, and small hidden parts that nothing on the page unfolds: messages of forms, templates, twins for
 * other devices. Panels stay, and so do hidden parts that are a large share of the content.
 */
export function dropHiddenParts({ page, kept }: Pick<ChoiceToComplete, "page" | "kept">): void {
  const { outline, text } = page;
  const hidden = findHidden(page);
  const found: number[] = [];
  let words = 0;
  let hiddenWords = 0;
  let dialogWords = 0;
  for (let block = 0; block < kept.length; block++) {
    if (kept[block] === 0) continue;
    words += text.sizes[block]!;
    const kind = hidden[outline.blocks[block]!.runs[0]!.parent]!;
    if (kind === SHOWN) continue;
    found.push(block);
    if (kind === IN_DIALOG) dialogWords += text.sizes[block]!;
    else hiddenWords += text.sizes[block]!;
  }
  if (hiddenWords + dialogWords === words) return;
  const areNotices = hiddenWords <= Math.max(MAX_NOTICE_WORDS, (words - dialogWords) * MAX_NOTICE_SHARE);
  for (const block of found) {
    if (areNotices || hidden[outline.blocks[block]!.runs[0]!.parent] === IN_DIALOG) kept[block] = 0;
  }
}

const SHOWN = 0;
const HIDDEN = 1;
const IN_DIALOG = 2;

/** Returns for each element whether it is in a hidden part, and not in a panel of it. */
function findHidden({ outline: { elements, parents } }: PageMeasures): Uint8Array {
  const targets = new Set<string>();
  for (const { attributes } of elements) for (const id of controlledBy(attributes)) targets.add(id);
  const hidden = new Uint8Array(elements.length);
  for (let index = 1; index < elements.length; index++) {
    const element = elements[index]!;
    const around = hidden[parents[index]!]!;
    const isStart = around === SHOWN && isHidden(element) && !isForScreenReaders(element.attributes["class"]);
    if (isStart && isDialog(element)) hidden[index] = IN_DIALOG;
    else if (around === IN_DIALOG || !isPanel(element, targets)) hidden[index] = isStart ? HIDDEN : around;
  }
  return hidden;
}

/** Returns the ids that a control of the page shows. */
function controlledBy({
  "aria-controls": controls,
  "data-target": target,
  "data-bs-target": bootstrapTarget,
  href,
}: ElementNode["attributes"]): string[] {
  const ids = controls === undefined ? [] : controls.split(/\s+/);
  for (const selector of [target, bootstrapTarget, href]) {
    if (selector?.startsWith("#") === true && selector.length > 1) ids.push(selector.slice(1));
  }
  return ids;
}

function isPanel({ tag, attributes }: ElementNode, targets: ReadonlySet<string>): boolean {
  const { id, role, class: classes } = attributes;
  if (tag === "details" || role === "tabpanel") return true;
  if (id !== undefined && (targets.has(id) || PANEL_NAME.test(id))) return true;
  return classes !== undefined && PANEL_NAME.test(classes);
}
