import { Icon } from "../../../parts/icon.tsx";
import { toWords } from "../../../parts/format.ts";
import type { Values } from "../body.ts";
import type { NestingProps } from "./control-props.ts";
import { pathBelow } from "../field-path.ts";
import { PathContext } from "../form-state.ts";

/** An ordered list of steps, such as browser actions. */
export function StepsControl({ field, value, change, id, describedBy, path, Fields }: NestingProps<"steps">) {
  const steps = (Array.isArray(value) ? value : []) as Values[];
  const replace = (at: number, next: Values): void => change(steps.map((step, index) => (index === at ? next : step)));
  return (
    <>
      <ol class="steps">
        {steps.map((step, at) => {
          const { type, ...values } = step;
          const name = String(type);
          return (
            <li key={`${at}-${name}`} class="step">
              <div class="step-head">
                <strong>
                  {at + 1}. {toWords(name)}
                </strong>
                <button
                  type="button"
                  class="button button-icon"
                  aria-label={`Remove step ${at + 1}, ${toWords(name)}`}
                  onClick={() => change(steps.filter((_, index) => index !== at))}
                >
                  <Icon name="close" />
                </button>
              </div>
              <PathContext.Provider value={pathBelow(path, at)}>
                <Fields
                  fields={field.variants[name] ?? []}
                  values={values}
                  change={(next) => replace(at, { type: name, ...next })}
                />
              </PathContext.Provider>
            </li>
          );
        })}
      </ol>
      <select
        id={id}
        aria-label={`Add a step to ${toWords(field.name)}`}
        aria-describedby={describedBy}
        value=""
        onChange={(event) => {
          const type = event.currentTarget.value;
          event.currentTarget.value = "";
          if (type !== "") change([...steps, { type }]);
        }}
      >
        <option value="">Add a step…</option>
        {Object.keys(field.variants).map((name) => (
          <option key={name} value={name}>
            {toWords(name)}
          </option>
        ))}
      </select>
    </>
  );
}
