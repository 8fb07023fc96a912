/** The parts of a command by which it is found, listed and started from the keyboard. */
export interface CommandText {
  /** A later command with the same ID replaces an earlier one. */
  id: string;
  /** A verb and its object, such as "Create session". */
  title: string;
  /** The heading under which the palette and the list of shortcuts show the command. */
  section: string;
  /** Other words to find the command by. */
  words?: string;
  /** The shortcut: one key (`n`), a sequence (`g c`), or a key with Ctrl or ⌘ (`mod+Enter`). */
  keys?: string;
}

/** Returns the commands with some more, which replace those with the same ID. */
export function withCommands<Command extends CommandText>(
  all: readonly Command[],
  added: readonly Command[],
): Command[] {
  const ids = new Set(added.map(({ id }) => id));
  return [...all.filter(({ id }) => !ids.has(id)), ...added];
}
