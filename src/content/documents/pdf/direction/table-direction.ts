import type { Block } from "../block.ts";
import { type Segment, textOfRuns } from "../text-run.ts";
import { isRightToLeft, RIGHT_TO_LEFT } from "./line-direction.ts";

type Table = Extract<Block, { type: "table" }>;

/** Edges of cells that are aligned differ at most by this many points, and the other edges by more. */
const ALIGNED = 2;
const MIN_ALIGNED_CELLS = 2;

/**
 * Returns a table among text from left to right with its right column first, where the table itself is written from right to
 * left: by most of its letters, or by the alignment of its cells where other scripts have more letters. Other blocks stay as
 * they are.
 */
export function inOwnDirection(block: Block): Block {
  if (block.type !== "table" || !isFromRight(block)) return block;
  return { ...block, cells: block.cells.map((row) => row.toReversed()) };
}

function isFromRight({ cells, columns }: Table): boolean {
  const texts = cells.flat(2).map(({ runs }) => textOfRuns(runs));
  if (!texts.some((text) => RIGHT_TO_LEFT.test(text))) return false;
  const byColumn = Array.from({ length: columns }, (_, at) => cells.flatMap((row) => row[at] ?? []));
  if (byColumn.some((column) => alignmentOf(column) === "left")) return false;
  if (isRightToLeft(texts)) return true;
  const last = byColumn.at(-1) ?? [];
  const isNamed = last.filter(({ runs }) => RIGHT_TO_LEFT.test(textOfRuns(runs))).length * 2 >= last.length;
  return isNamed && alignmentOf(last) === "right";
}

/** Returns the side at which the cells of a column that hold words are aligned, where their widths tell. */
function alignmentOf(column: readonly Segment[]): "left" | "right" | undefined {
  const words = column.filter(({ runs }) => /\p{L}/u.test(textOfRuns(runs))).slice(1);
  if (words.length < MIN_ALIGNED_CELLS) return undefined;
  const spread = (places: readonly number[]): number =>
    places.reduce((most, at) => Math.max(most, at)) - places.reduce((least, at) => Math.min(least, at));
  const [left, right] = [spread(words.map((each) => each.left)), spread(words.map((each) => each.right))];
  if (left <= ALIGNED && right > ALIGNED) return "left";
  return right <= ALIGNED && left > ALIGNED ? "right" : undefined;
}
