import type { Line } from "../text-run.ts";

/** Lines between an item and the next one of its list. */
const MAX_LINES_BETWEEN = 40;
/** Difference of the left edges of items, in multiples of the font size. */
const SAME_EDGE = 0.5;

const MARKER = /^(\(?)([a-z]|[ivxl]{2,6}|[A-Z]|[IVXL]{2,6})([.)])\s+(?=\S)/;
const ROMAN: readonly (readonly [string, number])[] = [
  ["l", 50],
  ["xl", 40],
  ["x", 10],
  ["ix", 9],
  ["v", 5],
  ["iv", 4],
  ["i", 1],
];

interface Letter {
  /** The signs around the letter, and its case: those of all items of a list. */
  style: string;
  /** Places in the alphabet and in Roman numerals; each 0 for none. */
  places: { alphabet: number; roman: number };
}

/**
 * Finds the lines that begin items with letters or Roman numerals, such as `(a)`, `B.` and `iv)`. One letter tells nothing, as
 * an initial may begin a line: the letter before or after it begins another line at the same edge.
 */
export function letteredItems(lines: readonly Line[]): Set<Line> {
  const items = new Set<Line>();
  /** Lines that begin with a letter, by their style, the last ones. */
  const recent = new Map<string, { line: Line; at: number; places: Letter["places"] }[]>();
  for (const [at, line] of lines.entries()) {
    const letter = letterOf(line.text);
    if (letter === undefined) continue;
    const { style, places } = letter;
    const before = (recent.get(style) ?? []).filter((other) => at - other.at <= MAX_LINES_BETWEEN);
    const previous = before.findLast(
      (other) =>
        Math.abs(other.line.left - line.left) <= line.size * SAME_EDGE &&
        (follows(other.places.alphabet, places.alphabet) || follows(other.places.roman, places.roman)),
    );
    if (previous !== undefined) items.add(previous.line).add(line);
    recent.set(style, [...before, { line, at, places }]);
  }
  return items;
}

function follows(before: number, place: number): boolean {
  return before > 0 && place === before + 1;
}

function letterOf(text: string): Letter | undefined {
  const [, open = "", letters = "", close = ""] = MARKER.exec(text) ?? [];
  if (letters === "" || (open !== "" && close !== ")")) return undefined;
  const lower = letters.toLowerCase();
  const alphabet = lower.length === 1 ? lower.charCodeAt(0) - 96 : 0;
  const style = `${open}${letters === lower ? "a" : "A"}${close}`;
  return { style, places: { alphabet, roman: romanNumber(lower) } };
}

/** @returns 0 for letters that are no numeral */
function romanNumber(letters: string): number {
  let rest = letters;
  let value = 0;
  for (const [sign, worth] of ROMAN) {
    for (; rest.startsWith(sign); rest = rest.slice(sign.length)) value += worth;
  }
  return rest === "" ? value : 0;
}
