/** Wraps text in a fenced code block, whose fence is longer than any inside (CommonMark § 4.5). Blank text has none. */
export function fencedBlock(text: string, info: string): string {
  if (text.trim() === "") return "";
  const longest = (text.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = "`".repeat(longest + 1);
  return `${fence}${info}\n${text.trimEnd()}\n${fence}`;
}
