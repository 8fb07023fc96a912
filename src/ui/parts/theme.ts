import { createStore } from "./store.ts";
import { readStored, writeStored } from "./browser-storage.ts";

export type Theme = "system" | "light" | "dark";

export const theme = createStore<Theme>(readStored<Theme>("theme", "system"));

/** Applies the stored theme; `system` follows the operating system. */
export function applyTheme(): void {
  const chosen = theme.get();
  if (chosen === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = chosen;
}

export function chooseTheme(chosen: Theme): void {
  writeStored("theme", chosen === "system" ? undefined : chosen);
  theme.set(chosen);
  applyTheme();
}
