import { useEffect, useState } from "preact/hooks";
import { useStore } from "./store.ts";
import { theme } from "./theme.ts";

/** Returns the current colour scheme. Charts are drawn again when it changes. */
export function useColourScheme(): "light" | "dark" {
  const chosen = useStore(theme);
  const [isDark, setDark] = useState(() => matchMedia("(prefers-color-scheme: dark)").matches);
  useEffect(() => {
    const query = matchMedia("(prefers-color-scheme: dark)");
    const follow = (): void => setDark(query.matches);
    query.addEventListener("change", follow);
    return () => query.removeEventListener("change", follow);
  }, []);
  if (chosen !== "system") return chosen;
  return isDark ? "dark" : "light";
}
