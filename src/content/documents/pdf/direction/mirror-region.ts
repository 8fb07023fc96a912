import type { Block } from "../block.ts";
import { isRightToLeft } from "./line-direction.ts";
import type { Line, PageText, Segment, TextRun } from "../text-run.ts";

type Shapes = Pick<PageText, "pictures" | "rules" | "width">;

/**
 * Lays out a region whose text is written from right to left as its mirror image: then its lines begin at the left, as
 * those of other regions do, and so do the columns of its tables. The lines of the blocks are those of the region.
 */
export function layoutMirrored(
  lines: readonly Line[],
  shapes: Shapes,
  layout: (lines: Line[], shapes: Shapes) => Block[],
): Block[] {
  const { width } = shapes;
  const originals = new Map(lines.map((line) => [mirroredLine(line, width), line]));
  const mirroredShapes: Shapes = {
    width,
    rules: shapes.rules.map((rule) => mirroredBox(rule, width)),
    ...(shapes.pictures === undefined
      ? {}
      : { pictures: shapes.pictures.map((picture) => mirroredBox(picture, width)) }),
  };
  const original = (line: Line): Line => originals.get(line) ?? line;
  return layout([...originals.keys()], mirroredShapes).map((block) => {
    if (block.type === "table") return { ...block, rows: block.rows.map((row) => row.map(original)) };
    if (block.type !== "list") return { ...block, lines: block.lines.map(original) };
    return { ...block, items: block.items.map((item) => ({ ...item, lines: item.lines.map(original) })) };
  });
}

/** Reports whether a region is to be laid out as its mirror image. */
export function isMirrored(lines: readonly Line[]): boolean {
  return isRightToLeft(lines.map((line) => line.text));
}

function mirroredLine(line: Line, width: number): Line {
  return { ...mirroredBox(line, width), segments: line.segments.map((segment) => mirroredSegment(segment, width)) };
}

function mirroredSegment(segment: Segment, width: number): Segment {
  return { ...mirroredBox(segment, width), runs: segment.runs.map((run): TextRun => mirroredBox(run, width)) };
}

function mirroredBox<Box extends { left: number; right: number }>(box: Box, width: number): Box {
  return { ...box, left: width - box.right, right: width - box.left };
}
