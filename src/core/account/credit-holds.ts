/** The holds of a key's ledger, and what is known of those over a month's turn. */
interface Holds {
  holds?: Record<string, [credits: number, atMs: number]> | undefined;
  earlierHolds?: Record<string, [credits: number, monthMs: number]> | undefined;
}

/** A hold of credits, seen from a month. */
interface HoldPlace {
  holdId: string;
  /** Start of the month, ms since the epoch. */
  periodStartMs: number;
}

/** Returns how many credits of a hold were charged to months before the one that starts at a time. */
export function earlierCredits({ holds, earlierHolds }: Holds, { holdId, periodStartMs }: HoldPlace): number {
  const [held, atMs] = holds?.[holdId] ?? [0, periodStartMs];
  if (atMs >= periodStartMs) return 0;
  const [credits, monthMs] = earlierHolds?.[holdId] ?? [held, periodStartMs];
  return monthMs === periodStartMs ? credits : held;
}

/** Adds credits that were charged at a time to a hold, which keeps the earliest of its times. */
export function withHeldCredits<Counters extends Holds>(
  counters: Counters,
  { credits, atMs, ...place }: HoldPlace & { credits: number; atMs: number },
): Counters {
  const { holdId, periodStartMs } = place;
  const [held, heldAtMs] = counters.holds?.[holdId] ?? [0, atMs];
  const earlier = earlierCredits(counters, place) + (atMs < periodStartMs ? credits : 0);
  const { holds, earlierHolds } = withoutHold(counters, holdId);
  const total = held + credits;
  const isOfTwoMonths = earlier > 0 && earlier < total;
  return {
    ...counters,
    holds: { ...holds, [holdId]: [total, Math.min(heldAtMs, atMs)] },
    earlierHolds: isOfTwoMonths ? { ...earlierHolds, [holdId]: [earlier, periodStartMs] } : earlierHolds,
  };
}

export function withoutHold<Counters extends Holds>(counters: Counters, holdId: string): Counters {
  const { [holdId]: _held, ...holds } = counters.holds ?? {};
  const rest = { ...counters, holds };
  if (counters.earlierHolds === undefined) return rest;
  const { [holdId]: _earlier, ...earlierHolds } = counters.earlierHolds;
  return { ...rest, earlierHolds };
}
