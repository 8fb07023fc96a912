import { Dialog } from "../parts/dialog.tsx";
import { useStore } from "../parts/store.ts";
import { registry } from "./commands.ts";
import { bySection } from "./find-commands.ts";
import { KeyHint } from "./key-hint.tsx";
import { characterShortcuts, setCharacterShortcuts } from "./use-shortcuts.ts";

/** The list of keyboard shortcuts, with the setting that turns off the shortcuts without Ctrl or ⌘. */
export function ShortcutList({ close }: { close: () => void }) {
  const { commands } = useStore(registry);
  const isOn = useStore(characterShortcuts);
  return (
    <Dialog title="Keyboard shortcuts" close={close}>
      <div class="stack">
        {bySection(commands.filter(({ keys }) => keys !== undefined)).map(([section, inSection]) => (
          <section key={section} aria-label={section}>
            <h3>{section}</h3>
            <dl class="shortcuts">
              {inSection.map(({ id, title, keys = "" }) => (
                <div key={id}>
                  <dt>{title}</dt>
                  <dd>
                    <KeyHint keys={keys} />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
        <label class="check">
          <input
            type="checkbox"
            checked={isOn}
            onChange={(event) => setCharacterShortcuts(event.currentTarget.checked)}
          />
          Use shortcuts without Ctrl or ⌘
        </label>
      </div>
    </Dialog>
  );
}
