import type { CommandText } from "./command-text.ts";

/** Returns the commands that match every word of a query, the best match first. All commands match an empty query. */
export function findCommands<Command extends CommandText>(query: string, commands: readonly Command[]): Command[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [...commands];
  return commands
    .map((command) => ({ command, score: scoreOf(command, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .map(({ command }) => command);
}

function scoreOf({ title, section, words = "" }: CommandText, query: readonly string[]): number {
  const scores = query.map((word) =>
    Math.max(3 * scoreIn(title, word), 2 * scoreIn(words, word), scoreIn(section, word)),
  );
  return scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score, 0);
}

/** 3 for the start of a text, 2 for the start of a word, 1 for a part of a word, 0 otherwise. */
function scoreIn(text: string, word: string): number {
  const lower = text.toLowerCase();
  const at = lower.indexOf(word);
  if (at <= 0) return at === 0 ? 3 : 0;
  return lower.split(/[\s/-]+/).some((part) => part.startsWith(word)) ? 2 : 1;
}

/** Groups commands by section, in the order of the first command of each. */
export function bySection<Command extends CommandText>(
  commands: readonly Command[],
): [section: string, commands: Command[]][] {
  const sections = new Map<string, Command[]>();
  for (const command of commands) sections.set(command.section, [...(sections.get(command.section) ?? []), command]);
  return [...sections];
}
