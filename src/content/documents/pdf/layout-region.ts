import type { WorkBudget } from "../../../core/work-budget.ts";
import type { Block, TypeScale } from "./block.ts";
import { layoutBlocks } from "./layout-blocks.ts";
import { isMirrored, layoutMirrored } from "./direction/mirror-region.ts";
import { inOwnDirection } from "./direction/table-direction.ts";
import type { PagePicture } from "./pages/page-pictures.ts";
import { COMPARISONS_PER_STEP } from "./pdf-work.ts";
import type { Line, PageText } from "./text-run.ts";

/** Labels are within a picture, or this near to it, in multiples of their size. */
const MARGIN = 1;
/** A picture with more lines or words is the background of text. */
const MAX_LABELS = 25;
const MAX_LABEL_WORDS = 100;
/** A caption begins at most so far below the picture, in multiples of its size. */
const MAX_CAPTION_GAP = 3;
const CAPTION =
  /^(?:fig(?:ure|ura)?|abb(?:ildung)?|bild|grafik|illustration|image|photo(?:graph)?|diagram|図)[.:]?\s*[\dIVX]/iu;

/** Lines of a region that follow each other, of text or of one figure. */
interface Part {
  lines: Line[];
  isFigure: boolean;
}

/**
 * Lays out a region. The labels of a picture are no table, and neither they nor its caption cut a sentence that goes on
 * below the figure.
 */
export function layoutRegion(
  lines: Line[],
  shapes: Pick<PageText, "pictures" | "rules" | "width">,
  context: { scale: TypeScale; budget: WorkBudget },
): Block[] {
  if (!isMirrored(lines)) return layoutFromLeft(lines, shapes, context).map(inOwnDirection);
  return layoutMirrored(lines, shapes, (mirrored, around) => layoutFromLeft(mirrored, around, context));
}

function layoutFromLeft(
  lines: Line[],
  { pictures = [], rules }: Pick<PageText, "pictures" | "rules">,
  { scale, budget }: { scale: TypeScale; budget: WorkBudget },
): Block[] {
  if (pictures.length === 0 || !budget.take((lines.length * pictures.length) / COMPARISONS_PER_STEP))
    return layoutBlocks(lines, scale, budget, { rules });
  return partsOf(lines, labelsOf(lines, pictures)).flatMap(({ lines: own, isFigure }) => {
    if (!isFigure) return layoutBlocks(own, scale, budget, { rules });
    const blocks = layoutBlocks(own, scale, budget, { hasTables: false });
    return blocks.map((block) => (block.type === "paragraph" ? { ...block, isFigure } : block));
  });
}

/** Returns the lines that are labels of pictures, and their captions. */
function labelsOf(lines: readonly Line[], pictures: readonly PagePicture[]): Set<Line> {
  const inside = lines.filter((line) =>
    line.segments.every((segment) => pictures.some((picture) => isInside(segment, picture))),
  );
  const wordy = pictures.filter((picture) => isBackground(inside.filter((line) => isInside(line, picture))));
  const labels = new Set(inside.filter((line) => !wordy.some((picture) => isInside(line, picture))));
  for (const [at, line] of lines.entries()) {
    if (!CAPTION.test(line.text)) continue;
    const above = lines[at - 1];
    const isBelow =
      (above !== undefined && labels.has(above)) || pictures.some((picture) => isJustBelow(line, picture));
    if (!isBelow) continue;
    for (let next: Line | undefined = line, last = line, to = at; next !== undefined; next = lines[++to]) {
      if (next !== line && (next.size !== last.size || next.baseline - last.baseline > last.size * 1.4)) break;
      labels.add(next);
      last = next;
    }
  }
  return labels;
}

function isBackground(lines: readonly Line[]): boolean {
  const words = lines.reduce((sum, { text }) => sum + text.split(/\s+/).length, 0);
  return lines.length > MAX_LABELS || words > MAX_LABEL_WORDS;
}

type Box = Pick<Line, "left" | "right" | "top" | "bottom" | "size">;

/** Reports whether all of a text is on a picture or next to it. */
function isInside(text: Box, { left, right, top, bottom }: PagePicture): boolean {
  const margin = text.size * MARGIN;
  const middle = (text.top + text.bottom) / 2;
  return (
    middle > top - margin &&
    middle < bottom + margin &&
    text.left > left - margin * 2 &&
    text.right < right + margin * 2
  );
}

function isJustBelow(line: Line, { left, right, bottom }: PagePicture): boolean {
  const gap = line.top - bottom;
  return gap > -line.size && gap < line.size * MAX_CAPTION_GAP && line.left < right && line.right > left;
}

function partsOf(lines: readonly Line[], labels: ReadonlySet<Line>): Part[] {
  const parts: Part[] = [];
  for (const line of lines) {
    const isFigure = labels.has(line);
    const last = parts.at(-1);
    if (last?.isFigure === isFigure) last.lines.push(line);
    else parts.push({ lines: [line], isFigure });
  }
  return parts;
}
