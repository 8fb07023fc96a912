import type { Line } from "./text-run.ts";

/** A block of layout with its lines, so that it can be written as HTML or as plain text. */
export type Block =
  | { type: "heading"; level: number; lines: Line[] }
  | {
      type: "paragraph";
      lines: Line[];
      /** Set for a label or the caption of a picture. */
      isFigure?: boolean;
      /** LaTeX of a formula on a line of its own. */
      latex?: string;
    }
  | { type: "code"; lines: Line[] }
  | { type: "list"; items: ListItem[] }
  | { type: "table"; rows: Line[][]; cells: Line["segments"][][]; columns: number };

export interface ListItem {
  /** 0 for the outermost. */
  depth: number;
  /** The number of a numbered item; undefined for a bullet. */
  number: number | undefined;
  /** Number of characters at the start of the first line that form the marker, white space not counted. */
  markerLength: number;
  lines: Line[];
}

/** Sizes that distinguish headings from text, taken over the whole document. */
export interface TypeScale {
  bodySize: number;
  /** Heading sizes from the largest on; the index in the list gives the level. */
  headingSizes: number[];
}

/** Returns the lines of a block, in order. */
export function linesOf(block: Block): Line[] {
  if (block.type === "table") return block.rows.flat();
  return block.type === "list" ? block.items.flatMap((item) => item.lines) : block.lines;
}
