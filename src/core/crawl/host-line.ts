/** The state of a key on which its place in the line of a host depends. Times in ms since the epoch. */
export interface InLine {
  /** The latest reserved time. */
  lastStartMs: number;
  /** Time that the key was told for a page and that is not reserved; 0 when it waits for none. */
  waitsForMs: number;
  /** Time between that page and the ones before and after it. */
  waitsWithMs: number;
}

/** A key that is told a time comes back then: a little later, since its job must be woken. */
const LEAST_GRACE_MS = 2_000;

/** A page that a key asks for. Times in ms since the epoch. */
interface Place {
  /** First time by the delays of the host and the key. */
  atMs: number;
  /** First time by the delay of the host. */
  freeMs: number;
  /** Delay that the page keeps from all others, in ms. */
  leastMs: number;
}

/**
 * Returns the first time for a page of a key that takes no turn of another one: a key that was served longer ago, or is as new
 * and waits for longer, has the time that it was told, or the next free one. It loses it when it does not come within the
 * delay of its page.
 */
export function withoutOvertaking(
  place: Place,
  own: InLine,
  { others, nowMs }: { others: readonly InLine[]; nowMs: number },
): number {
  const turns = others
    .filter((other) => isWaiting(other, nowMs) && isBefore(other, own))
    .toSorted((left, right) => left.waitsForMs - right.waitsForMs);
  let { atMs, freeMs } = place;
  for (const { waitsForMs, waitsWithMs } of turns) {
    const turnMs = Math.max(waitsForMs, freeMs, nowMs);
    const apartMs = Math.max(place.leastMs, waitsWithMs);
    if (atMs + apartMs <= turnMs) return atMs;
    freeMs = turnMs + apartMs;
    atMs = Math.max(atMs, freeMs);
  }
  return atMs;
}

function isWaiting({ waitsForMs, waitsWithMs }: InLine, nowMs: number): boolean {
  return waitsForMs > 0 && nowMs <= waitsForMs + Math.max(LEAST_GRACE_MS, waitsWithMs);
}

function isBefore(other: InLine, own: InLine): boolean {
  if (other.lastStartMs !== own.lastStartMs) return other.lastStartMs < own.lastStartMs;
  return own.waitsForMs === 0 || other.waitsForMs < own.waitsForMs;
}
