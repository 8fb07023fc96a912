/** Distinct values, the most frequent first; of equals the one that came first. */
export function byFrequency<Value>(values: readonly Value[]): Value[] {
  const counts = new Map<Value, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].toSorted(([, one], [, other]) => other - one).map(([value]) => value);
}

export function mostFrequent<Value>(values: readonly Value[]): Value | undefined {
  return byFrequency(values)[0];
}
