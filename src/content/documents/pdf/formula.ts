import type { Line, TextRun } from "./text-run.ts";

const MAX_CHARACTERS = 200;
/** A run this much smaller than its line, and raised or lowered, is a script. */
const SCRIPT_SIZE = 0.85;
const MIN_SHIFT = 0.1;
/** A formula relates two sides, or sums. */
const RELATION = /[=<>≤≥≈≠≡∼∝∈⊂⊆→⇒↔⇔∑∫∏]/u;
const FUNCTIONS =
  /^(?:sin|cos|tan|cot|log|ln|exp|min|max|arg|lim|sup|inf|det|dim|mod|var|cov|rank|argmin|argmax|softmax)$/u;
/** A number of the formula in brackets at its end. */
const NUMBER = /(?<!\s)\s*\((\d+(?:\.\d+)*[a-z]?)\)$/u;
const SIGNS: Record<string, string> = {
  "≤": "\\le", "≥": "\\ge", "≈": "\\approx", "≠": "\\ne", "≡": "\\equiv", "∼": "\\sim", "∝": "\\propto", "∈": "\\in", "⊂": "\\subset",
  "⊆": "\\subseteq", "→": "\\to", "⇒": "\\Rightarrow", "⇔": "\\Leftrightarrow", "×": "\\times", "·": "\\cdot", "⋅": "\\cdot", "±": "\\pm",
  "∞": "\\infty", "∂": "\\partial", "∇": "\\nabla", "∑": "\\sum", "∫": "\\int", "∏": "\\prod", "√": "\\surd", "∀": "\\forall", "∃": "\\exists",
  "α": "\\alpha", "β": "\\beta", "γ": "\\gamma", "δ": "\\delta", "ε": "\\epsilon", "ϵ": "\\epsilon", "ζ": "\\zeta", "η": "\\eta", "θ": "\\theta",
  "κ": "\\kappa", "λ": "\\lambda", "μ": "\\mu", "ν": "\\nu", "ξ": "\\xi", "π": "\\pi", "ρ": "\\rho", "σ": "\\sigma", "τ": "\\tau", "φ": "\\phi",
  "ϕ": "\\phi", "χ": "\\chi", "ψ": "\\psi", "ω": "\\omega", "Γ": "\\Gamma", "Δ": "\\Delta", "Θ": "\\Theta", "Λ": "\\Lambda", "Σ": "\\Sigma",
  "Φ": "\\Phi", "Ψ": "\\Psi", "Ω": "\\Omega", "−": "-", "∗": "*", "{": "\\{", "}": "\\}", "%": "\\%", "#": "\\#", "&": "\\&", "$": "\\$",
}; // prettier-ignore

/**
 * Returns the LaTeX of a line that is a formula and nothing else: a relation, no words, and letters of formulas, that is in a font
 * for them, in italics, or raised or lowered. Fractions and roots over several lines are not put together.
 */
export function formulaOf(lines: readonly Line[]): string | undefined {
  const [line] = lines;
  if (line === undefined || lines.length > 1 || line.isMonospaced || line.text.length > MAX_CHARACTERS)
    return undefined;
  const text = line.text.replace(NUMBER, "");
  if (!RELATION.test(text) || !/[\p{L}]/u.test(text) || hasWords(text)) return undefined;
  const runs = line.segments.flatMap((segment) => segment.runs);
  const isMath = runs.some((run) => run.isMath === true || run.isItalic || shiftOf(run, line) !== 0);
  if (!isMath) return undefined;
  const [, number] = NUMBER.exec(line.text) ?? [];
  const latex = toLatex(runs, line).replace(NUMBER, "").trim();
  return number === undefined ? latex : `${latex} \\tag{${number}}`;
}

function hasWords(text: string): boolean {
  return (text.match(/\p{L}{3,}/gu) ?? []).some((word) => !FUNCTIONS.test(word.toLowerCase()));
}

/** Returns 1 for a raised run, -1 for a lowered one, and 0 for one on the line. */
function shiftOf(run: TextRun, line: Line): -1 | 0 | 1 {
  if (run.size > line.size * SCRIPT_SIZE) return 0;
  const shift = (line.baseline - run.baseline) / line.size;
  return shift > MIN_SHIFT ? 1 : shift < -MIN_SHIFT ? -1 : 0;
}

function toLatex(runs: readonly TextRun[], line: Line): string {
  let latex = "";
  let open: -1 | 0 | 1 = 0;
  let right: number | undefined;
  for (const run of runs) {
    const shift = shiftOf(run, line);
    const isApart = right !== undefined && run.left - right > run.size * 0.15;
    if (shift !== open && open !== 0) latex += "}";
    if (shift === open && isApart && open === 0) latex += " ";
    if (shift !== open && shift !== 0) latex = `${latex.trimEnd()}${shift === 1 ? "^{" : "_{"}`;
    else if (shift === 0 && open !== 0 && isApart) latex += " ";
    latex += signsOf(run.text);
    open = shift;
    right = run.right;
  }
  return (open === 0 ? latex : `${latex}}`).replace(/\s+/g, " ").trim();
}

/** Returns text with the commands of LaTeX for its signs, and without marks of its own. */
function signsOf(text: string): string {
  return [...text.replaceAll("\\", "")]
    .map((letter) => {
      const command = SIGNS[letter];
      if (command === undefined) return letter === "^" || letter === "_" ? `\\${letter}` : letter;
      return /[a-z]$/i.test(command) ? `${command} ` : command;
    })
    .join("");
}
