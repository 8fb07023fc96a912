import type { WorkBudget } from "../../core/work-budget.ts";
import { decodeBody } from "../text/charset.ts";
import { childElement, findElement, parseXml, textOf, type XmlElement } from "./containers/xml-tree.ts";
import type { DocumentContent } from "./document-content.ts";
import { multiply } from "./pdf/pages/page-rotation.ts";
import { readingOrder } from "./pdf/reading-order.ts";
import type { TextRun } from "./pdf/text-run.ts";
import { toContent } from "./pdf/to-content.ts";

const NO_WORDS = "The picture has no words.";
/** Width of a letter in multiples of the font size, as fonts are not read. */
const LETTER_WIDTH = 0.55;
const DEFAULT_SIZE = 16;
const MAX_RUNS = 5_000;
/** Steps for one picture, about a second. */
const MAX_STEPS = 1_000_000;
const MAX_DEPTH = 200;
/** Characters of a `transform` that are read. */
const MAX_TRANSFORM = 2_000;
/** Characters of a number with its unit. */
const MAX_NUMBER = 100;
/** Characters of a `style` and of a `transform` that are read in the time of a step. */
const STYLE_PER_STEP = 16;
const TRANSFORM_PER_STEP = 4;
/** Elements that are not shown where they are written. */
const HIDDEN = new Set([
  "defs",
  "symbol",
  "clipPath",
  "mask",
  "pattern",
  "marker",
  "style",
  "script",
  "metadata",
  "title",
  "desc",
]);
const SHOWN_BYTES = 2_000;

/** Properties that an element passes on to those in it. */
interface Style {
  matrix: readonly number[];
  size: number;
  isBold: boolean;
  isItalic: boolean;
  anchor: string;
  href: string | undefined;
}

/** Reports whether XML is a picture in SVG, by its first element. */
export function isSvg(bytes: Uint8Array): boolean {
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, SHOWN_BYTES));
  return /^(?:[^<]|<[?!](?:[^>[]|\[[^\]]*\])*>)*<(?:svg:)?svg[\s/>]/i.test(start);
}

/** Reads the text of a picture in SVG 2 by its place. Text in paths, and text that scripts make, is not there. */
export function readSvg(
  bytes: Uint8Array,
  { contentType, url, budget: whole }: { contentType: string | undefined; url: string; budget: WorkBudget },
): DocumentContent {
  const budget = whole.within({ steps: MAX_STEPS });
  const root = findElement(parseXml(decodeBody(bytes, contentType).text, budget), "svg");
  const runs: TextRun[] = [];
  const style: Style = { matrix: [1, 0, 0, 1, 0, 0], size: DEFAULT_SIZE, isBold: false, isItalic: false, anchor: "start", href: undefined }; // prettier-ignore
  if (root !== undefined) walk(root, style, { runs, budget, depth: 0 });
  if (budget.isSpent) budget.cut("the text of the picture");
  const shown = moved(runs);
  const right = Math.max(1, ...shown.map((run) => run.right));
  const bottom = Math.max(1, ...shown.map((run) => run.baseline + run.size));
  const page = {
    pageNumber: 1,
    width: right,
    height: bottom,
    regions: readingOrder(shown, budget),
    asides: [],
    rules: [],
  };
  const content = toContent([page], url, {}, budget);
  const named = { title: "title", desc: "description" } as const;
  const metadata = Object.fromEntries(
    Object.entries(named).flatMap(([element, name]) => {
      const text = textOf(childElement(root, element)).replace(/\s+/g, " ").trim();
      return text === "" ? [] : [[name, text]];
    }),
  );
  return { ...content, metadata, ...(content.markdown === "" ? { warning: NO_WORDS } : {}) };
}

/** Returns runs in coordinates that begin at 0. */
function moved(runs: readonly TextRun[]): TextRun[] {
  const left = Math.min(0, ...runs.map((run) => run.left));
  const top = Math.min(0, ...runs.map((run) => run.baseline - run.size));
  return runs.map((run) => ({ ...run, left: run.left - left, right: run.right - left, baseline: run.baseline - top }));
}

interface Walk {
  runs: TextRun[];
  budget: WorkBudget;
  depth: number;
}

function walk(element: XmlElement, above: Style, { runs, budget, depth }: Walk): void {
  const name = localName(element);
  if (HIDDEN.has(name) || depth > MAX_DEPTH || !budget.take()) return;
  // Shapes, which are most elements, pass on no style.
  const isShape = name !== "text" && element.children.every((child) => typeof child === "string");
  if (isShape || !budget.take(stepsOfStyle(element))) return;
  const style = styleOf(element, above);
  if (name === "text") return addText(element, style, { x: 0, y: 0 }, { runs, budget, depth });
  for (const child of element.children) {
    if (typeof child !== "string") walk(child, style, { runs, budget, depth: depth + 1 });
  }
}

/** Adds the text of an element from a place on, and moves the place to its end. */
function addText(element: XmlElement, style: Style, place: { x: number; y: number }, walked: Walk): void {
  const { runs, budget, depth } = walked;
  if (depth > MAX_DEPTH || runs.length >= MAX_RUNS || !budget.take()) return;
  const { x, y, dx, dy } = element.attributes;
  place.x = (lengthOf(x, style.size) ?? place.x) + (lengthOf(dx, style.size) ?? 0);
  place.y = (lengthOf(y, style.size) ?? place.y) + (lengthOf(dy, style.size) ?? 0);
  for (const child of element.children) {
    if (typeof child !== "string") {
      if (!budget.take(stepsOfStyle(child))) return;
      addText(child, styleOf(child, style), place, { ...walked, depth: depth + 1 });
      continue;
    }
    const text = child.replace(/\s+/g, " ");
    if (text.trim() === "") continue;
    const width = text.length * style.size * LETTER_WIDTH;
    const start = place.x - (style.anchor === "middle" ? width / 2 : style.anchor === "end" ? width : 0);
    const [a = 1, b = 0, c = 0, d = 1, left = 0, baseline = 0] = multiply(style.matrix, [1, 0, 0, 1, start, place.y]);
    const { isBold, isItalic, href } = style;
    runs.push({
      text,
      left,
      right: left + width * Math.hypot(a, b),
      baseline,
      size: Math.max(1, Math.round(style.size * Math.hypot(c, d) * 10) / 10),
      isBold,
      isItalic,
      isMonospaced: false,
      isRightToLeft: /[\u0590-\u08FF]/.test(text),
      href,
    });
    place.x += width;
  }
}

/** Returns the steps that `styleOf` takes. */
function stepsOfStyle({ attributes: { style = "", transform = "" } }: XmlElement): number {
  return style.length / STYLE_PER_STEP + Math.min(transform.length, MAX_TRANSFORM) / TRANSFORM_PER_STEP;
}

function styleOf({ attributes, name }: XmlElement, above: Style): Style {
  const rules = (attributes["style"] ?? "").matchAll(
    /(?:^|;)\s*(font-size|font-weight|font-style|text-anchor)\s*:([^;]*)/g,
  );
  const css: Record<string, string> = {};
  for (const [, key = "", rule = ""] of rules) css[key] = rule.trim();
  const value = (key: string): string | undefined => css[key] ?? attributes[key];
  const weight = value("font-weight");
  const href = attributes["href"] ?? attributes["xlink:href"];
  return {
    matrix: multiply(above.matrix, matrixOf(attributes["transform"] ?? "")),
    size: lengthOf(value("font-size"), above.size) ?? above.size,
    isBold: weight === undefined ? above.isBold : weight === "bold" || Number(weight) >= 600,
    isItalic: value("font-style") === undefined ? above.isItalic : value("font-style") !== "normal",
    anchor: value("text-anchor") ?? above.anchor,
    href: name === "a" && href !== undefined && /^https?:/i.test(href) ? href : above.href,
  };
}

/** Returns the first length of a list in units of the user; undefined for one that has no meaning here. */
function lengthOf(text: string | undefined, size: number): number | undefined {
  const [, number, unit = ""] =
    /^\s*([-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?)(px|pt|em|ex|mm|cm|in)?(?=[\s,]|$)/i.exec(
      text?.slice(0, MAX_NUMBER) ?? "",
    ) ?? [];
  if (number === undefined) return undefined;
  const factors: Record<string, number> = { em: size, ex: size / 2, pt: 4 / 3, mm: 96 / 25.4, cm: 96 / 2.54, in: 96 };
  return Number(number) * (factors[unit.toLowerCase()] ?? 1);
}

/** Returns the matrix of a list of moves, scales, turns and matrices. */
function matrixOf(transform: string): readonly number[] {
  let matrix: readonly number[] = [1, 0, 0, 1, 0, 0];
  for (const [, name, list = ""] of transform.slice(0, MAX_TRANSFORM).matchAll(/\b(\w{1,20})\s*\(([^()]*)\)/g)) {
    const values = list.split(/[\s,]+/).filter(Boolean).map(Number); // prettier-ignore
    const [first = 0, second] = values;
    if (name === "translate") matrix = multiply(matrix, [1, 0, 0, 1, first, second ?? 0]);
    else if (name === "scale") matrix = multiply(matrix, [first, 0, 0, second ?? first, 0, 0]);
    else if (name === "rotate") {
      const [x = 0, y = 0] = values.slice(1);
      const turn = (first * Math.PI) / 180;
      const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
      matrix = multiply(matrix, [cos, sin, -sin, cos, x - cos * x + sin * y, y - sin * x - cos * y]);
    } else if (name === "matrix" && values.length === 6) matrix = multiply(matrix, values);
  }
  return matrix;
}

function localName({ name }: XmlElement): string {
  return name.replace(/^.*:/, "");
}
