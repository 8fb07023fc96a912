import { useContext, useEffect, useState } from "preact/hooks";
import { isEmpty } from "../body.ts";
import type { ControlProps } from "./control-props.ts";
import { FormContext } from "../form-state.ts";

interface Typed {
  text: string;
  /** The value that the text stands for; if the text is invalid, the value before it. */
  value: unknown;
  problem: string | undefined;
}

/** An input for any value as JSON. A form with invalid JSON is not sent. */
export function JsonControl({ value, change, id, describedBy, path, isMissing }: ControlProps<"json">) {
  const [typed, setTyped] = useState<Typed>(() => typedOf(value));
  const { report } = useContext(FormContext);
  // A value from elsewhere, such as the history, replaces the text.
  const { text, problem } = isSame(typed.value, value) ? typed : typedOf(value);
  useEffect(() => {
    report(path, problem);
    return () => report(path, undefined);
  }, [path, problem]);
  const type = (next: string): void => {
    const read = readJson(next);
    if ("problem" in read) return setTyped({ text: next, value, problem: read.problem });
    setTyped({ text: next, value: read.value, problem: undefined });
    change(read.value);
  };
  return (
    <>
      <textarea
        id={id}
        class="mono"
        aria-describedby={`${describedBy ?? ""} ${id}-problem`.trim()}
        aria-invalid={problem !== undefined || isMissing}
        rows={4}
        placeholder="{ }"
        spellcheck={false}
        value={text}
        onInput={(event) => type(event.currentTarget.value)}
      />
      <p class="problem" id={`${id}-problem`} role="alert">
        {problem}
      </p>
    </>
  );
}

/** Parses JSON; an empty text has no value. */
export function readJson(text: string): { value: unknown } | { problem: string } {
  if (text.trim() === "") return { value: undefined };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return { problem: `Invalid JSON: ${(error as Error).message}` };
  }
}

function typedOf(value: unknown): Typed {
  return { text: value === undefined ? "" : JSON.stringify(value, undefined, 2), value, problem: undefined };
}

/** Empty values are left out of the request, so they are the same as none. */
function isSame(one: unknown, other: unknown): boolean {
  return one === other || (isEmpty(one) && isEmpty(other));
}
