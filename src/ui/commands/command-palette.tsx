import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../parts/icon.tsx";
import { useStore } from "../parts/store.ts";
import { registry } from "./commands.ts";
import type { Command } from "./commands.ts";
import { bySection, findCommands } from "./find-commands.ts";
import { KeyHint } from "./key-hint.tsx";

const MAX_SHOWN = 50;
const isGuide = ({ section }: Command): boolean => section === "Guides";

/** The command palette: a combobox with a list of commands (WAI-ARIA Authoring Practices, "Combobox"). */
export function CommandPalette({ close }: { close: () => void }) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const { commands, finders } = useStore(registry);
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  // Before the next key press, which belongs to the field.
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const text = query.trim();
  const extra = text === "" ? [] : finders.flatMap((finder) => finder(text));
  // A URL's own commands come first, guides last.
  const [guides, own] = [extra.filter(isGuide), extra.filter((command) => !isGuide(command))];
  const sections = bySection([...own, ...findCommands(text, commands), ...guides].slice(0, MAX_SHOWN));
  const found = sections.flatMap(([, inSection]) => inSection);
  const chosen = found[Math.min(at, found.length - 1)];
  const optionId = (command: Command): string => `${id}-${found.indexOf(command)}`;
  useEffect(() => {
    dialog.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [chosen?.id]);

  const run = (command: Command | undefined): void => {
    if (command === undefined) return;
    close();
    command.run();
  };
  const move = (event: KeyboardEvent): void => {
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: found.length - 1 }[event.key];
    if (event.key === "Enter") {
      event.preventDefault();
      run(chosen);
    } else if (next !== undefined && found.length > 0) {
      event.preventDefault();
      setAt((next + found.length) % found.length);
    }
  };
  return (
    <dialog
      ref={dialog}
      class="dialog palette"
      aria-label="Command palette"
      onClose={close}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <div class="palette-field">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-label="Search commands, or enter a URL"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          {...(chosen === undefined ? {} : { "aria-activedescendant": optionId(chosen) })}
          placeholder="Search commands, or enter a URL"
          autocomplete="off"
          spellcheck={false}
          value={query}
          onInput={(event) => {
            setQuery(event.currentTarget.value);
            setAt(0);
          }}
          onKeyDown={move}
        />
      </div>
      <div role="listbox" id={`${id}-list`} aria-label="Commands" class="palette-list" tabIndex={-1}>
        {sections.map(([section, inSection], number) => (
          <div key={section} role="group" aria-labelledby={`${id}-section-${number}`}>
            <p class="palette-section" id={`${id}-section-${number}`} role="presentation">
              {section}
            </p>
            {inSection.map((command) => (
              <div
                key={command.id}
                id={optionId(command)}
                role="option"
                aria-selected={command === chosen}
                class="palette-option"
                onMouseMove={() => setAt(found.indexOf(command))}
                onClick={() => run(command)}
              >
                <Icon name={command.icon ?? "right"} /> <span>{command.title}</span>
                {command.keys !== undefined && <KeyHint keys={command.keys} />}
              </div>
            ))}
          </div>
        ))}
      </div>
      {found.length === 0 && (
        <p class="palette-none" role="status">
          No command matches “{text}”.
        </p>
      )}
    </dialog>
  );
}
