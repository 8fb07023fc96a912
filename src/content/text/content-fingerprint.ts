import { createHash } from "node:crypto";
import { inTurns, type Turns } from "../../core/in-turns.ts";

/** Characters that are counted or hashed before other requests have their turn: some 5 to 10 ms. */
const TURN_CHARS = 1_000_000;

/**
 * Returns the content fingerprint of a text. Two texts have the same one if their characters without white space,
 * sorted, are equal. Other requests run while a long text is read.
 */
export async function contentFingerprint(text: string): Promise<string> {
  return await inTurns(fingerprint(text));
}

/** The SHA-256 of the sorted characters. They are counted: sorting 5 million takes a second, and a hundred bytes for each. */
function* fingerprint(text: string): Turns<string> {
  const counts = new Map<string, number>();
  for (let from = 0; from < text.length;) {
    if (from > 0) yield;
    const end = endOfTurn(text, from);
    addCounts(text.slice(from, end), counts);
    from = end;
  }
  const hash = createHash("sha256");
  let hashed = 0;
  for (const char of [...counts.keys()].toSorted()) {
    for (let left = counts.get(char) ?? 0; left > 0;) {
      const count = Math.min(left, TURN_CHARS - hashed);
      hash.update(char.repeat(count));
      left -= count;
      hashed += count;
      if (hashed < TURN_CHARS) continue;
      hashed = 0;
      yield;
    }
  }
  return hash.digest("hex");
}

/** Returns the end of the characters that are counted in one turn, which splits no surrogate pair. */
function endOfTurn(text: string, from: number): number {
  const end = Math.min(from + TURN_CHARS, text.length);
  return (text.codePointAt(end - 1) ?? 0) > 0xffff ? end + 1 : end;
}

function addCounts(text: string, counts: Map<string, number>): void {
  const units = new Uint32Array(0x10000);
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    const point = unit >= 0xd800 && unit < 0xdc00 ? (text.codePointAt(index) ?? 0) : unit;
    if (point <= 0xffff) {
      units[unit] = (units[unit] ?? 0) + 1;
      continue;
    }
    add(counts, String.fromCodePoint(point), 1);
    index++;
  }
  for (let unit = 0; unit < units.length; unit++) {
    const count = units[unit] ?? 0;
    if (count > 0 && !WHITE_SPACE.test(String.fromCharCode(unit))) add(counts, String.fromCharCode(unit), count);
  }
}

const WHITE_SPACE = /\s/;

function add(counts: Map<string, number>, char: string, count: number): void {
  counts.set(char, (counts.get(char) ?? 0) + count);
}
