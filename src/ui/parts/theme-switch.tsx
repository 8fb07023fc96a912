import { Icon } from "./icon.tsx";
import { chooseTheme, theme } from "./theme.ts";
import type { Theme } from "./theme.ts";
import { useStore } from "./store.ts";

const NEXT: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };
const WORDS: Record<Theme, string> = { system: "system", light: "light", dark: "dark" };
const ICONS = { system: "system", light: "sun", dark: "moon" } as const;

/** Switches the theme from system to light, to dark, and back. */
export function ThemeSwitch() {
  const chosen = useStore(theme);
  const label = `Theme: ${WORDS[chosen]}. Switch to ${WORDS[NEXT[chosen]]}.`;
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
