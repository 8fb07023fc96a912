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

/**
 * Reads a formula from KaTeX, MathJax, MediaWiki and plain MathML markup, which contain it two or three times: once for
 * display, once for screen readers, once in TeX. The TeX is used.
 * @returns undefined for elements that are no formula.
 */
export function readFormula(element: ElementNode): Formula | undefined {
  const { tag, attributes } = element;
  if (isTexScript(element)) return texScript(element);
  const classes = attributes["class"] ?? "";
  const contained = CONTAINER_CLASS.test(classes) ? containedFormula(element) : undefined;
  if (contained !== undefined) return contained;
  const isMath = tag === "math" || tag === "mjx-container" || (classes !== "" && MATH_CLASS.test(classes));
  if (!isMath || withoutFormula.has(element)) return undefined;
  const found = findParts(element);
  if (found.isBlank) {
    walkElements(element, (inner) => void withoutFormula.add(inner));
    return undefined;
  }
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

/** Collects the first part of each kind. Others are read only while everything is blank. */
function findParts(element: ElementNode): Parts {
  const parts: Parts = { isBlock: false, isBlank: true };
  const blankMath = new Set<ElementNode>();
  const note = (kind: "annotation" | "altText" | "spelled", read: () => string | undefined): void => {
    if (parts[kind] !== undefined && !parts.isBlank) return;
    const tex = read();
    parts[kind] ??= tex;
    if (tex !== undefined && tex.trim() !== "") parts.isBlank = false;
  };
  walkElements(element, (inner) => {
    const { tag, attributes } = inner;
    if (attributes["data-latex"]?.trim() || attributes["data-tex"]?.trim()) parts.isBlank = false;
    if (tag === "annotation" && /tex/i.test(attributes["encoding"] ?? "")) note("annotation", () => textOf(inner));
    if (isTexScript(inner)) note("annotation", () => textOf(inner));
    if (tag === "img") note("altText", () => attributes["alt"]);
    if (tag !== "math") return;
    note("altText", () => attributes["alttext"]);
    note("spelled", () => spell(inner, blankMath));
    if (attributes["display"] === "block") parts.isBlock = true;
  });
  return parts;
}

/** Writes MathML in TeX; elements in blank MathML are blank without being read again. */
function spell(element: ElementNode, blankMath: Set<ElementNode>): string {
  if (blankMath.has(element)) return "";
  const tex = mathmlToTex(element);
  if (tex.trim() === "") walkElements(element, (inner) => void blankMath.add(inner));
  return tex;
}

/** Removes the redundant display style that MediaWiki wraps its TeX in. */
function tidy(tex: string): string {
  const text = tex.replace(/\s+/g, " ").trim();
  return text.replace(/^\{\\(?:displaystyle|textstyle)\s*(.*)\}$/, "$1").trim();
}
