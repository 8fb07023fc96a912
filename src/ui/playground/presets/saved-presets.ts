import { readStored, writeStored } from "../../parts/browser-storage.ts";
import { createStore } from "../../parts/store.ts";
import type { Preset } from "./presets.ts";

const NAME = "presets";
const MAX_KEPT = 100;

/** Presets that were saved in this browser. */
export const savedPresets = createStore<Preset[]>(readStored<Preset[]>(NAME, []));

/** Saves a preset. One of the same name and operation is replaced. */
export function savePreset(preset: Preset): void {
  const others = savedPresets.get().filter((one) => one.name !== preset.name || one.operation !== preset.operation);
  store([...others, preset].slice(-MAX_KEPT));
}

export function deletePreset({ name, operation }: Preset): void {
  store(savedPresets.get().filter((one) => one.name !== name || one.operation !== operation));
}

function store(presets: Preset[]): void {
  writeStored(NAME, presets);
  savedPresets.set(presets);
}
