/** Pixels as RGBA, four bytes each. */
export interface Pixels {
  width: number;
  height: number;
  data: Uint8ClampedArray;
}

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface PictureDifference {
  /** Share of the compared pixels that differ, 0 to 1. */
  share: number;
  /** Areas that contain all differing pixels, in pixels of the current picture. */
  boxes: Box[];
}

/** Pixels are compared in cells, so that a changed word is one box and not one box for each letter. */
const CELL = 16;
/** Sum of the differences of red, green and blue that counts as a change: above the noise of text smoothing. */
const THRESHOLD = 48;
const MAX_BOXES = 200;

/**
 * Compares two pictures pixel by pixel from their top left corner. Where one is longer, its rest counts as different.
 * Adjacent cells with differing pixels are merged.
 */
export function comparePictures(before: Pixels, after: Pixels): PictureDifference {
  const width = Math.max(before.width, after.width);
  const height = Math.max(before.height, after.height);
  const columns = Math.ceil(width / CELL);
  const rows = Math.ceil(height / CELL);
  const cells = new Uint8Array(columns * rows);
  let different = 0;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (!differs(before, after, x, y)) continue;
      different++;
      cells[Math.floor(y / CELL) * columns + Math.floor(x / CELL)] = 1;
    }
  }
  return { share: width * height === 0 ? 0 : different / (width * height), boxes: boxesOf(cells, columns, rows) };
}

function differs(before: Pixels, after: Pixels, x: number, y: number): boolean {
  const isInBefore = x < before.width && y < before.height;
  const isInAfter = x < after.width && y < after.height;
  if (!isInBefore || !isInAfter) return true;
  const i = (y * before.width + x) * 4;
  const j = (y * after.width + x) * 4;
  let sum = 0;
  for (let channel = 0; channel < 3; channel++)
    sum += Math.abs((before.data[i + channel] ?? 0) - (after.data[j + channel] ?? 0));
  return sum > THRESHOLD;
}

/** Returns the bounding boxes of connected cells, the largest first. */
function boxesOf(cells: Uint8Array, columns: number, rows: number): Box[] {
  const boxes: Box[] = [];
  for (let start = 0; start < cells.length; start++) {
    if (cells[start] !== 1) continue;
    boxes.push(boxFrom(cells, { start, columns, rows }));
  }
  return boxes.toSorted((one, other) => other.width * other.height - one.width * one.height).slice(0, MAX_BOXES);
}

/** Returns the box of the cells that are connected to a cell, and clears them. */
function boxFrom(cells: Uint8Array, { start, columns, rows }: { start: number; columns: number; rows: number }): Box {
  let [left, right, top, bottom] = [columns, 0, rows, 0];
  const open = [start];
  cells[start] = 0;
  for (let cell = open.pop(); cell !== undefined; cell = open.pop()) {
    const [x, y] = [cell % columns, Math.floor(cell / columns)];
    [left, right, top, bottom] = [Math.min(left, x), Math.max(right, x), Math.min(top, y), Math.max(bottom, y)];
    for (const [dx, dy] of [
      [-1, 0],
      [1, 0],
      [0, -1],
      [0, 1],
      [-1, -1],
      [1, -1],
      [-1, 1],
      [1, 1],
    ] as const) {
      // prettier-ignore
      const [nextX, nextY] = [x + dx, y + dy];
      const next = nextY * columns + nextX;
      if (nextX < 0 || nextX >= columns || nextY < 0 || nextY >= rows || cells[next] !== 1) continue;
      cells[next] = 0;
      open.push(next);
    }
  }
  return { x: left * CELL, y: top * CELL, width: (right - left + 1) * CELL, height: (bottom - top + 1) * CELL };
}
