/** Of so many letters, one may be wrong. */
const LETTERS_PER_MISTAKE = 2;

/** Returns the known name that is nearest to a mistyped one by edit distance; undefined when none is near. */
export function nearestName(typed: string, names: readonly string[]): string | undefined {
  const near = names
    .map((name) => ({
      name,
      distance: name.startsWith(typed) && typed !== "" ? 0 : editDistance(typed.toLowerCase(), name),
    }))
    .filter(({ name, distance }) => distance <= name.length / LETTERS_PER_MISTAKE)
    .toSorted((one, other) => one.distance - other.distance);
  return near[0]?.name;
}

/** Levenshtein's: letters to insert, delete or replace. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (const [column, wanted] of [...to].entries()) {
      const replaced = (row[column] ?? 0) + (letter === wanted ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
