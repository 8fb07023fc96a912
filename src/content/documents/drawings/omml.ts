import { childElement, childElements, textOf, type XmlElement } from "../containers/xml-tree.ts";
import { escapeHtml } from "../html/html-text.ts";
import { withoutPrototype } from "../../../core/without-prototype.ts";

/** Elements of a row that are properties of the formula. */
const PROPERTIES = /Pr$/;

/**
 * Writes a formula of an office document (`m:oMath` or `m:oMathPara`, ECMA-376 part 1 § 22.1) as MathML Core.
 * Recursion is bounded by the depth of the tree.
 */
export function ommlToMathml(formula: XmlElement): string {
  const display = formula.name === "m:oMathPara" ? ' display="block"' : "";
  return `<math${display}>${rowOf(formula)}</math>`;
}

const WRITERS: Record<string, ((element: XmlElement) => string) | undefined> = withoutPrototype({
  "m:r": runOf,
  "m:f": (element) => {
    const fraction = wrapped("mfrac", element, ["m:num", "m:den"]);
    return character(element, "m:type", "bar") === "noBar"
      ? fraction.replace("<mfrac>", '<mfrac linethickness="0">')
      : fraction;
  },
  "m:sSup": (element) => wrapped("msup", element, ["m:e", "m:sup"]),
  "m:sSub": (element) => wrapped("msub", element, ["m:e", "m:sub"]),
  "m:sSubSup": (element) => wrapped("msubsup", element, ["m:e", "m:sub", "m:sup"]),
  "m:limLow": (element) => wrapped("munder", element, ["m:e", "m:lim"]),
  "m:limUpp": (element) => wrapped("mover", element, ["m:e", "m:lim"]),
  "m:sPre": (element) =>
    `<msubsup><mrow></mrow>${part(element, "m:sub")}${part(element, "m:sup")}</msubsup>${part(element, "m:e")}`,
  "m:func": (element) => part(element, "m:fName") + part(element, "m:e"),
  "m:rad": radicalOf,
  "m:nary": naryOf,
  "m:d": delimitedOf,
  "m:acc": (element) =>
    `<mover accent="true">${part(element, "m:e")}${operator(character(element, "m:chr", "\u0302"))}</mover>`,
  "m:bar": (element) => lineOf(element),
  "m:groupChr": (element) => {
    const tag = character(element, "m:pos", "bot") === "top" ? "mover" : "munder";
    return `<${tag}>${part(element, "m:e")}${operator(character(element, "m:chr", "⏟"))}</${tag}>`;
  },
  "m:m": (element) => tableOf(childElements(element, "m:mr").map((row) => childElements(row, "m:e"))),
  "m:eqArr": (element) => tableOf(childElements(element, "m:e").map((cell) => [cell])),
});

function rowOf(element: XmlElement): string {
  return withJoinedRuns(childElements(element).filter(({ name }) => !PROPERTIES.test(name)))
    .map((child) => (WRITERS[child.name] ?? rowOf)(child))
    .join("");
}

/** Joins neighbouring runs of one style: spelling marks and revisions cut words, whose spaces would be lost. */
function withJoinedRuns(elements: readonly XmlElement[]): XmlElement[] {
  const joined: XmlElement[] = [];
  let last: { style: string; run: XmlElement } | undefined;
  for (const element of elements) {
    const style = element.name === "m:r" ? styleOf(element) : undefined;
    if (style !== undefined && style === last?.style)
      for (const text of childElements(element, "m:t")) last.run.children.push(text);
    else {
      const run = style === undefined ? element : { ...element, children: [...element.children] };
      last = style === undefined ? undefined : { style, run };
      joined.push(run);
    }
  }
  return joined;
}

function styleOf(run: XmlElement): string {
  const properties = childElement(run, "m:rPr");
  const isNormal = childElement(properties, "m:nor") !== undefined;
  return isNormal ? "normal" : (childElement(properties, "m:sty")?.attributes["m:val"] ?? "");
}

function part(element: XmlElement, name: string): string {
  const found = childElement(element, name);
  return `<mrow>${found === undefined ? "" : rowOf(found)}</mrow>`;
}

function wrapped(tag: string, element: XmlElement, parts: readonly string[]): string {
  return `<${tag}>${parts.map((name) => part(element, name)).join("")}</${tag}>`;
}

/** Several words, whose spaces count: at least three letters, and two behind the spaces. */
const WORDS = /\p{L}{3}\s+\p{L}{2}/u;

/** Writes a run of text: numbers, names and operators; text in upright letters stays together. */
function runOf(run: XmlElement): string {
  const text = childElements(run, "m:t").map(textOf).join("");
  const properties = childElement(run, "m:rPr");
  if (childElement(properties, "m:nor") !== undefined || WORDS.test(text)) return `<mtext>${escapeHtml(text)}</mtext>`;
  const isName = childElement(properties, "m:sty")?.attributes["m:val"] === "p" && /^\p{L}{2,}$/u.test(text);
  if (isName) return `<mi>${escapeHtml(text)}</mi>`;
  return [...text.matchAll(/\d+(?:[.,]\d+)*|\p{L}\p{M}*|\s+|[^]/gu)].map(([token]) => tokenOf(token)).join("");
}

function tokenOf(token: string): string {
  if (/^\s/.test(token)) return "<mspace></mspace>";
  const tag = /^\d/.test(token) ? "mn" : /^\p{L}/u.test(token) ? "mi" : "mo";
  return `<${tag}>${escapeHtml(token)}</${tag}>`;
}

function operator(text: string): string {
  return text === "" ? "" : `<mo>${escapeHtml(text)}</mo>`;
}

/** Returns the value of a property such as `m:chr`; an empty one means no character. */
function character(element: XmlElement, property: string, otherwise: string): string {
  const properties = childElements(element).find(({ name }) => PROPERTIES.test(name));
  const found = childElement(properties, property);
  return found === undefined ? otherwise : (found.attributes["m:val"] ?? "");
}

function radicalOf(element: XmlElement): string {
  const degree = childElement(element, "m:deg");
  const shown = degree === undefined ? "" : rowOf(degree);
  return shown === "" ? wrapped("msqrt", element, ["m:e"]) : wrapped("mroot", element, ["m:e", "m:deg"]);
}

function naryOf(element: XmlElement): string {
  const sign = operator(character(element, "m:chr", "∫"));
  const limits = ["m:sub", "m:sup"].map((name) => part(element, name));
  return `<msubsup>${sign}${limits.join("")}</msubsup>${part(element, "m:e")}`;
}

function delimitedOf(element: XmlElement): string {
  const separator = operator(character(element, "m:sepChr", "|"));
  const inside = childElements(element, "m:e").map(rowOf).join(separator);
  return `<mrow>${operator(character(element, "m:begChr", "("))}${inside}${operator(character(element, "m:endChr", ")"))}</mrow>`;
}

function lineOf(element: XmlElement): string {
  const tag = character(element, "m:pos", "bot") === "top" ? "mover" : "munder";
  return `<${tag}>${part(element, "m:e")}${operator("¯")}</${tag}>`;
}

function tableOf(rows: readonly (readonly XmlElement[])[]): string {
  const [only, ...others] = rows.flat();
  if (only !== undefined && others.length === 0) return rowOf(only);
  const cells = rows.map((row) => `<mtr>${row.map((cell) => `<mtd>${rowOf(cell)}</mtd>`).join("")}</mtr>`);
  return `<mtable>${cells.join("")}</mtable>`;
}
