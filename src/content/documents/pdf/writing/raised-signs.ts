import type { TextRun } from "../text-run.ts";

/** A raised sign is at most this large, in multiples of the text beside it. */
const MAX_SIZE = 0.9;
/** How far it is raised, in multiples of the size of the text beside it. */
const RAISED = { least: 0.15, most: 0.7 };
/** Distance from the text that it belongs to, in multiples of the size of that. */
const MAX_GAP = 0.25;
/** A sign of a note may be further from the note that it begins. */
const MAX_GAP_OF_NOTE = 1;
/** Digits with their signs, an exponent, up to three letters, or signs of notes. */
const SIGN = /^(?:[\d+−–,()=-]{1,12}|\[[\d,–-]{1,12}\]|[a-z]{1,3}|[*†‡§¶#]{1,3})$/iu;

const SUPERSCRIPTS: Readonly<Record<string, string>> = {
  "0": "⁰", "1": "¹", "2": "²", "3": "³", "4": "⁴", "5": "⁵", "6": "⁶", "7": "⁷", "8": "⁸", "9": "⁹",
  "+": "⁺", "-": "⁻", "−": "⁻", "=": "⁼", "(": "⁽", ")": "⁾", n: "ⁿ", i: "ⁱ", ",": ",", "–": "–",
}; // prettier-ignore

/**
 * Reports whether a run is a sign that is smaller and higher than the text beside it in its line: an exponent, the sign of a
 * note, or the end of an ordinal. At the start of a line it is the sign of the note that follows.
 */
export function isRaised(
  run: TextRun,
  { before, after }: { before?: TextRun | undefined; after?: TextRun | undefined },
): boolean {
  if (!SIGN.test(run.text.trim())) return false;
  return before === undefined ? isAbove(run, after, MAX_GAP_OF_NOTE) : isAbove(run, before, MAX_GAP);
}

function isAbove(run: TextRun, base: TextRun | undefined, maxGap: number): boolean {
  if (base === undefined || run.size > base.size * MAX_SIZE) return false;
  const gap = Math.max(base.left - run.right, run.left - base.right);
  const raised = (base.baseline - run.baseline) / base.size;
  return gap < base.size * maxGap && raised >= RAISED.least && raised <= RAISED.most;
}

/** Returns a raised sign in letters that are raised themselves; undefined where there are none for it. */
export function inRaisedLetters(text: string): string | undefined {
  const letters = [...text].map((letter) => SUPERSCRIPTS[letter] ?? (/\s/.test(letter) ? letter : undefined));
  return letters.every((letter) => letter !== undefined) ? letters.join("") : undefined;
}
