import { ofChildren } from "../../html/tree/of-children.ts";
import { TEX_SCRIPT, textOf, walkElements, type ElementNode } from "../../html/tree/tree.ts";
import { mathmlToTex } from "./mathml.ts";

/** A formula in TeX, in the line or on display. */
export interface Formula {
  tex: string;
  isDisplay: boolean;
}

const MATH_CLASS =
  /(?:^|\s)(?:katex(?:-display)?|MathJax(?:_Display|_SVG)?|mwe-math-element|math-(?:inline|display)|mathjax-container)(?:\s|$)/;

/** Class of the elements around the formulas of Stack Exchange. */
const CONTAINER_CLASS = /(?:^|\s)math-container(?:\s|$)/;
/** A text that is one formula between dollar signs. */
const ONE_FORMULA = /^(\$\$?)((?:[^$\\]|\\.)+)\1$/s;
const MAX_CONTAINED_CHARS = 10_000;

/** Elements below which no formula is written. In a deep nest, each level would otherwise be read anew. */
const withoutFormula = new WeakSet<ElementNode>();
/** Elements in which no TeX is written but in attributes of their own. */
const withoutParts = new WeakSet<ElementNode>();
const NO_PARTS: Parts = { isBlock: false, isBlank: false };

/**
 * Reads a formula from KaTeX, MathJax, MediaWiki and plain MathML markup, which contain it two or three times: once for
 * display, once for screen readers, once in TeX. The TeX is used.
 * @param takeStep counts each element that is read; false ends the reading
 * @returns undefined for elements that are no formula.
 */
export function readFormula(element: ElementNode, takeStep: () => boolean): Formula | undefined {
  const { tag, attributes } = element;
  if (isTexScript(element)) return texScript(element);
  const classes = attributes["class"] ?? "";
  const contained = CONTAINER_CLASS.test(classes) ? containedFormula(element) : undefined;
  if (contained !== undefined) return contained;
  const isMath = tag === "math" || tag === "mjx-container" || (classes !== "" && MATH_CLASS.test(classes));
  if (!isMath || withoutFormula.has(element)) return undefined;
  const found = withoutParts.has(element) ? NO_PARTS : findParts(element, takeStep);
  if (found === undefined) return undefined;
  if (found.isBlank) {
    walkElements(element, (inner) => void withoutFormula.add(inner));
    return undefined;
  }
  if (found !== NO_PARTS && (found.annotation ?? found.altText ?? found.spelled) === undefined)
    walkElements(element, (inner) => void withoutParts.add(inner));
  const tex = tidy(
    found.annotation ?? found.altText ?? attributes["data-latex"] ?? attributes["data-tex"] ?? found.spelled ?? "",
  );
  if (tex === "") return undefined;
  const isDisplay =
    /display/i.test(classes) || found.isBlock || attributes["display"] === "true" || attributes["display"] === "block";
  return { tex, isDisplay };
}

/** Reads an element whose only content is TeX between dollar signs, which a script of the page would replace. */
function containedFormula({ children }: ElementNode): Formula | undefined {
  const [text = "", ...others] = children;
  if (typeof text !== "string" || others.length > 0 || text.length > MAX_CONTAINED_CHARS) return undefined;
  const [, sign, source = ""] = ONE_FORMULA.exec(text.trim()) ?? [];
  const tex = tidy(source);
  return tex === "" ? undefined : { tex, isDisplay: sign === "$$" };
}

/** Reads `<script type="math/tex; mode=display">`, in which MathJax 2 stores its formulas. */
function texScript(element: ElementNode): Formula | undefined {
  const tex = tidy(textOf(element));
  return tex === "" ? undefined : { tex, isDisplay: /mode\s*=\s*display/.test(element.attributes["type"] ?? "") };
}

export function isTexScript({ tag, attributes }: ElementNode): boolean {
  return tag === "script" && TEX_SCRIPT.test(attributes["type"] ?? "");
}

const hasTexScript = ofChildren((children) =>
  children.some((child) => typeof child !== "string" && isTexScript(child)),
);

/** True for the elements that MathJax 2 shows in front of the script that holds the same formula in TeX. */
export function isFormulaTwin({ attributes, parent }: ElementNode): boolean {
  if (!/(?:^|\s)MathJax(?:_Preview|_Display|_SVG(?:_Display)?)?(?:\s|$)/.test(attributes["class"] ?? "")) return false;
  return parent !== undefined && hasTexScript(parent);
}

interface Parts {
  annotation?: string;
  altText?: string;
  /** Written anew from MathML, the last resort. */
  spelled?: string;
  isBlock: boolean;
  /** True when no element has any TeX, so that the elements inside are no formulas either. */
  isBlank: boolean;
}

/**
 * Collects the first part of each kind. Others are read only while everything is blank.
 * @returns undefined when the budget is spent
 */
function findParts(element: ElementNode, takeStep: () => boolean): Parts | undefined {
  const parts: Parts = { isBlock: false, isBlank: true };
  // Apart: MathML that is written as nothing, such as a space or a rule, may hold an annotation with TeX.
  const blankMath = new Set<ElementNode>();
  const blankAnnotations = new Set<ElementNode>();
  const note = (kind: "annotation" | "altText" | "spelled", read: () => string | undefined): void => {
    if (parts[kind] !== undefined && !parts.isBlank) return;
    const tex = read();
    parts[kind] ??= tex;
    if (tex !== undefined && tex.trim() !== "") parts.isBlank = false;
  };
  const read = (inner: ElementNode): void => {
    const { tag, attributes } = inner;
    if (attributes["data-latex"]?.trim() || attributes["data-tex"]?.trim()) parts.isBlank = false;
    if (tag === "annotation" && /tex/i.test(attributes["encoding"] ?? ""))
      note("annotation", () => readUnlessBlank(inner, blankAnnotations, textOf));
    if (isTexScript(inner)) note("annotation", () => textOf(inner));
    if (tag === "img") note("altText", () => attributes["alt"]);
    if (tag !== "math") return;
    note("altText", () => attributes["alttext"]);
    note("spelled", () => readUnlessBlank(inner, blankMath, mathmlToTex));
    if (attributes["display"] === "block") parts.isBlock = true;
  };
  const stack = [element];
  for (let inner = stack.pop(); inner !== undefined; inner = stack.pop()) {
    if (!takeStep()) return undefined;
    read(inner);
    for (let index = inner.children.length - 1; index >= 0; index--) {
      const child = inner.children[index];
      if (child !== undefined && typeof child !== "string") stack.push(child);
    }
  }
  return parts;
}

/** Reads an element. Those of its kind within a blank one are blank without being read again. */
function readUnlessBlank(
  element: ElementNode,
  blank: Set<ElementNode>,
  read: (element: ElementNode) => string,
): string {
  if (blank.has(element)) return "";
  const tex = read(element);
  if (tex.trim() === "") walkElements(element, (inner) => void blank.add(inner));
  return tex;
}

/** Removes the redundant display style that MediaWiki wraps its TeX in. */
function tidy(tex: string): string {
  const text = tex.replace(/\s+/g, " ").trim();
  return text.replace(/^\{\\(?:displaystyle|textstyle)\s*(.*)\}$/, "$1").trim();
}
