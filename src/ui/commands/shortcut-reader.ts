import type { CommandText } from "./command-text.ts";

/** Time in ms within which the second key of a sequence must follow. */
const SEQUENCE_MS = 1_200;

/** The parts of a `KeyboardEvent` that a shortcut depends on. */
export interface KeyPress {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  /** False if plain characters are no shortcuts: the focus is in a field that takes text, or they are turned off. */
  takesCharacters: boolean;
  atMs: number;
}

/** Returns a function that receives key presses and returns the command whose shortcut is complete. */
export function createShortcutReader(): <Command extends CommandText>(
  press: KeyPress,
  commands: readonly Command[],
) => Command | undefined {
  let before = { key: "", atMs: -Infinity };
  return (press, commands) => {
    const key = nameOf(press);
    const sequence = press.atMs - before.atMs <= SEQUENCE_MS ? `${before.key} ${key}` : "";
    before = { key: "", atMs: -Infinity };
    if (!key.startsWith("mod+") && (press.altKey || !press.takesCharacters)) return undefined;
    const found =
      commands.findLast((command) => command.keys === sequence) ?? commands.findLast((command) => command.keys === key);
    if (found === undefined) before = { key, atMs: press.atMs };
    return found;
  };
}

function nameOf({ key, ctrlKey, metaKey }: KeyPress): string {
  const name = key.length === 1 ? key.toLowerCase() : key;
  return ctrlKey || metaKey ? `mod+${name}` : name;
}

/** Returns the keys of a shortcut as they are shown: `["Ctrl", "K"]`, `["G", "C"]`. */
export function keyLabels(keys: string, isApple: boolean): string[] {
  return keys.split(/[ +]/).map((key) => {
    if (key === "mod") return isApple ? "⌘" : "Ctrl";
    return key.length === 1 ? key.toUpperCase() : key;
  });
}
