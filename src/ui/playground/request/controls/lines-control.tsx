import { useState } from "preact/hooks";
import { toLines } from "../body.ts";
import type { ControlProps } from "./control-props.ts";

/** An input for a list of texts or numbers, one per line. */
export function LinesControl({ field, value, change, id, describedBy, isMissing }: ControlProps<"lines">) {
  const list = Array.isArray(value)
    ? value.map((item) => (typeof item === "object" ? JSON.stringify(item) : String(item)))
    : [];
  // Shows the text as typed, because a line break at the end is not an item yet.
  const [typed, setTyped] = useState(list.join("\n"));
  const shown = toLines(typed).join("\n") === list.join("\n") ? typed : list.join("\n");
  const type = (text: string): void => {
    setTyped(text);
    const lines = toLines(text);
    change(field.isNumbers ? lines.map(Number).filter((number) => !Number.isNaN(number)) : lines);
  };
  return (
    <textarea
      id={id}
      aria-describedby={describedBy}
      aria-invalid={isMissing}
      rows={Math.min(6, Math.max(2, shown.split("\n").length))}
      placeholder="One per line"
      spellcheck={false}
      autocapitalize="none"
      value={shown}
      onInput={(event) => type(event.currentTarget.value)}
    />
  );
}
