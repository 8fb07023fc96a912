import { type Block, linesOf } from "./block.ts";
import { RIGHT_TO_LEFT } from "./direction/line-direction.ts";
import type { Line } from "./text-run.ts";

/** Notes are smaller than the text, at most by this factor as large. */
const MAX_NOTE_SIZE = 0.93;

/** Ends and starts of lines within a sentence of scripts that have no capitals; the vowels of some are marks. */
const CASELESS_END = /[\p{Lo}\p{M}ー、，،,]$/u;
const CASELESS_START = /^\p{Lo}/u;
/** Starts in scripts without spaces between words: lines end at any letter, or nearly so. */
const UNSPACED_START =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Myanmar}\p{Script=Khmer}]/u;

/**
 * Joins a sentence that the end of a column or of a page, or a figure, cut with the block in which it began.
 * @param before the last block of the regions before these
 * @returns the block that the next region may go on with; no block before it changes any more
 */
export function joinBroken(regions: Block[][], before?: Block): Block | undefined {
  let last = before;
  for (const blocks of regions) {
    const first = blocks[0];
    if (last?.type === "table" && first?.type === "table" && continuesTable(last, first)) {
      addRows(last, first);
      blocks.shift();
    }
    let end = startOfNotes(blocks, last);
    for (let at = 0; at < end; at++) {
      const block = blocks[at];
      if (block === undefined || isOfFigure(block)) continue;
      const isCut = at === 0 || isOfFigure(blocks[at - 1]);
      if (isCut && last !== undefined && block.type === "paragraph" && goesOn(last, block.lines[0])) {
        const lines = last.type === "list" ? last.items.at(-1)?.lines : linesOf(last);
        for (const line of block.lines) lines?.push(line);
        blocks.splice(at, 1);
        at--;
        end--;
      } else last = block;
    }
  }
  return last;
}

function isOfFigure(block: Block | undefined): boolean {
  return block?.type === "paragraph" && block.isFigure === true;
}

/** Returns where the notes at the end of a region begin, after which the sentence above them goes on in the next one. */
function startOfNotes(blocks: readonly Block[], before: Block | undefined): number {
  const size = sizeOf(blocks.at(-1));
  if (size === undefined) return blocks.length;
  let start = blocks.length;
  while (start > 0 && Math.abs((sizeOf(blocks[start - 1]) ?? 0) - size) <= 0.5) start--;
  const above = start === 0 ? before : blocks[start - 1];
  const sizeAbove = sizeOf(above);
  return sizeAbove !== undefined && size <= sizeAbove * MAX_NOTE_SIZE ? start : blocks.length;
}

/** Returns the size of a paragraph or of a list; undefined for other blocks. */
function sizeOf(block: Block | undefined): number | undefined {
  if (block?.type !== "paragraph" && block?.type !== "list") return undefined;
  return linesOf(block)[0]?.size;
}

type Table = Extract<Block, { type: "table" }>;

interface Edges {
  left: number;
  right: number;
}

/** The edges of tables that were compared: one that goes on over all pages is not measured again for each of them. */
const edges = new WeakMap<Table, Edges>();

/** Returns the edges of all rows of a table; infinite ones for a table without lines. */
function edgesOf(table: Table): Edges {
  const known = edges.get(table);
  if (known !== undefined) return known;
  const own = { left: Infinity, right: -Infinity };
  for (const row of table.rows)
    for (const line of row) {
      own.left = Math.min(own.left, line.left);
      own.right = Math.max(own.right, line.right);
    }
  edges.set(table, own);
  return own;
}

/** Reports whether a table at a page's start has the columns of the one at the end of the page before. */
function continuesTable(last: Table, first: Table): boolean {
  const [above, below] = [edgesOf(last), edgesOf(first)];
  const isAlike = (one: number, other: number): boolean => Math.abs(one - other) < 20;
  const end = last.rows.findLast((row) => row.length > 0)?.at(-1);
  const start = first.rows.find((row) => row.length > 0)?.[0];
  const isAbove = (end?.baseline ?? 0) > (start?.baseline ?? 0);
  return (
    isAbove && last.columns === first.columns && isAlike(above.left, below.left) && isAlike(above.right, below.right)
  );
}

/** Adds the rows of a continued table, without the head that is repeated. */
function addRows(last: Table, first: Table): void {
  const textOf = (row: readonly Line[] = []): string => row.map((line) => line.text).join("\n");
  const start = textOf(last.rows[0]) === textOf(first.rows[0]) ? 1 : 0;
  const [own, added] = [edgesOf(last), edgesOf(first)];
  edges.set(last, { left: Math.min(own.left, added.left), right: Math.max(own.right, added.right) });
  for (const row of first.rows.slice(start)) last.rows.push(row);
  for (const row of first.cells.slice(start)) last.cells.push(row);
}

function goesOn(last: Block, start: Line | undefined): boolean {
  if ((last.type !== "paragraph" && last.type !== "list") || start === undefined) return false;
  const end = linesOf(last).at(-1);
  if (end === undefined || Math.abs(end.size - start.size) > 0.5) return false;
  if (/[\p{L}\p{N},;-]$/u.test(end.text) && /^\p{Ll}/u.test(start.text)) return true;
  return CASELESS_END.test(end.text) && CASELESS_START.test(start.text) && isFull(last, start);
}

/** Reports whether the last line of a block of several lines has no room for the first word of the line that goes on. */
function isFull(block: Block, start: Line): boolean {
  const lines = linesOf(block);
  const end = lines.at(-1);
  if (end === undefined || lines.length < 2) return false;
  const isRtl = RIGHT_TO_LEFT.test(end.text);
  const edgeOf = (line: Line): number => (isRtl ? -line.left : line.right);
  const edge = lines.reduce((most, line) => Math.max(most, edgeOf(line)), -Infinity);
  const word = UNSPACED_START.test(start.text) ? 0 : (start.text.split(" ", 1)[0]?.length ?? 0);
  const wordWidth = ((start.right - start.left) * word) / Math.max(1, start.text.length);
  return edgeOf(end) > edge - end.size * 1.5 - wordWidth;
}
