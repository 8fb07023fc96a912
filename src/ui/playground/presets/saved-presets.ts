import { createStoredList } from "../../parts/stored-list.ts";
import type { Preset } from "./presets.ts";

const MAX_KEPT = 100;

/** Presets that were saved in this browser. */
export const savedPresets = createStoredList<Preset>("presets");

/** Saves a preset. One of the same name and operation is replaced. */
export function savePreset(preset: Preset): void {
  savedPresets.change((presets) => [...presets.filter((one) => !isSame(one, preset)), preset].slice(-MAX_KEPT));
}

export function deletePreset(preset: Preset): void {
  savedPresets.change((presets) => presets.filter((one) => !isSame(one, preset)));
}

function isSame(one: Preset, { name, operation }: Preset): boolean {
  return one.name === name && one.operation === operation;
}
