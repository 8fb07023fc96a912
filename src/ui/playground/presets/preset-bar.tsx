import { useState } from "preact/hooks";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { useStore } from "../../parts/store.ts";
import { requestLink } from "../request/request-link.ts";
import type { Values } from "../request/body.ts";
import type { PlaygroundRequest } from "../request/request.ts";
import { applyPreset, BUILT_IN } from "./presets.ts";
import type { Preset } from "./presets.ts";
import { deletePreset, savedPresets, savePreset } from "./saved-presets.ts";

interface BarProps {
  request: PlaygroundRequest;
  change: (request: PlaygroundRequest) => void;
}

/** Presets of the operation, and the link that opens the request elsewhere. */
export function PresetBar({ request, change }: BarProps) {
  const [isOpen, setOpen] = useState(false);
  const all = useStore(savedPresets);
  const saved = all.filter(({ operation }) => operation === request.operation);
  const builtIn = BUILT_IN.filter(({ operation }) => operation === request.operation);
  const presets = [...builtIn, ...saved];
  const [applied, setApplied] = useState(-1);
  // The list shows the preset that the form has, so that the arrow keys go on from it.
  const isInForm = (index: number): boolean => {
    const preset = presets[index];
    return preset !== undefined && isSame(applyPreset(preset, request.body), request.body);
  };
  const shown = isInForm(applied) ? applied : presets.findIndex((_, index) => isInForm(index));
  const link = (): string => `${location.origin}/${requestLink(request)}`;
  const apply = (index: number): void => {
    const preset = presets[index];
    if (preset === undefined) return;
    setApplied(index);
    change({ ...request, body: applyPreset(preset, request.body) });
  };
  return (
    <div class="preset-bar">
      <select
        aria-label="Preset"
        value={shown === -1 ? "" : shown}
        onChange={(event) => {
          const { value } = event.currentTarget;
          if (value !== "") apply(Number(value));
        }}
      >
        <option value="">Preset…</option>
        <Options label="Built in" presets={builtIn} first={0} />
        <Options label="Saved" presets={saved} first={builtIn.length} />
      </select>
      <button type="button" class="button button-quiet" onClick={() => setOpen(true)}>
        Save preset
      </button>
      <CopyButton text={link} label="Copy link" />
      {isOpen && <SaveDialog request={request} saved={saved} close={() => setOpen(false)} />}
    </div>
  );
}

/** Compares two bodies of requests, whose options may be in any order. */
function isSame(one: Values, other: Values): boolean {
  const text = (body: Values): string =>
    JSON.stringify(Object.entries(body).toSorted(([name], [next]) => (name < next ? -1 : 1)));
  return text(one) === text(other);
}

function Options({ label, presets, first }: { label: string; presets: readonly Preset[]; first: number }) {
  if (presets.length === 0) return null;
  return (
    <optgroup label={label}>
      {presets.map(({ name }, at) => (
        <option key={name} value={first + at}>
          {name}
        </option>
      ))}
    </optgroup>
  );
}

function SaveDialog(about: { request: PlaygroundRequest; saved: readonly Preset[]; close: () => void }) {
  const { request, saved, close } = about;
  const [name, setName] = useState("");
  const save = (): void => {
    if (name.trim() === "") return;
    const body = Object.fromEntries(Object.entries(request.body).filter(([, value]) => !(value instanceof Blob)));
    savePreset({ name: name.trim(), operation: request.operation, body });
    close();
  };
  return (
    <Dialog title="Save preset" close={close}>
      <p class="hint">A preset has all options of the request, and stays in this browser.</p>
      <div class="field">
        <label for="preset-name">Name</label>
        <input
          id="preset-name"
          type="text"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            save();
          }}
        />
      </div>
      <div>
        <button type="button" class="button button-main" onClick={save}>
          Save
        </button>
      </div>
      {saved.length > 0 && (
        <ul class="records">
          {saved.map((preset) => (
            <li key={preset.name} class="record">
              <span class="record-name">{preset.name}</span>
              <button
                type="button"
                class="button button-quiet button-danger"
                aria-label={`Delete ${preset.name}`}
                onClick={() => deletePreset(preset)}
              >
                Delete
              </button>
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}
