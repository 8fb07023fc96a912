/** Returns code between as many ticks as needed (CommonMark § 6.1). */
export function inlineCodeText(code: string): string {
  const ticks = "`".repeat(longestTicks(code) + 1);
  const isPadded = code.startsWith(" ") && code.endsWith(" ") && code.trim() !== "";
  const needsSpace = isPadded || code.startsWith("`") || code.endsWith("`");
  return needsSpace ? `${ticks} ${code} ${ticks}` : ticks + code + ticks;
}

/** Returns the longest run of ticks in code: its fence must be longer. */
export function longestTicks(code: string): number {
  let longest = 0;
  for (const [ticks] of code.matchAll(/`+/g)) longest = Math.max(longest, ticks.length);
  return longest;
}
