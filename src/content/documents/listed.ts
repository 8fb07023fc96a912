/** Ranges that are named. */
const MAX_RANGES = 20;

/** Returns pages with their noun, such as `page 3` or `pages 1, 3-7`. */
export function pageList(numbers: readonly number[]): string {
  return `${numbers.length === 1 ? "page" : "pages"} ${listed(numbers)}`;
}

/** Returns a sentence that begins with pages, in its form for one page or for more. */
export function ofPages(numbers: readonly number[], one: string, more: string): string {
  return numbers.length === 1 ? `Page ${listed(numbers)} ${one}` : `Pages ${listed(numbers)} ${more}`;
}

/** Returns ascending numbers in words, such as `1, 3-7 and 9 more`. */
function listed(numbers: readonly number[]): string {
  const ranges: { first: number; last: number }[] = [];
  for (const number of numbers) {
    const range = ranges.at(-1);
    if (range !== undefined && number === range.last + 1) range.last = number;
    else ranges.push({ first: number, last: number });
  }
  const shown = ranges
    .slice(0, MAX_RANGES)
    .map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`));
  const left = ranges.slice(MAX_RANGES).reduce((sum, { first, last }) => sum + last - first + 1, 0);
  return shown.join(", ") + (left === 0 ? "" : ` and ${left} more`);
}
