import { useId } from "preact/hooks";

/** What is wrong with a text that is no key. */
export const NO_KEY = "A key is fc- followed by 32 hexadecimal digits.";

interface KeyFieldProps {
  label: string;
  value: string;
  change: (value: string) => void;
  problem: string | undefined;
}

/** Where a key is typed or pasted; it is not shown, and not kept by the browser. */
export function KeyField({ label, value, change, problem }: KeyFieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="password"
        autocomplete="off"
        spellcheck={false}
        placeholder="fc-…"
        value={value}
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-problem`}
        onInput={(event) => change(event.currentTarget.value)}
      />
      <p class="problem" id={`${id}-problem`} role="alert">
        {problem}
      </p>
    </div>
  );
}
