import { TEX_SCRIPT, textOf, walkElements, type ElementNode } from "../../html/tree/tree.ts";
import { mathmlToTex } from "./mathml.ts";

/** A formula in TeX, in the line or on display. */
export interface Formula {
  tex: string;
  isDisplay: boolean;
}

const MATH_CLASS =
  /(?:^|\s)(?:katex(?:-display)?|MathJax(?:_Display|_SVG)?|mwe-math-element|math-(?:inline|display)|mathjax-container)(?:\s|$)/;

/**
 * Reads a formula from KaTeX, MathJax, MediaWiki and plain MathML markup, which contain it two or three times: once for
 * display, once for screen readers, once in TeX. The TeX is used.
 * @returns undefined for elements that are no formula.
 */
export function readFormula(element: ElementNode): Formula | undefined {
  const { tag, attributes } = element;
  if (isTexScript(element)) return texScript(element);
  const classes = attributes["class"] ?? "";
  const isMath = tag === "math" || tag === "mjx-container" || (classes !== "" && MATH_CLASS.test(classes));
  if (!isMath) return undefined;
  const found = findParts(element);
  const tex = tidy(
    found.annotation ?? found.altText ?? attributes["data-latex"] ?? attributes["data-tex"] ?? found.spelled ?? "",
  );
  if (tex === "") return undefined;
  const isDisplay =
    /display/i.test(classes) || found.isBlock || attributes["display"] === "true" || attributes["display"] === "block";
  return { tex, isDisplay };
}

/** Reads `<script type="math/tex; mode=display">`, in which MathJax 2 stores its formulas. */
function texScript(element: ElementNode): Formula | undefined {
  const tex = tidy(textOf(element));
  return tex === "" ? undefined : { tex, isDisplay: /mode\s*=\s*display/.test(element.attributes["type"] ?? "") };
}

export function isTexScript({ tag, attributes }: ElementNode): boolean {
  return tag === "script" && TEX_SCRIPT.test(attributes["type"] ?? "");
}

/** True for the elements that MathJax 2 shows in front of the script that holds the same formula in TeX. */
export function isFormulaTwin({ attributes, parent }: ElementNode): boolean {
  if (!/(?:^|\s)MathJax(?:_Preview|_Display|_SVG(?:_Display)?)?(?:\s|$)/.test(attributes["class"] ?? "")) return false;
  return parent?.children.some((sibling) => typeof sibling !== "string" && isTexScript(sibling)) ?? false;
}

interface Parts {
  annotation?: string;
  altText?: string;
  /** Written anew from MathML, the last resort. */
  spelled?: string;
  isBlock: boolean;
}

function findParts(element: ElementNode): Parts {
  const parts: Parts = { isBlock: false };
  walkElements(element, (inner) => {
    const { tag, attributes } = inner;
    if (tag === "annotation" && /tex/i.test(attributes["encoding"] ?? "")) parts.annotation ??= textOf(inner);
    if (isTexScript(inner)) parts.annotation ??= textOf(inner);
    if (tag === "img") parts.altText ??= attributes["alt"];
    if (tag !== "math") return;
    parts.altText ??= attributes["alttext"];
    parts.spelled ??= mathmlToTex(inner);
    if (attributes["display"] === "block") parts.isBlock = true;
  });
  return parts;
}

/** Removes the redundant display style that MediaWiki wraps its TeX in. */
function tidy(tex: string): string {
  const text = tex.replace(/\s+/g, " ").trim();
  return text.replace(/^\{\\(?:displaystyle|textstyle)\s*(.*)\}$/, "$1").trim();
}
