import type { ControlProps } from "./control-props.ts";
import { useSuggestions } from "./suggestions.ts";

/** An input for a text, number, choice, boolean or file. */
export function ScalarControl({
  field,
  value,
  change,
  id,
  describedBy,
  isMissing,
}: ControlProps<"text" | "number" | "boolean" | "choice" | "file">) {
  const suggestions = useSuggestions(field);
  const about = { id, "aria-describedby": describedBy, "aria-invalid": isMissing, required: field.isRequired };
  if (field.kind === "boolean")
    return <YesOrNo about={about} fallback={field.fallback} value={value} change={change} />;
  if (field.kind === "choice") {
    return (
      <select {...about} value={asText(value)} onChange={(event) => change(event.currentTarget.value || undefined)}>
        <option value="">{field.fallback === undefined ? "Default" : `Default (${String(field.fallback)})`}</option>
        {field.options.map((option) => (
          <option key={option} value={option}>
            {option}
          </option>
        ))}
      </select>
    );
  }
  if (field.kind === "number") {
    return (
      <input
        {...about}
        type="number"
        inputMode={field.isWhole ? "numeric" : "decimal"}
        step={field.isWhole ? 1 : "any"}
        min={field.minimum}
        max={field.maximum}
        placeholder={field.fallback === undefined ? undefined : String(field.fallback)}
        value={asText(value)}
        onInput={(event) => change(event.currentTarget.value === "" ? undefined : event.currentTarget.valueAsNumber)}
      />
    );
  }
  if (field.kind === "file") {
    return <input {...about} type="file" onChange={(event) => change(event.currentTarget.files?.[0])} />;
  }
  const text = { value: asText(value), spellcheck: false, autocapitalize: "none" as const };
  if (field.isLong) {
    return <textarea {...about} {...text} rows={3} onInput={(event) => change(event.currentTarget.value)} />;
  }
  const type = field.isUrl ? ({ type: "url" } as const) : ({ type: "text" } as const);
  return (
    <>
      <input
        {...about}
        {...text}
        {...type}
        {...(suggestions.length === 0 ? {} : { list: `${id}-list` })}
        placeholder={field.example ?? (field.isUrl ? "https://example.com" : undefined)}
        onInput={(event) => change(event.currentTarget.value)}
      />
      {suggestions.length > 0 && (
        <datalist id={`${id}-list`}>
          {suggestions.map((suggestion) => (
            <option key={suggestion} value={suggestion} />
          ))}
        </datalist>
      )}
    </>
  );
}

/** A boolean input. Its empty choice omits the field, so that the service's default applies. */
function YesOrNo(given: {
  about: { id: string; "aria-describedby": string | undefined; "aria-invalid": boolean };
  fallback: boolean | undefined;
  value: unknown;
  change: (value: unknown) => void;
}) {
  const { about, fallback, value, change } = given;
  const choose = (text: string): void => change(text === "" ? undefined : text === "true");
  return (
    <select {...about} value={asText(value)} onChange={(event) => choose(event.currentTarget.value)}>
      <option value="">{fallback === undefined ? "Default" : `Default (${fallback ? "yes" : "no"})`}</option>
      <option value="true">Yes</option>
      <option value="false">No</option>
    </select>
  );
}

function asText(value: unknown): string {
  return value === undefined || value === null || typeof value === "object" ? "" : String(value);
}
