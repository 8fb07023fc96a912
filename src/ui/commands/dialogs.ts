export { CommandPalette } from "./command-palette.tsx";
export { ShortcutList } from "./shortcut-list.tsx";
