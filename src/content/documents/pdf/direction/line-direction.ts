import { needsSpace, textOfRuns, type TextRun } from "../text-run.ts";

/** Letters of scripts that are written from right to left. */
export const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC]/;

/** Brackets by those that they are drawn as in text from right to left. */
const MIRRORED: Readonly<Record<string, string>> = {
  "(": ")", ")": "(", "[": "]", "]": "[", "{": "}", "}": "{", "«": "»", "»": "«", "<": ">", ">": "<",
}; // prettier-ignore
const BRACKETS = /[()[\]{}«»<>]/g;
const OPENING = new Set(["(", "[", "{"]);
/** Signs that belong to the number that they touch, except in Arabic. */
const OF_NUMBER = /^[%‰°$€£¥#+]+$/u;
/** A unit of up to three letters at the left of a number, with a sign at the right of the number. */
const UNIT_AND_NUMBER = /^([%°]?\p{L}{1,3}[²³]?|\p{L}?°|%) (\d[\d.,]*)([−–-]?)$/u;
const SIGN_LAST = /^(\d[\d.,]*)([−–-])$/u;

type Kind = "right" | "left" | "number" | "neutral";

/** Reports whether most letters of texts are of scripts that are written from right to left. */
export function isRightToLeft(texts: readonly string[]): boolean {
  if (!texts.some((text) => RIGHT_TO_LEFT.test(text))) return false;
  let [right, left] = [0, 0];
  for (const text of texts) {
    for (const letter of text.match(/\p{L}/gu) ?? []) {
      if (RIGHT_TO_LEFT.test(letter)) right++;
      else left++;
    }
  }
  return right > left;
}

/**
 * Reports whether a line is written from right to left: by most of its letters, or, on a page that is, unless it has words of
 * other scripts alone.
 */
export function isRtlLine(texts: readonly string[], isRtlPage: boolean): boolean {
  if (!isRtlPage) return isRightToLeft(texts);
  return texts.some((text) => RIGHT_TO_LEFT.test(text)) || !texts.some((text) => /\p{L}{4}/u.test(text));
}

/**
 * Returns runs of one line, which are sorted from left to right, in the order in which they are read: the inverse of the
 * reordering of the Unicode Bidirectional Algorithm (UAX #9, L2), by runs. Brackets are turned where they were mirrored.
 */
export function inReadingOrder(whole: readonly TextRun[], isRtl: boolean): TextRun[] {
  if (!isRtl && !whole.some((run) => run.isRightToLeft)) return [...whole];
  const isArabic = whole.some(({ text }) => /\p{Script=Arabic}/u.test(text));
  const runs = isRtl ? whole.flatMap((run) => withoutOuterSigns(run, isArabic)) : whole;
  const levels = levelsOf(runs, { isRtl, isArabic });
  let ordered = runs.map((run, at) => ({ run, level: levels[at] ?? 0 }));
  for (const least of [1, 2]) ordered = reversed(ordered, least);
  return withTurnedBrackets(withUnits(ordered, isRtl));
}

/** Signs at the ends of a text, such as `.(` in `.(2020`. */
const OUTER_SIGN = /^[.,:;!?…،؛؟()[\]{}]$/u;
/** A longer run is a sentence: the signs at its ends are not looked at, whose number would determine the work. */
const MAX_PARTED = 200;
/** Text of more pieces is decoration; equal signs in a row, such as leader dots, are one. */
const MAX_PIECES = 16;
/** A sign within an Arabic number, which parts it in two. */
const ARABIC_PARTS = /(?<=\p{N})([-+−])(?=\p{N})/u;

/**
 * Parts a number or a word from left to right from the signs of the text around it, which stand at the other side of it in
 * writing: `.(2020` is the end of a sentence. Signs that the text has on both its sides, as in `(24.50)`, are its own.
 */
function withoutOuterSigns(run: TextRun, isArabic: boolean): TextRun[] {
  const text = run.text.trim();
  if (text.length > MAX_PARTED) return [run];
  const [before, inner, after] = atOuterSigns(text);
  const hasText = /[\p{L}\p{N}]/u.test(inner);
  if (run.isRightToLeft || (hasText && RIGHT_TO_LEFT.test(inner))) return [run];
  const start = before.length - (hasText ? ownSigns([...before].toReversed(), inner + after) : 0);
  const end = text.length - after.length + (hasText ? ownSigns([...after], before + inner) : 0);
  const core = text.slice(start, end);
  const isNumber = isArabic && !/\p{L}/u.test(core);
  const parts = hasText ? (isNumber ? core.split(ARABIC_PARTS) : [core]) : inEqualSigns(core);
  const pieces = [...inEqualSigns(text.slice(0, start)), ...parts, ...inEqualSigns(text.slice(end))];
  if (pieces.length === 1 || pieces.length > MAX_PIECES) return [run];
  const width = (run.right - run.left) / text.length;
  let at = 0;
  return pieces.map((piece) => {
    const left = run.left + at * width;
    at += piece.length;
    return { ...run, text: piece, left, right: left + piece.length * width };
  });
}

/** Returns the signs at the start of a text, what is between them, and those at the end. */
function atOuterSigns(text: string): [before: string, inner: string, after: string] {
  let [start, end] = [0, text.length];
  while (start < end && OUTER_SIGN.test(text.charAt(start))) start++;
  while (end > start && OUTER_SIGN.test(text.charAt(end - 1))) end--;
  return [text.slice(0, start), text.slice(start, end), text.slice(end)];
}

function inEqualSigns(text: string): string[] {
  const pieces: string[] = [];
  for (const sign of text) {
    const last = pieces.at(-1);
    if (last?.endsWith(sign) === true) pieces[pieces.length - 1] = last + sign;
    else pieces.push(sign);
  }
  return pieces;
}

/** Counts the signs next to a text, from the nearest on, that belong to it up to its last bracket with another one there. */
function ownSigns(signs: readonly string[], rest: string): number {
  const inRest = signCounts(rest);
  const passed = new Map<string, number>();
  let own = 0;
  for (const [at, sign] of signs.entries()) {
    const other = MIRRORED[sign];
    const before = passed.get(sign) ?? 0;
    if (other !== undefined && (inRest.get(other) ?? 0) > (inRest.get(sign) ?? 0) + before) own = at + 1;
    passed.set(sign, before + 1);
  }
  return own;
}

function signCounts(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const sign of text) counts.set(sign, (counts.get(sign) ?? 0) + 1);
  return counts;
}

interface LevelledRun {
  run: TextRun;
  /** Even from left to right, odd from right to left. */
  level: number;
}

function levelsOf(runs: readonly TextRun[], { isRtl, isArabic }: { isRtl: boolean; isArabic: boolean }): number[] {
  const kinds = runs.map((_, at) => kindOf(runs, at, isArabic));
  const base = isRtl ? 1 : 0;
  const before = lastKinds(kinds);
  const after = lastKinds(kinds.toReversed()).toReversed();
  return kinds.map((kind, at) => {
    if (kind === "right") return 1;
    const sides = [before[at], after[at]];
    const isAmongRight = sides.every((side) => side === "right" || side === "number") && sides.includes("right");
    if (kind === "number") return isRtl || isAmongRight ? 2 : 0;
    if (kind === "left") return isRtl ? 2 : 0;
    if (isRtl) return sides.every((side) => side === "left") ? 2 : 1;
    return isAmongRight ? 1 : base;
  });
}

/** Returns for each place the last kind before it that is not neutral. */
function lastKinds(kinds: readonly Kind[]): (Kind | undefined)[] {
  let last: Kind | undefined;
  return kinds.map((kind) => {
    const before = last;
    if (kind !== "neutral") last = kind;
    return before;
  });
}

function kindOf(runs: readonly TextRun[], at: number, isArabic: boolean): Kind {
  const run = runs[at];
  if (run === undefined) return "neutral";
  if (run.isRightToLeft || RIGHT_TO_LEFT.test(run.text)) return "right";
  if (/\p{L}/u.test(run.text) || /^[²³]$/.test(run.text.trim())) return "left";
  if (/\p{N}/u.test(run.text)) return "number";
  const touches = (other: TextRun | undefined): boolean =>
    other !== undefined &&
    /\p{N}/u.test(other.text) &&
    Math.max(other.left - run.right, run.left - other.right) < run.size * 0.1;
  const sides = [runs[at - 1], runs[at + 1]];
  const isOfNumber = !isArabic && OF_NUMBER.test(run.text.trim()) && sides.some(touches);
  // A number goes on behind a hyphen, except in Arabic.
  const isInNumber = (isArabic ? /^[.,:/]$/ : /^[-+−.,:/]$/u).test(run.text.trim()) && sides.every(touches);
  return isOfNumber || isInNumber ? "number" : "neutral";
}

/** Reverses each stretch of runs of a level or a higher one. Numbers with a space between them are stretches of their own. */
function reversed(runs: readonly LevelledRun[], least: number): LevelledRun[] {
  const ordered: LevelledRun[] = [];
  let stretch: LevelledRun[] = [];
  let hasWords = false;
  const end = (): void => {
    for (const each of stretch.toReversed()) ordered.push(each);
    stretch = [];
    hasWords = false;
  };
  for (const each of runs) {
    const last = stretch.at(-1);
    hasWords ||= /\p{L}/u.test(each.run.text);
    // Behind a word from left to right, numbers go on in its direction.
    const areApart = least === 2 && !hasWords && last !== undefined && needsSpace(last.run, each.run);
    if (each.level < least || areApart) end();
    if (each.level >= least) stretch.push(each);
    else ordered.push(each);
  }
  end();
  return ordered;
}

/**
 * Puts a unit behind its number, and a sign before it. In a line from right to left, `5 kg` looks like `kg 5`, and `-5` like
 * `5-`.
 */
function withUnits(runs: readonly LevelledRun[], isRtl: boolean): LevelledRun[] {
  if (!isRtl) return [...runs];
  const ordered: LevelledRun[] = [];
  for (let at = 0; at < runs.length;) {
    let end = at + 1;
    while (runs[at]?.level === 2 && runs[end]?.level === 2) end++;
    const stretch = runs.slice(at, end);
    ordered.push(...(stretch[0]?.level === 2 ? inWrittenOrder(stretch) : stretch));
    at = end;
  }
  return ordered;
}

/**
 * Returns runs from left to right, those of a number with its unit and sign as one run, and those of one style too: the gaps at the
 * ends of the stretch tell whether there is a space.
 */
function inWrittenOrder(stretch: readonly LevelledRun[]): LevelledRun[] {
  const own = stretch.map(({ run }) => run);
  const text = textOfRuns(own);
  const written = text
    .replace(UNIT_AND_NUMBER, (_, unit: string, number: string, sign: string) => {
      return `${sign}${number} ${unit.replace(/^(.*)°$/u, "°$1")}`;
    })
    .replace(SIGN_LAST, "$2$1");
  const [first] = own;
  if (first === undefined || (written === text && !own.every((run) => isAlike(run, first)))) return [...stretch];
  const [left, right] = [Math.min(...own.map((run) => run.left)), Math.max(...own.map((run) => run.right))];
  return [{ run: { ...first, text: written, left, right, size: Math.max(...own.map(({ size }) => size)) }, level: 2 }];
}

function isAlike(one: TextRun, other: TextRun): boolean {
  return (
    one.isBold === other.isBold &&
    one.isItalic === other.isItalic &&
    one.isMonospaced === other.isMonospaced &&
    one.href === other.href &&
    Math.abs(one.baseline - other.baseline) < other.size * 0.1 &&
    Math.abs(one.size - other.size) < other.size * 0.1
  );
}

/** Turns brackets in text from right to left, unless they would not match then: some files hold them as they are read. */
function withTurnedBrackets(runs: readonly LevelledRun[]): TextRun[] {
  const plain = runs.map(({ run }) => run);
  const turned = runs.map(({ run, level }) =>
    level % 2 === 0 ? run : { ...run, text: run.text.replace(BRACKETS, (bracket) => MIRRORED[bracket] ?? bracket) },
  );
  return misplaced(turned) <= misplaced(plain) ? turned : plain;
}

/** Counts closing brackets without an opening one before them. */
function misplaced(runs: readonly TextRun[]): number {
  let [open, count] = [0, 0];
  for (const [bracket] of runs
    .map(({ text }) => text)
    .join("")
    .matchAll(/[()[\]{}]/g)) {
    if (OPENING.has(bracket)) open++;
    else if (open > 0) open--;
    else count++;
  }
  return count;
}

/** Returns the bracket that a bracket is drawn as in text from right to left; the text itself for others. */
export function mirrored(text: string): string {
  return MIRRORED[text] ?? text;
}
