import { useEffect } from "preact/hooks";
import { readStored, writeStored } from "../parts/browser-storage.ts";
import { createStore } from "../parts/store.ts";
import { registry } from "./commands.ts";
import { createShortcutReader } from "./shortcut-reader.ts";

const NAME = "shortcuts";

/** False turns off the shortcuts that are plain characters, for speech input (WCAG 2.2, 2.1.4). */
export const characterShortcuts = createStore<boolean>(readStored<boolean>(NAME, true));

export function setCharacterShortcuts(isOn: boolean): void {
  writeStored(NAME, isOn ? undefined : false);
  characterShortcuts.set(isOn);
}

/** Runs the commands of the registry by their shortcuts. An open dialog keeps all keys but those with Ctrl or ⌘. */
export function useShortcuts(): void {
  useEffect(() => {
    const read = createShortcutReader();
    const press = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.repeat || event.isComposing) return;
      const { key, ctrlKey, metaKey, altKey, timeStamp: atMs } = event;
      const takesCharacters =
        characterShortcuts.get() && !takesText(event.composedPath()[0] ?? null) && !isDialogOpen();
      const command = read({ key, ctrlKey, metaKey, altKey, takesCharacters, atMs }, registry.get().commands);
      if (command === undefined) return;
      event.preventDefault();
      command.run();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}

function isDialogOpen(): boolean {
  return document.querySelector("dialog[open]") !== null;
}

/** True for elements that take text, also in a shadow root, in which a character is not a shortcut. */
function takesText(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}
