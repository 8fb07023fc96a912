/** Returns the distinct values, the most frequent first; equals in order of their first occurrence. */
export function byFrequency<Value>(values: readonly Value[]): Value[] {
  const counts = new Map<Value, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].toSorted(([, one], [, other]) => other - one).map(([value]) => value);
}

export function mostFrequent<Value>(values: readonly Value[]): Value | undefined {
  return byFrequency(values)[0];
}
