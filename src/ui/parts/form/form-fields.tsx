import type { ComponentChildren } from "preact";

interface FieldProps {
  id: string;
  label: string;
  hint?: ComponentChildren;
  problem?: string | undefined;
}

/** The types of inputs, one by one as the types of elements require it. */
const TYPES = {
  text: { type: "text" },
  url: { type: "url" },
  number: { type: "number" },
  password: { type: "password" },
} as const;

interface TextProps extends FieldProps {
  value: string;
  change: (value: string) => void;
  type?: keyof typeof TYPES;
  placeholder?: string;
  isRequired?: boolean;
  maxLength?: number;
}

/** A labelled input with a hint and a message. */
export function TextField(about: TextProps) {
  const { id, label, hint, problem, value, change, type = "text", placeholder, isRequired, maxLength } = about;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        {...TYPES[type]}
        required={isRequired}
        maxLength={maxLength}
        value={value}
        spellcheck={false}
        autocomplete="off"
        placeholder={placeholder}
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-hint ${id}-problem`}
        onInput={(event) => change(event.currentTarget.value)}
      />
      <Notes id={id} hint={hint} problem={problem} />
    </div>
  );
}

/** A labelled list of values, one on a line. */
export function LinesField({ id, label, hint, problem, value, change, placeholder }: Omit<TextProps, "type">) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        class="mono"
        rows={Math.min(8, Math.max(2, value.split("\n").length))}
        value={value}
        spellcheck={false}
        placeholder={placeholder}
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-hint ${id}-problem`}
        onInput={(event) => change(event.currentTarget.value)}
      />
      <Notes id={id} hint={hint} problem={problem} />
    </div>
  );
}

interface ChoiceProps extends FieldProps {
  value: string;
  choices: readonly (readonly [value: string, label: string])[];
  change: (value: string) => void;
}

export function ChoiceField({ id, label, hint, value, choices, change }: ChoiceProps) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
        aria-describedby={`${id}-hint`}
        onChange={(event) => change(event.currentTarget.value)}
      >
        {choices.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
      <Notes id={id} hint={hint} problem={undefined} />
    </div>
  );
}

export function CheckField(about: { label: string; isChecked: boolean; change: (isChecked: boolean) => void }) {
  const { label, isChecked, change } = about;
  return (
    <label class="check">
      <input type="checkbox" checked={isChecked} onChange={(event) => change(event.currentTarget.checked)} />
      {label}
    </label>
  );
}

function Notes({ id, hint, problem }: { id: string; hint: ComponentChildren; problem: string | undefined }) {
  return (
    <>
      <p class="hint" id={`${id}-hint`} hidden={hint === undefined}>
        {hint}
      </p>
      <p class="problem" id={`${id}-problem`} role="alert">
        {problem}
      </p>
    </>
  );
}
