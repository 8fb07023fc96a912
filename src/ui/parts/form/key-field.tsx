import { useId } from "preact/hooks";

/** The error for a text that is not an API key. */
export const NO_KEY = "An API key is fc- followed by 32 hexadecimal digits.";

interface KeyFieldProps {
  label: string;
  value: string;
  change: (value: string) => void;
  problem: string | undefined;
}

/** An input for an API key. The browser masks the key and does not store it. */
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
