import type { ElementNode } from "../../html/tree/tree.ts";
import { inlineCode, isListing } from "../code.ts";
import { imageMarkdown } from "./image.ts";
import { writeLink } from "./link.ts";
import type { MarkKind } from "./marks.ts";
import { mayHoldFormulas, splitFormulas } from "../math/math-text.ts";
import { readFormula } from "../math/math.ts";
import { holds, isBlock, takeStep } from "../page.ts";
import type { InlineTarget } from "./target.ts";
import { withoutPrototype } from "../../../core/without-prototype.ts";

const MARKS: Record<string, MarkKind | undefined> = withoutPrototype({
  b: "strong",
  strong: "strong",
  i: "emphasis",
  em: "emphasis",
  cite: "emphasis",
  dfn: "emphasis",
  del: "deletion",
  s: "deletion",
  strike: "deletion",
});
const CODE_TAGS = new Set(["code", "kbd", "samp", "tt"]);
const FORMULA_CLASS = /katex|mathjax|mwe-math|math-/i;

/** Writes an element's content. Recursion is bounded: a tree is at most 512 deep. */
export function writeChildren(target: InlineTarget, element: ElementNode): void {
  const dropped = target.page.droppedText(element);
  const { children } = element;
  for (let index = 0; index < children.length; index++) {
    const child = children[index];
    if (child === undefined) continue;
    if (!takeStep(target.page)) return;
    if (typeof child !== "string") {
      if (index > 0 && isSeam(children[index - 1], child)) target.run.addSeam();
      writeElement(target, child);
    } else if (dropped === undefined || !dropped.has(index)) writeText(target, child);
  }
}

function writeText(target: InlineTarget, text: string): void {
  if (target.run.inLink || !mayHoldFormulas(text)) {
    target.run.addText(text);
    return;
  }
  for (const part of splitFormulas(text)) {
    if (typeof part === "string") target.run.addText(part);
    else target.addFormula(part);
  }
}

const SEAM_TAGS = new Set("span a time label small button strong b em i".split(" "));
/** Elements whose links are in rows and columns rather than in lines of text. */
const LAYOUT_TAGS = new Set("div nav section header footer aside article main li td figcaption".split(" "));

/**
 * True between neighbours that pages separate by style alone: a name and a date, two facts of a product, links of a
 * menu.
 */
function isSeam(before: ElementNode | string | undefined, element: ElementNode): boolean {
  const { tag, attributes, parent } = element;
  if (before === undefined || typeof before === "string" || !SEAM_TAGS.has(tag) || !SEAM_TAGS.has(before.tag))
    return false;
  if (before.tag !== tag || before.attributes["class"] !== attributes["class"]) return true;
  if (tag === "a") return LAYOUT_TAGS.has(parent?.tag ?? "");
  return parent?.tag === "div" && isPhrase(before) && isPhrase(element);
}

/** Reports whether an element holds several words or a label, not a letter or a syllable with a special style. */
function isPhrase({ children }: ElementNode): boolean {
  const [text, ...others] = children;
  return typeof text === "string" && others.length === 0 && /\S\s+\S|\S:/.test(text);
}

/** Writes one element, unless it is left out. */
export function writeElement(target: InlineTarget, element: ElementNode): void {
  const { page } = target;
  if (page.isSkipped(element)) return;
  const { tag } = element;
  if (tag === "a") writeAnchor(target, element);
  else if (mayBeFormula(element) && writeFormula(target, element)) return;
  else if (isBlock(element)) target.addBlock(element);
  else writePhrase(target, element);
}

function writePhrase(target: InlineTarget, element: ElementNode): void {
  const { tag } = element;
  const mark = MARKS[tag];
  if (mark !== undefined) {
    const isSource = tag === "cite" && isInQuote(element);
    if (isSource) target.run.endLine();
    target.run.open(mark);
    writeChildren(target, element);
    target.run.close(mark);
    if (isSource) target.run.endLine();
    return;
  }
  if (CODE_TAGS.has(tag)) {
    if (
      target.takesBlocks &&
      (isListing(element) || holds(element, target.page, ({ tag: inner }) => inner === "pre"))
    ) {
      target.addBlock(element);
    } else inlineCode(target.run, element, target.page);
    return;
  }
  const write = PHRASES[tag] ?? writeChildren;
  write(target, element);
}

/** Reports whether a citation is inside a quotation, where it has a separate line. */
function isInQuote({ parent }: ElementNode): boolean {
  return parent?.tag === "blockquote" || parent?.parent?.tag === "blockquote";
}

/** Elements that are more than their text. */
const PHRASES: Record<string, ((target: InlineTarget, element: ElementNode) => void) | undefined> = withoutPrototype({
  br: writeBreak,
  img: ({ run, page }, element) => run.addAtom(imageMarkdown(element, page, run.inLink || run.mode === "cell")),
  q: (target, element) => {
    target.run.addText('"');
    writeChildren(target, element);
    target.run.addText('"');
  },
  rt: (target, element) => {
    target.run.addText("(");
    writeChildren(target, element);
    target.run.addText(")");
  },
  rp: () => {},
  sup: writeRaised,
  sub: writeLowered,
});

function writeBreak(target: InlineTarget): void {
  target.run.addBreak();
  if (target.run.isParagraphOver) target.endParagraph();
}

/**
 * Writes superscripts: references keep their brackets, ordinals and trade marks need no mark; the rest is written as
 * HTML.
 */
function writeRaised(target: InlineTarget, element: ElementNode): void {
  const text = plainText(target, element);
  if (text === undefined || NO_MARK_RAISED.test(text)) writeChildren(target, element);
  else wrapInTag(target, element);
}

const NO_MARK_RAISED = /^(?:st|nd|rd|th|er|º|ª|™|®|©|tm|sm|\[.*\]|\*+|†|‡)$/i;

function writeLowered(target: InlineTarget, element: ElementNode): void {
  if (plainText(target, element) === undefined) writeChildren(target, element);
  else wrapInTag(target, element);
}

/** Markdown has no sub- and superscript but allows these two tags. */
function wrapInTag(target: InlineTarget, element: ElementNode): void {
  target.run.addAtom(`<${element.tag}>`);
  writeChildren(target, element);
  target.run.addTight(`</${element.tag}>`);
}

/** Returns the text of an element without elements that matter; undefined for others and for empty ones. */
function plainText({ page }: InlineTarget, element: ElementNode): string | undefined {
  if (holds(element, page, ({ tag }) => tag === "a" || tag === "img" || tag === "br" || tag === "sup" || tag === "sub"))
    return undefined;
  let text = "";
  const stack: (ElementNode | string)[] = [element];
  for (let node = stack.pop(); node !== undefined && takeStep(page); node = stack.pop()) {
    if (typeof node === "string") text += node;
    else
      for (const child of node.children.toReversed())
        if (typeof child === "string" || !page.isSkipped(child)) stack.push(child);
  }
  const trimmed = text.trim();
  return trimmed === "" ? undefined : trimmed;
}

function writeAnchor(target: InlineTarget, element: ElementNode): void {
  if (target.takesBlocks && holds(element, target.page, isBlock)) target.addBlock(element);
  else writeLink(target, element);
}

function mayBeFormula({ tag, attributes }: ElementNode): boolean {
  if (tag === "math" || tag === "mjx-container" || tag === "script") return true;
  const classes = attributes["class"];
  return classes !== undefined && FORMULA_CLASS.test(classes);
}

function writeFormula(target: InlineTarget, element: ElementNode): boolean {
  const formula = readFormula(element, () => takeStep(target.page));
  if (formula === undefined) return element.tag === "script";
  target.addFormula(formula);
  return true;
}
