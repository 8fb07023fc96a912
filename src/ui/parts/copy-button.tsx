import { useState } from "preact/hooks";
import { Icon } from "./icon.tsx";

const SHOWN_MS = 1_600;

/** Copies a text. Browsers have no `navigator.clipboard` over plain HTTP, except on localhost. @throws when refused */
export async function copyText(text: string): Promise<void> {
  if ("clipboard" in navigator) return await navigator.clipboard.writeText(text);
  const field = document.createElement("textarea");
  const { activeElement } = document;
  field.value = text;
  field.readOnly = true;
  field.className = "visually-hidden";
  // Elements outside of an open dialog cannot be selected.
  (activeElement?.closest("dialog") ?? document.body).append(field);
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  if (activeElement instanceof HTMLElement) activeElement.focus();
  if (!isCopied) throw new Error("The browser refused the copy");
}

/** A button that copies a text and shows the outcome. */
export function CopyButton({ text, label = "Copy" }: { text: string | (() => string); label?: string }) {
  const [state, setState] = useState<"ready" | "copied" | "refused">("ready");
  const copy = async (): Promise<void> => {
    try {
      await copyText(typeof text === "string" ? text : text());
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
