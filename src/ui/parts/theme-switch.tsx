import { Icon } from "./icon.tsx";
import { chooseTheme, theme } from "./theme.ts";
import type { Theme } from "./theme.ts";
import { useStore } from "./store.ts";

const NEXT: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };
const WORDS: Record<Theme, string> = { system: "as the system", light: "light", dark: "dark" };
const ICONS = { system: "system", light: "sun", dark: "moon" } as const;

/** Turns from the system's colours to light, to dark, and back. */
export function ThemeSwitch() {
  const chosen = useStore(theme);
  const label = `Colours: ${WORDS[chosen]}. Change to ${WORDS[NEXT[chosen]]}`;
  return (
    <button
      type="button"
      class="button button-icon"
      title={label}
      aria-label={label}
      onClick={() => chooseTheme(NEXT[chosen])}
    >
      <Icon name={ICONS[chosen]} />
    </button>
  );
}
