/** A small round or square shape, in points from the upper left corner of the turned page. */
export interface Dot {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** A page with more of them is a drawing. */
export const MAX_DOTS = 400;
/** Size of a bullet in points. */
const SIZE = { least: 1.5, most: 9 };
/** A bullet is at most so much wider than high, or higher than wide. */
const MAX_STRETCH = 1.3;
/** A longer path, in numbers, is no circle and no square. */
const MAX_NUMBERS = 200;

/**
 * Returns two opposite corners of a path that may be a bullet, in its own units: one closed outline, all of whose points are
 * told by their commands. `counts` has the numbers that follow each command.
 */
export function dotOf(path: ArrayLike<number>, counts: readonly number[]): [number, number][] | undefined {
  if (path.length > MAX_NUMBERS || path[0] !== 0) return undefined;
  const [xs, ys]: [number[], number[]] = [[], []];
  let outlines = 0;
  for (let at = 0; at < path.length;) {
    const command = path[at] ?? 0;
    const count = counts[command] ?? 0;
    if (command === 0) outlines++;
    if (count > 0) {
      xs.push(path[at + count - 1] ?? 0);
      ys.push(path[at + count] ?? 0);
    }
    at += count + 1;
  }
  if (xs.length < 4 || outlines > 1) return undefined;
  return [
    [Math.min(...xs), Math.min(...ys)],
    [Math.max(...xs), Math.max(...ys)],
  ];
}

/** Reports whether a shape on the page is as small and as wide as a bullet. */
export function isDotSize({ left, right, top, bottom }: Dot): boolean {
  const [less = 0, more = 0] = [right - left, bottom - top].toSorted((a, b) => a - b);
  return less >= SIZE.least && more <= SIZE.most && more <= less * MAX_STRETCH;
}
