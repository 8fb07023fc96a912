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

/** Turns of a key before pages that are reserved; more are of no use within the time for which pages are reserved. */
const MAX_BOOKED = 16;

/** A page that a key asks for. Times in ms since the epoch. */
interface Place {
  /** First time by the delays of the host and the key. */
  atMs: number;
  /** First time by the delay of the host. */
  freeMs: number;
  /** Delay that the page keeps from all others, in ms. */
  leastMs: number;
}

/** Time of a page, and the turns of other keys that come before it and after the pages that have been reserved. */
interface InTurn<Other> {
  atMs: number;
  passed: { other: Other; turnMs: number }[];
}

/**
 * Returns the first time for a page of a key that takes no turn of another one: a key that was served longer ago, or is as new
 * and waits for longer, has the time that it was told, or the next free one. It loses it when it does not come within the
 * delay of its page.
 */
export function withoutOvertaking<Other extends InLine>(
  place: Place,
  own: InLine,
  { others, nowMs }: { others: readonly Other[]; nowMs: number },
): InTurn<Other> {
  const turns = others
    .filter((other) => isWaiting(other, nowMs) && isBefore(other, own))
    .toSorted((left, right) => left.waitsForMs - right.waitsForMs);
  let { atMs, freeMs } = place;
  const passed: InTurn<Other>["passed"] = [];
  for (const other of turns) {
    const turnMs = Math.max(other.waitsForMs, freeMs, nowMs);
    const apartMs = Math.max(place.leastMs, other.waitsWithMs);
    if (atMs + apartMs <= turnMs) return { atMs, passed };
    passed.push({ other, turnMs });
    freeMs = turnMs + apartMs;
    atMs = Math.max(atMs, freeMs);
  }
  return { atMs, passed };
}

/** Returns the turns of a key with one more, which it may take although later times are reserved. Times in ms since the epoch. */
export function withBooked(bookedMs: readonly number[], turnMs: number, nowMs: number): number[] {
  const known = bookedMs.filter((atMs) => atMs >= nowMs && atMs !== turnMs);
  return [...known, turnMs].toSorted((left, right) => left - right).slice(0, MAX_BOOKED);
}

function isWaiting({ waitsForMs, waitsWithMs }: InLine, nowMs: number): boolean {
  return waitsForMs > 0 && nowMs <= waitsForMs + Math.max(LEAST_GRACE_MS, waitsWithMs);
}

function isBefore(other: InLine, own: InLine): boolean {
  if (other.lastStartMs !== own.lastStartMs) return other.lastStartMs < own.lastStartMs;
  return own.waitsForMs === 0 || other.waitsForMs < own.waitsForMs;
}
