import { useState } from "preact/hooks";
import type { ControlProps } from "./control-props.ts";

/** An input for any value as JSON. */
export function JsonControl({ value, change, id, describedBy }: ControlProps<"json">) {
  const [typed, setTyped] = useState(() => (value === undefined ? "" : JSON.stringify(value, undefined, 2)));
  const [problem, setProblem] = useState<string>();
  const type = (text: string): void => {
    setTyped(text);
    if (text.trim() === "") {
      setProblem(undefined);
      change(undefined);
      return;
    }
    try {
      change(JSON.parse(text));
      setProblem(undefined);
    } catch (error) {
      setProblem(`Invalid JSON: ${(error as Error).message}`);
    }
  };
  return (
    <>
      <textarea
        id={id}
        class="mono"
        aria-describedby={`${describedBy ?? ""} ${id}-problem`.trim()}
        aria-invalid={problem !== undefined}
        rows={4}
        placeholder="{ }"
        spellcheck={false}
        value={typed}
        onInput={(event) => type(event.currentTarget.value)}
      />
      <p class="problem" id={`${id}-problem`} role="alert">
        {problem}
      </p>
    </>
  );
}
