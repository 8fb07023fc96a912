const MOST_PIECES = 64;

/** Adds a piece. Each takes some hundred bytes besides its own, so that many small ones become one. */
export function keep(pieces: Buffer[], bytes: Buffer): void {
  pieces.push(bytes);
  if (pieces.length > MOST_PIECES) pieces.splice(0, pieces.length, joined(pieces));
}

/** Returns the pieces as one. */
export function joined(pieces: readonly Buffer[]): Buffer {
  const [first] = pieces;
  return first !== undefined && pieces.length === 1 ? first : Buffer.concat(pieces);
}
