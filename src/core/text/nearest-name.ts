/** Of so many letters, one may be wrong. */
const LETTERS_PER_MISTAKE = 2;
/** Longer texts are no mistyped names; the distance costs the product of both lengths. */
const MAX_CHARS = 60;

/** Returns the known name that is nearest to a mistyped one by edit distance; undefined when none is near. */
export function nearestName(typed: string, names: readonly string[]): string | undefined {
  if (typed === "" || typed.length > MAX_CHARS) return undefined;
  const lower = typed.toLowerCase();
  const near = names
    .map((name) => ({ name, distance: name.startsWith(typed) ? 0 : editDistance(lower, name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= name.length / LETTERS_PER_MISTAKE)
    .toSorted((one, other) => one.distance - other.distance);
  return near[0]?.name;
}

/** Letters to insert, delete, replace or swap with the next one (optimal string alignment). */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  let before = row;
  for (let index = 0; index < from.length; index++) {
    const next = [index + 1];
    for (let column = 0; column < to.length; column++) {
      const replaced = (row[column] ?? 0) + (from[index] === to[column] ? 0 : 1);
      const isSwapped = index > 0 && column > 0 && from[index] === to[column - 1] && from[index - 1] === to[column];
      const swapped = isSwapped ? (before[column - 1] ?? 0) + 1 : replaced;
      next.push(Math.min(replaced, swapped, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row.at(-1) ?? 0;
}
