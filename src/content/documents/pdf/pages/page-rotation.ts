/** Quarter turns clockwise in degrees; -1 for slanted text. */
export type Rotation = number;

/** Returns the product of two matrices of PDF's six numbers. */
export function multiply(outer: readonly number[], inner: readonly number[]): number[] {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = outer;
  const [ia = 1, ib = 0, ic = 0, id = 1, ie = 0, iff = 0] = inner;
  return [
    a * ia + c * ib,
    b * ia + d * ib,
    a * ic + c * id,
    b * ic + d * id,
    a * ie + c * iff + e,
    b * ie + d * iff + f,
  ];
}

/** Returns the direction of writing of a matrix. */
export function rotationOf(matrix: readonly number[]): Rotation {
  const degrees = (Math.atan2(matrix[1] ?? 0, matrix[0] ?? 1) * 180) / Math.PI;
  const quarter = Math.round(degrees / 90) * 90;
  return Math.abs(degrees - quarter) > 5 ? -1 : (quarter + 360) % 360;
}

/** Returns the next quarter turn. */
export function turnedOnce(rotation: Rotation): Rotation {
  return rotation < 0 ? rotation : (rotation + 90) % 360;
}

/** Returns the rotation of most characters. */
export function mostCommonRotation(rotations: readonly { rotation: Rotation; weight: number }[]): Rotation {
  const weights = new Map<number, number>();
  for (const { rotation, weight } of rotations)
    if (rotation >= 0) weights.set(rotation, (weights.get(rotation) ?? 0) + weight);
  let best = 0;
  for (const [rotation, weight] of weights) if (weight > (weights.get(best) ?? 0)) best = rotation;
  return best;
}

/** Returns a point of a page, as on the page that is turned until its text runs from left to right. */
export function rotated(
  [x, y]: readonly [x: number, y: number],
  rotation: Rotation,
  width: number,
  height: number,
): [number, number] {
  if (rotation === 90) return [y, width - x];
  if (rotation === 180) return [width - x, height - y];
  if (rotation === 270) return [height - y, x];
  return [x, y];
}
