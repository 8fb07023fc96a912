import type { Line } from "../text-run.ts";

const MAX_CHARACTERS = 80;
const MIN_LETTERS = 4;
/** Free space at each side of a centred line, as a share of the width of its column. */
const MIN_SIDE = 0.08;
/** White space above a title, in multiples of its size from baseline to baseline. */
const MIN_DISTANCE = 1.35;
const CAPTION = /^(?:tab(?:le|elle|\.)|fig(?:ure|ur|\.)|abb(?:ildung|\.))\s*[\divxlc]/iu;

/**
 * Reports whether a group is a title in capitals or small capitals, in the middle of its column, with white space above it and
 * text below it, as the sections of many papers have them.
 */
export function isCentredTitle(
  group: readonly Line[],
  {
    region,
    above,
    next,
  }: { region: { right: number; width: number }; above: Line | undefined; next: Line | undefined },
): boolean {
  const [line] = group;
  if (line === undefined || next === undefined || group.length > 1 || line.text.length > MAX_CHARACTERS) return false;
  if (!(line.isSmallCaps || isCapitals(line.text)) || CAPTION.test(line.text) || /[.,;:]$/.test(line.text))
    return false;
  const [before, after] = [line.left - (region.right - region.width), region.right - line.right];
  const isCentred = Math.abs(before - after) < line.size * 1.5 && Math.min(before, after) > region.width * MIN_SIDE;
  const isBelow = above === undefined || line.baseline - above.baseline > line.size * MIN_DISTANCE;
  const isText = next.segments.length === 1 && next.right - next.left > region.width * 0.8;
  return isCentred && isBelow && isText && Math.abs(next.size - line.size) < line.size * 0.3;
}

function isCapitals(text: string): boolean {
  const letters = text.replace(/[^\p{L}]/gu, "");
  return letters.length >= MIN_LETTERS && letters === letters.toUpperCase() && letters !== letters.toLowerCase();
}
