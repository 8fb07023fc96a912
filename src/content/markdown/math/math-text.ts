import type { Formula } from "./math.ts";

const OPENING = /\\\(|\\\[|\$\$/g;
/** Delimiters that pages put around TeX for a script to find: those of MathJax and KaTeX. */
const CLOSINGS: Record<string, string> = { "\\(": "\\)", "\\[": "\\]", $$: "$$" };
/** No formula is longer; a longer stretch is between two unrelated delimiters. */
const MAX_TEX_CHARS = 2000;
const TEX_SIGNS = /[\\^_={}+*/<>]/;

/** True for texts that may contain formulas; most have none. */
export function mayHoldFormulas(text: string): boolean {
  return (text.includes("\\") && /\\[([]/.test(text)) || text.includes("$$");
}

/** Splits a text into formulas and the text between them, in linear time. */
export function splitFormulas(text: string): (string | Formula)[] {
  const parts: (string | Formula)[] = [];
  const closings = new Map<string, number>();
  let done = 0;
  for (const { 0: open, index } of text.matchAll(OPENING)) {
    if (index < done) continue;
    const start = index + open.length;
    const end = nextClosing(text, start, { closing: CLOSINGS[open] ?? open, known: closings });
    const tex = end === -1 || end - start > MAX_TEX_CHARS ? "" : text.slice(start, end).trim();
    if (tex === "" || !isTex(tex, open)) continue;
    if (index > done) parts.push(text.slice(done, index));
    parts.push({ tex, isDisplay: open !== "\\(" });
    done = end + open.length;
  }
  if (done < text.length) parts.push(text.slice(done));
  return parts;
}

interface Search {
  closing: string;
  /** The next position of each closing delimiter, so that no stretch of the text is searched twice. */
  known: Map<string, number>;
}

function nextClosing(text: string, from: number, { closing, known }: Search): number {
  let next = known.get(closing) ?? -2;
  if (next !== -1 && next < from) {
    next = text.indexOf(closing, from);
    known.set(closing, next);
  }
  return next;
}

/** `\[` and `$$` occur in other texts as well, where the enclosed text has no sign of TeX. */
function isTex(tex: string, open: string): boolean {
  return !/\n\s*\n/.test(tex) && (open === "\\(" || TEX_SIGNS.test(tex));
}
