import { useState } from "preact/hooks";
import { Icon } from "./icon.tsx";

const SHOWN_MS = 1_600;

/** A button that copies a text and shows the outcome. */
export function CopyButton({ text, label = "Copy" }: { text: string | (() => string); label?: string }) {
  const [state, setState] = useState<"ready" | "copied" | "refused">("ready");
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(typeof text === "string" ? text : text());
      setState("copied");
    } catch {
      setState("refused");
    }
    setTimeout(() => setState("ready"), SHOWN_MS);
  };
  const words = { ready: label, copied: "Copied", refused: "Copy failed" }[state];
  return (
    <button type="button" class="button button-quiet" onClick={() => void copy()} aria-live="polite">
      <Icon name={state === "copied" ? "check" : "copy"} /> {words}
    </button>
  );
}
