/** A text table: the first column to the left, numbers to the right. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const texts = [head, ...rows].map((row) => row.map((cell) => (typeof cell === "number" ? figure(cell) : cell)));
  const widths = head.map((_, column) => Math.max(...texts.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  ");
  const [first = [], ...others] = texts;
  return [line(first), widths.map((width) => "-".repeat(width)).join("  "), ...others.map(line)].join("\n");
}

/** Three figures are what such measurements carry. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (Math.abs(value) >= 100 || Number.isInteger(value)) return Math.round(value).toLocaleString("en");
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}
