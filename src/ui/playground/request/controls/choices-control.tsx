import { useState } from "preact/hooks";
import { WithCode } from "../../../parts/document/with-code.tsx";
import { toWords } from "../../../parts/format.ts";
import { isValues } from "../body.ts";
import type { NestingProps } from "./control-props.ts";
import { pathBelow } from "../field-path.ts";
import { PathContext } from "../form-state.ts";

/** Number of choices to show before "more" is pressed. */
const SHOWN = 8;

type Choice = string | Record<string, unknown>;

/** Multiple choice. A selected choice shows its options. */
export function ChoicesControl({ field, value, change, describedBy, path, Fields }: NestingProps<"choices">) {
  const chosen = (Array.isArray(value) ? value : []) as Choice[];
  const isChosen = (name: string): boolean => chosen.some((choice) => nameOf(choice) === name);
  const toggle = (name: string): void => {
    if (isChosen(name)) change(chosen.filter((choice) => nameOf(choice) !== name));
    else change([...chosen, startOf(field, name)]);
  };
  const [isWhole, setWhole] = useState(field.options.length <= SHOWN + 2);
  const shown = field.options.filter((name, index) => isWhole || index < SHOWN || isChosen(name));
  const withOptions = chosen.filter((choice) => (field.variants[nameOf(choice)] ?? []).length > 0);
  return (
    <>
      <div class="chips" aria-describedby={describedBy}>
        {shown.map((name) => (
          <button
            key={name}
            type="button"
            class="chip"
            title={field.about[name]?.replaceAll("`", "")}
            aria-pressed={isChosen(name)}
            onClick={() => toggle(name)}
          >
            {toWords(name)}
          </button>
        ))}
        {!isWhole && (
          <button type="button" class="chip chip-more" aria-expanded={false} onClick={() => setWhole(true)}>
            {field.options.length - shown.length} more
          </button>
        )}
      </div>
      {withOptions.map((choice) => {
        const name = nameOf(choice);
        const { type: _, ...values } = isValues(choice) ? choice : {};
        const replace = (next: Record<string, unknown>): void => {
          const isPlain = Object.keys(next).length === 0 && field.plain.includes(name);
          const replacement: Choice = isPlain ? name : { type: name, ...next };
          change(chosen.map((other) => (nameOf(other) === name ? replacement : other)));
        };
        return (
          <details key={name} class="group" open={!field.plain.includes(name) || takesSchema(field, name)}>
            <summary>{toWords(name)} options</summary>
            {field.about[name] !== undefined && (
              <p class="hint">
                <WithCode text={field.about[name]} />
              </p>
            )}
            <PathContext.Provider value={pathBelow(path, name)}>
              <Fields fields={field.variants[name] ?? []} values={values} change={replace} />
            </PathContext.Provider>
          </details>
        );
      })}
    </>
  );
}

/** Returns a choice as it is added: with evidence where there can be, because the dashboard shows it. */
function startOf({ plain, variants }: NestingProps<"choices">["field"], name: string): Choice {
  if (variants[name]?.some((option) => option.name === "evidence") === true) return { type: name, evidence: true };
  return plain.includes(name) ? name : { type: name };
}

/** True for formats that are of little use without a schema. */
function takesSchema({ variants }: NestingProps<"choices">["field"], name: string): boolean {
  return variants[name]?.some((option) => option.name === "schema") === true;
}

function nameOf(choice: Choice): string {
  return typeof choice === "string" ? choice : String(choice["type"] ?? "");
}
