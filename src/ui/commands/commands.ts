import { useLayoutEffect } from "preact/hooks";
import type { IconName } from "../parts/icon.tsx";
import { createStore } from "../parts/store.ts";
import { withCommands } from "./command-text.ts";
import type { CommandText } from "./command-text.ts";

/** An action of the command palette. */
export interface Command extends CommandText {
  icon?: IconName;
  run: () => void;
}

/** Returns commands for a text, such as "Open crawl …" for a job ID. Called for each change of the text. */
export type CommandFinder = (query: string) => readonly Command[];

export const registry = createStore<{ commands: readonly Command[]; finders: readonly CommandFinder[] }>({
  commands: [],
  finders: [],
});

/** Adds commands until the returned function is called. */
export function addCommands(added: readonly Command[]): () => void {
  const current = registry.get();
  registry.set({ ...current, commands: withCommands(current.commands, added) });
  return () => {
    const later = registry.get();
    registry.set({ ...later, commands: later.commands.filter((command) => !added.includes(command)) });
  };
}

/** Adds a finder until the returned function is called. */
export function addCommandFinder(finder: CommandFinder): () => void {
  const current = registry.get();
  registry.set({ ...current, finders: [...current.finders, finder] });
  return () => {
    const later = registry.get();
    registry.set({ ...later, finders: later.finders.filter((other) => other !== finder) });
  };
}

/**
 * Adds commands while a component is shown. They are replaced when `inputs` change. A shortcut works as soon as its
 * view is visible: an effect after the paint would miss a key press right after it.
 */
export function useCommands(commands: readonly Command[], inputs: readonly unknown[] = []): void {
  useLayoutEffect(() => addCommands(commands), inputs);
}
