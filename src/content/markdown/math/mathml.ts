import type { ElementNode } from "../../html/tree/tree.ts";
import { withoutPrototype } from "../../../core/without-prototype.ts";

/**
 * Converts MathML Core (presentation) to TeX, for formulas without TeX. Layout that TeX has no plain word for is read
 * from left to right. Recursion is bounded by the tree's depth.
 */
export function mathmlToTex(element: ElementNode): string {
  const write = WRITERS[element.tag];
  const tex = write === undefined ? writeRow(element) : write(element);
  return tex.replace(/ {2,}/g, " ").trim();
}

const WRITERS: Record<string, ((element: ElementNode) => string) | undefined> = withoutPrototype({
  mi: (element) => withVariant(element, writeIdentifier(textIn(element))),
  mn: textIn,
  mo: (element) => writeOperator(textIn(element)),
  ms: (element) => `\\text{${textIn(element)}}`,
  mtext: (element) => (textIn(element).trim() === "" ? " " : `\\text{${spacedTextIn(element)}}`),
  mspace: () => " ",
  mfrac: writeFraction,
  msqrt: (element) => `\\sqrt{${writeRow(element)}}`,
  mroot: (element) => `\\sqrt[${part(element, 1)}]${argument(element, 0)}`,
  msup: (element) => `${base(element)}^${argument(element, 1)}`,
  msub: (element) => `${base(element)}_${argument(element, 1)}`,
  msubsup: (element) => `${base(element)}_${argument(element, 1)}^${argument(element, 2)}`,
  munder: writeUnder,
  mover: writeOver,
  munderover: (element) => `${base(element)}_${argument(element, 1)}^${argument(element, 2)}`,
  mfenced: writeFenced,
  mmultiscripts: writeMultiscripts,
  mtable: (element) => `\\begin{matrix}${parts(element).map(mathmlToTex).join(" \\\\ ")}\\end{matrix}`,
  mtr: (element) => parts(element).map(mathmlToTex).join(" & "),
  semantics: (element) => part(element, 0),
  annotation: () => "",
  "annotation-xml": () => "",
  mphantom: () => "",
});

const FUNCTIONS =
  /^(?:sin|cos|tan|cot|sec|csc|sinh|cosh|tanh|arcsin|arccos|arctan|log|ln|exp|lim|max|min|sup|inf|det|gcd|deg|dim|ker|arg)$/;
const SYMBOLS: Record<string, string | undefined> = withoutPrototype({
  "×": "\\times", "·": "\\cdot", "⋅": "\\cdot", "÷": "\\div", "±": "\\pm", "∓": "\\mp", "≤": "\\le", "≥": "\\ge",
  "≠": "\\ne", "≈": "\\approx", "≡": "\\equiv", "∝": "\\propto", "∞": "\\infty", "⋃": "\\bigcup", "⋂": "\\bigcap",
  "⋁": "\\bigvee", "⋀": "\\bigwedge", "∐": "\\coprod", "∬": "\\iint", "∭": "\\iiint", "∯": "\\oiint", "∰": "\\oiiint", "ϵ": "\\epsilon",
  "∑": "\\sum", "∏": "\\prod",
  "∫": "\\int", "∮": "\\oint", "∂": "\\partial", "∇": "\\nabla", "√": "\\surd", "∈": "\\in", "∉": "\\notin",
  "⊂": "\\subset", "⊆": "\\subseteq", "∪": "\\cup", "∩": "\\cap", "∅": "\\emptyset", "∀": "\\forall", "∃": "\\exists",
  "→": "\\to", "←": "\\leftarrow", "↔": "\\leftrightarrow", "⇒": "\\Rightarrow", "⇔": "\\Leftrightarrow", "↦": "\\mapsto",
  "∧": "\\wedge", "∨": "\\vee", "¬": "\\neg", "…": "\\dots", "⋯": "\\cdots", "′": "'", "−": "-", "∣": "|", "⟨": "\\langle",
  "⟩": "\\rangle", "{": "\\{", "}": "\\}", "%": "\\%", "&": "\\&", "#": "\\#", "$": "\\$", _: "\\_",
  // Invisible signs: function application, invisible times, separator and plus.
  "\u2061": "", "\u2062": "", "\u2063": "", "\u2064": "",
}); // prettier-ignore
const GREEK =
  "Αα=alpha Ββ=beta Γγ=gamma Δδ=delta Εε=epsilon Ζζ=zeta Ηη=eta Θθ=theta Ιι=iota Κκ=kappa Λλ=lambda Μμ=mu Νν=nu Ξξ=xi " +
  "Ππ=pi Ρρ=rho Σσ=sigma Ττ=tau Υυ=upsilon Φφ=phi Χχ=chi Ψψ=psi Ωω=omega";
const LETTERS = new Map(
  GREEK.split(" ").flatMap((entry): [string, string][] => {
    const [letters = "", name = ""] = entry.split("=");
    const [upper = "", lower = ""] = letters;
    const capital = name.charAt(0).toUpperCase() + name.slice(1);
    return [
      [upper, `\\${capital}`],
      [lower, `\\${name}`],
    ];
  }),
);
const ACCENTS: Record<string, string | undefined> = withoutPrototype({
  "^": "\\hat",
  ˆ: "\\hat",
  "¯": "\\bar",
  "‾": "\\overline",
  "→": "\\vec",
  "⃗": "\\vec",
  "˙": "\\dot",
  "¨": "\\ddot",
  "~": "\\tilde",
  "˜": "\\tilde",
  "⏞": "\\overbrace",
});

function parts({ children }: ElementNode): ElementNode[] {
  return children.filter((child): child is ElementNode => typeof child !== "string");
}

function part(element: ElementNode, index: number): string {
  const child = parts(element)[index];
  return child === undefined ? "" : mathmlToTex(child);
}

function argument(element: ElementNode, index: number): string {
  return `{${part(element, index)}}`;
}

/** Returns the base of an index: more than one sign needs braces, but for a braced one, whose index is its label. */
function base(element: ElementNode): string {
  const tex = part(element, 0);
  const isLabelled = /^\\(?:under|over)brace/.test(tex) && isBraced(parts(element)[0]);
  return isLabelled || /^(?:.|\\[A-Za-z]+)?$/.test(tex) ? tex : `{${tex}}`;
}

/** Returns true for an element that is nothing but content with a brace above or below, rows around it left out. */
function isBraced(element: ElementNode | undefined): boolean {
  let inner = element;
  for (let own = inner && parts(inner); inner?.tag === "mrow" && own?.length === 1; own = inner && parts(inner))
    inner = own[0];
  return inner?.tag === "munder" || inner?.tag === "mover";
}

function writeRow(element: ElementNode): string {
  const row: string[] = [];
  for (const child of element.children) {
    const tex = typeof child === "string" ? child.trim() : mathmlToTex(child);
    if (tex === "") continue;
    // A command must not run into the letter behind it. Only the end of the row is examined, since rows may be long.
    const end = row.at(-1)?.slice(-MAX_COMMAND_CHARACTERS) ?? "";
    if (/^[A-Za-z\d]/.test(tex) && /\\[A-Za-z]+$/.test(end)) row.push(" ");
    row.push(tex);
  }
  return row.join("");
}

/** Characters of the longest command that this module writes, with its backslash. */
const MAX_COMMAND_CHARACTERS = 16;

/** A fraction without a line stands for a pair, such as that of a binomial. */
function writeFraction(element: ElementNode): string {
  const command = /^0(?![.\d]*[1-9])/.test(element.attributes["linethickness"] ?? "")
    ? "\\genfrac{}{}{0pt}{}"
    : "\\frac";
  return command + argument(element, 0) + argument(element, 1);
}

function writeUnder(element: ElementNode): string {
  const mark = parts(element)[1];
  const isBrace = mark?.tag === "mo" && textIn(mark) === "⏟";
  return isBrace ? `\\underbrace${argument(element, 0)}` : `${base(element)}_${argument(element, 1)}`;
}

function writeOver(element: ElementNode): string {
  const mark = parts(element)[1];
  const accent = mark?.tag === "mo" ? ACCENTS[textIn(mark)] : undefined;
  return accent === undefined ? `${base(element)}^${argument(element, 1)}` : `${accent}${argument(element, 0)}`;
}

function writeFenced(element: ElementNode): string {
  const { open = "(", close = ")", separators = "," } = element.attributes;
  const separator = separators.trim().charAt(0);
  return writeOperator(open.trim()) + parts(element).map(mathmlToTex).join(separator) + writeOperator(close.trim());
}

/** Writes a base with indices behind it and, after `mprescripts`, in front of it; each pair is a lower and an upper one. */
function writeMultiscripts(element: ElementNode): string {
  const all = parts(element);
  const border = all.findIndex(({ tag }) => tag === "mprescripts");
  const behind = all.slice(1, border === -1 ? undefined : border);
  const inFront = border === -1 ? [] : all.slice(border + 1);
  return (inFront.length === 0 ? "" : `{}${writeIndices(inFront)}`) + base(element) + writeIndices(behind);
}

function writeIndices(indices: readonly ElementNode[]): string {
  return indices
    .map((index, at) => {
      const tex = mathmlToTex(index);
      return tex === "" ? "" : `${at % 2 === 0 ? "_" : "^"}{${tex}}`;
    })
    .join("");
}

function withVariant({ attributes }: ElementNode, tex: string): string {
  return attributes["mathvariant"] === "double-struck" && /^[A-Za-z]$/.test(tex) ? `\\mathbb{${tex}}` : tex;
}

function writeIdentifier(text: string): string {
  if (FUNCTIONS.test(text)) return `\\${text}`;
  const letter = LETTERS.get(text) ?? SYMBOLS[text];
  if (letter !== undefined) return letter;
  return [...text].length > 1 && /^[A-Za-z]+$/.test(text) ? `\\mathrm{${text}}` : text;
}

function writeOperator(text: string): string {
  const symbol = LETTERS.get(text) ?? SYMBOLS[text];
  if (symbol !== undefined) return symbol;
  return FUNCTIONS.test(text) ? `\\${text}` : text;
}

/** Returns the text with one space for each run of white space, also at its ends. */
function spacedTextIn(element: ElementNode): string {
  return element.children
    .map((child) => (typeof child === "string" ? child : spacedTextIn(child)))
    .join("")
    .replace(/\s+/g, " ");
}

function textIn({ children }: ElementNode): string {
  return children
    .map((child) => (typeof child === "string" ? child : textIn(child)))
    .join("")
    .trim();
}
