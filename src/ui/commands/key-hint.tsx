import { keyLabels } from "./shortcut-reader.ts";

const IS_APPLE = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** The keys of a shortcut. */
export function KeyHint({ keys }: { keys: string }) {
  return (
    <span class="key-hint">
      {keyLabels(keys, IS_APPLE).map((label, at) => (
        <kbd key={at}>{label}</kbd>
      ))}
    </span>
  );
}
