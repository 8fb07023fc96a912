import { RE2JS } from "re2js";
import { AppError } from "../errors.ts";

/** Matching time is proportional to these two limits, which bound it: the worst patterns cost 0.1 to 0.4 s per URL. */
const MAX_INSTRUCTIONS = 2_000;
const MAX_PATTERN_CHARACTERS = 1_000;
/** Of all patterns of an option. A class of characters costs more to compile than to match. */
const MAX_CHARACTERS = 5_000;
/** Of all patterns of an option: one takes up to 0.2 ms to compile, and 20 times the time of another character. */
const MAX_UNICODE_CLASSES = 100;

/** A caller's regular expressions; a text matches when one of them is found in it. */
export interface SafePatterns {
  findIn(text: string): boolean;
  /** Number of instructions of the compiled patterns; matching time is linear in it. */
  size: number;
}

/**
 * Compiles regular expressions in RE2's syntax, which match in linear time: no look-around, no back-references.
 * @param field names the option in the error.
 * @throws AppError BAD_REQUEST with the engine's message for a pattern that is invalid or too large.
 */
export function compilePatterns(patterns: readonly string[], field: string): SafePatterns {
  assertCharacters(patterns, field);
  const compiled: RE2JS[] = [];
  let size = 0;
  for (const [index, pattern] of patterns.entries()) {
    assertSize(size + leastInstructions(pattern), field);
    const program = compile(pattern, [field, index]);
    size += program.programSize();
    assertSize(size, field);
    compiled.push(program);
  }
  return new HeldPatterns(patterns, { size, compiled });
}

/**
 * Checks what new patterns of an option take to compile. Stored ones, which an earlier version took, are compiled all
 * the same.
 * @throws AppError BAD_REQUEST
 */
export function assertQuickToCompile(patterns: readonly string[], field: string): void {
  assertCharacters(patterns, field);
  const count = patterns.reduce((sum, pattern) => sum + unicodeClassesIn(pattern), 0);
  if (count <= MAX_UNICODE_CLASSES) return;
  throw badPattern([field], `${field} is too large: it has more than ${MAX_UNICODE_CLASSES} Unicode classes`);
}

/**
 * Counts `\pL`, `\p{Greek}`, `\PN`, for each of which the compiler reads and merges tables of up to 700 ranges; and what takes
 * as long, ranges such as `B-𞥂` in patterns without regard to case.
 */
export function unicodeClassesIn(pattern: string): number {
  const named = pattern.match(/\\[\s\S]/g)?.filter((escape) => escape.toLowerCase() === "\\p").length ?? 0;
  return FOLDING.test(pattern) ? named + foldedRangesIn(pattern) : named;
}

const FOLDING = /\(\?[a-zA-Z]*i/;
const CHARACTER = String.raw`(?:\\[xu]\{([\da-f]{1,6})\}|\\?([\s\S]))`;
const RANGE = new RegExp(`${CHARACTER}-${CHARACTER}`, "giu");
/** Letters with another case are between these; the compiler visits each character of a range that is. */
const [FIRST_CASED, LAST_CASED] = [0x41, 0x1_e9_43];
/** Characters that are visited in the time of a class. */
const VISITED_OF_CLASS = 2_500;

function foldedRangesIn(pattern: string): number {
  let visited = 0;
  for (const [, firstHex, first, lastHex, last] of pattern.matchAll(RANGE)) {
    const from = Math.max(FIRST_CASED, pointOf(firstHex, first));
    const until = Math.min(LAST_CASED, pointOf(lastHex, last));
    visited += Math.max(0, Math.floor((until - from) / VISITED_OF_CLASS));
  }
  return visited;
}

function pointOf(hex: string | undefined, character = ""): number {
  return hex === undefined ? (character.codePointAt(0) ?? 0) : Number.parseInt(hex, 16);
}

/** A pattern with its program, while that is kept. */
interface HeldPattern {
  pattern: string;
  program: RE2JS | undefined;
  /** Instructions of the program for each character of the texts that it was compared with. */
  steps: number;
}

/** Steps of all kept programs together. Their matchers hold 2 to 4 bytes for each step, up to 8 MB a program. */
const STEPS_KEPT = 10_000_000;
/** Dropped at once beyond it: few enough that one text waits for the compilation of a small part of its patterns. */
const STEPS_DROPPED = 500_000;
/** Patterns of all options in use. */
const inUse = new Set<WeakRef<readonly HeldPattern[]>>();
/** Steps of the kept programs, with those of options that nobody has held since the last drop. */
let keptSteps = 0;

class HeldPatterns implements SafePatterns {
  readonly size: number;
  readonly #patterns: readonly HeldPattern[];

  constructor(patterns: readonly string[], { size, compiled }: { size: number; compiled: readonly RE2JS[] }) {
    this.size = size;
    this.#patterns = patterns.map((pattern, index) => ({ pattern, program: compiled[index], steps: 0 }));
    for (const other of inUse) if (other.deref() === undefined) inUse.delete(other);
    inUse.add(new WeakRef(this.#patterns));
  }

  findIn(text: string): boolean {
    const isFound = this.#patterns.some((held) => matches(held, text));
    if (keptSteps > STEPS_KEPT) dropPrograms();
    return isFound;
  }
}

function matches(held: HeldPattern, text: string): boolean {
  held.program ??= RE2JS.compile(held.pattern);
  const steps = held.program.programSize() * text.length;
  held.steps += steps;
  keptSteps += steps;
  return held.program.test(text);
}

/** Drops the programs with the most steps, which hold the most states: those of other options that took few are kept. */
function dropPrograms(): void {
  const all = [...inUse].flatMap((list) => list.deref() ?? []).toSorted((one, other) => other.steps - one.steps);
  keptSteps = all.reduce((sum, { steps }) => sum + steps, 0);
  if (keptSteps <= STEPS_KEPT) return;
  for (const held of all) {
    if (keptSteps <= STEPS_KEPT - STEPS_DROPPED) return;
    keptSteps -= held.steps;
    held.steps = 0;
    held.program = undefined;
  }
}

function assertCharacters(patterns: readonly string[], field: string): void {
  const characters = patterns.reduce((sum, pattern) => sum + pattern.length, 0);
  if (characters <= MAX_CHARACTERS) return;
  throw badPattern([field], `${field} is too large: ${characters} characters of at most ${MAX_CHARACTERS}`);
}

function assertSize(size: number, field: string): void {
  if (size <= MAX_INSTRUCTIONS) return;
  throw badPattern([field], `${field} is too large: it has more than ${MAX_INSTRUCTIONS} steps`);
}

/** `(`, `(?:`, `(?i:`, `(?P<name>`. */
const GROUP_PREFIX = /^\((?:\?(?:P?<[^>]*>|[a-zA-Z-]*:?))?/;
const BOUNDED_REPEAT = /^\{(\d{1,4})(?:,(\d{0,4}))?\}/;

/**
 * Returns a number of instructions that the program of a pattern has at least: its bounded repetitions are written out,
 * and those of groups multiply. 20 kB of them take seconds to compile.
 */
export function leastInstructions(pattern: string): number {
  /** Sums of the open groups. */
  const sums = [0];
  let last = 0;
  for (let at = 0; at < pattern.length; at++) {
    const sign = pattern[at];
    const [text = "", least = "", most = least] =
      (sign === "{" && BOUNDED_REPEAT.exec(pattern.slice(at, at + 11))) || [];
    if (text !== "") {
      const times = Math.max(1, Number(least), Number(most));
      sums[sums.length - 1] = (sums.at(-1) ?? 0) + last * (times - 1);
      last *= times;
      at += text.length - 1;
    } else if (sign === "(") {
      at += (GROUP_PREFIX.exec(pattern.slice(at))?.[0].length ?? 1) - 1;
      sums.push(0);
      last = 0;
    } else if (sign === ")" && sums.length > 1) {
      last = sums.pop() ?? 0;
      sums[sums.length - 1] = (sums.at(-1) ?? 0) + last;
    } else {
      if (sign === "\\") at = endOfEscape(pattern, at);
      else if (sign === "[") at = endOfClass(pattern, at);
      last = 1;
      sums[sums.length - 1] = (sums.at(-1) ?? 0) + ("|*+?^$:".includes(sign ?? "") ? 0 : 1);
    }
  }
  return sums.reduce((sum, each) => sum + each, 0);
}

/** Returns the place of the last character of an escape: `\d`, `\p{Greek}`, `\x{2028}`, `\u{2028}`, `\Q…\E`. */
function endOfEscape(pattern: string, start: number): number {
  const [text = "\\"] = /^\\(?:Q[\s\S]*?(?:\\E|$)|[pPux]\{[^}]*\}?|[\s\S]?)/.exec(pattern.slice(start)) ?? [];
  return start + text.length - 1;
}

function endOfClass(pattern: string, start: number): number {
  const [text = "["] = /^\[\^?\]?(?:\\[\s\S]|\[:[^\]]*:\]|[^\]\\])*\]?/.exec(pattern.slice(start)) ?? [];
  return start + text.length - 1;
}

function compile(pattern: string, path: [string, number]): RE2JS {
  if (pattern.length > MAX_PATTERN_CHARACTERS) {
    throw badPattern(path, `A regular expression has at most ${MAX_PATTERN_CHARACTERS} characters`);
  }
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw badPattern(path, `Invalid regular expression in ${path[0]}: ${reason}`);
  }
}

function badPattern(path: (string | number)[], message: string): AppError {
  return new AppError("BAD_REQUEST", message, { details: [{ code: "custom", path, message }] });
}
