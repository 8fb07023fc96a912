/** A part of a line; `isChanged` for words that the other version does not have. */
export interface Piece {
  text: string;
  isChanged: boolean;
}

export interface DiffLine {
  kind: "same" | "removed" | "added";
  /** Line number in the previous and the current version. */
  before: number | undefined;
  after: number | undefined;
  pieces: Piece[];
}

export interface Hunk {
  lines: DiffLine[];
}

/** A row of the side-by-side view. An undefined side has no such line. */
export interface DiffRow {
  before: DiffLine | undefined;
  after: DiffLine | undefined;
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;
/** Longer lines are shown as changed as a whole, because comparing words takes the product of both lengths. */
const MAX_WORDS = 400;

/** Reads a unified diff of one file. */
export function readHunks(diff: string): Hunk[] {
  const hunks: Hunk[] = [];
  let [before, after] = [1, 1];
  for (const line of diff.split("\n")) {
    const [, first, second] = HUNK.exec(line) ?? [];
    if (first !== undefined) {
      [before, after] = [Number(first), Number(second)];
      hunks.push({ lines: [] });
      continue;
    }
    const hunk = hunks.at(-1);
    if (hunk === undefined) continue;
    const pieces = [{ text: line.slice(1), isChanged: false }];
    if (line.startsWith("-")) hunk.lines.push({ kind: "removed", before: before++, after: undefined, pieces });
    else if (line.startsWith("+")) hunk.lines.push({ kind: "added", before: undefined, after: after++, pieces });
    else if (line.startsWith(" ")) hunk.lines.push({ kind: "same", before: before++, after: after++, pieces });
  }
  return hunks.map(({ lines }) => ({ lines: rowsOf(lines).flatMap(inOrder) }));
}

/** Pairs removed lines with the added lines that replace them, and marks the words that differ. */
export function rowsOf(lines: readonly DiffLine[]): DiffRow[] {
  const rows: DiffRow[] = [];
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  const flush = (): void => {
    for (let at = 0; at < Math.max(removed.length, added.length); at++) {
      rows.push(paired(removed[at], added[at]));
    }
    removed = [];
    added = [];
  };
  for (const line of lines) {
    if (line.kind === "removed") {
      if (added.length > 0) flush();
      removed.push(line);
    } else if (line.kind === "added") {
      added.push(line);
    } else {
      flush();
      rows.push({ before: line, after: line });
    }
  }
  flush();
  return rows;
}

function inOrder({ before, after }: DiffRow): DiffLine[] {
  if (before === after) return before === undefined ? [] : [before];
  return [before, after].filter((line) => line !== undefined);
}

function paired(before: DiffLine | undefined, after: DiffLine | undefined): DiffRow {
  if (before === undefined || after === undefined) return { before, after };
  const [previous, current] = compareWords(textOf(before), textOf(after));
  return { before: { ...before, pieces: previous }, after: { ...after, pieces: current } };
}

const textOf = ({ pieces }: DiffLine): string => pieces.map(({ text }) => text).join("");

/** Compares two lines by their words. @returns the pieces of both. */
export function compareWords(before: string, after: string): [Piece[], Piece[]] {
  const [one, other] = [wordsOf(before), wordsOf(after)];
  if (one.length > MAX_WORDS || other.length > MAX_WORDS)
    return [[{ text: before, isChanged: true }], [{ text: after, isChanged: true }]];
  const common = commonLengths(one, other);
  const [previous, current]: [Piece[], Piece[]] = [[], []];
  let [i, j] = [0, 0];
  while (i < one.length || j < other.length) {
    const isSame = i < one.length && j < other.length && one[i] === other[j];
    if (isSame) {
      add(previous, one[i++], false);
      add(current, other[j++], false);
    } else if (j >= other.length || (i < one.length && at(common, i + 1, j) >= at(common, i, j + 1))) {
      add(previous, one[i++], true);
    } else {
      add(current, other[j++], true);
    }
  }
  return [previous, current];
}

function wordsOf(text: string): string[] {
  return text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];
}

/** Returns the length of the longest common subsequence of the words from each pair of positions. */
function commonLengths(one: readonly string[], other: readonly string[]): Uint16Array[] {
  const lengths = Array.from({ length: one.length + 1 }, () => new Uint16Array(other.length + 1));
  for (let i = one.length - 1; i >= 0; i--) {
    for (let j = other.length - 1; j >= 0; j--) {
      const length = one[i] === other[j] ? at(lengths, i + 1, j + 1) + 1 : Math.max(at(lengths, i + 1, j), at(lengths, i, j + 1)); // prettier-ignore
      const row = lengths[i];
      if (row !== undefined) row[j] = length;
    }
  }
  return lengths;
}

const at = (lengths: readonly Uint16Array[], i: number, j: number): number => lengths[i]?.[j] ?? 0;

function add(pieces: Piece[], text: string | undefined, isChanged: boolean): void {
  const last = pieces.at(-1);
  if (last?.isChanged === isChanged) last.text += text ?? "";
  else pieces.push({ text: text ?? "", isChanged });
}
