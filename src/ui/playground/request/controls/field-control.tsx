import { useContext, useId } from "preact/hooks";
import { WithCode } from "../../../parts/document/with-code.tsx";
import { toWords } from "../../../parts/format.ts";
import { isValues, withValue } from "../body.ts";
import type { Values } from "../body.ts";
import type { FieldListProps } from "./control-props.ts";
import { ChoicesControl } from "./choices-control.tsx";
import type { Field } from "../fields.ts";
import { hintFor } from "./field-hints.ts";
import { pathBelow } from "../field-path.ts";
import { FormContext, PathContext } from "../form-state.ts";
import { JsonControl } from "./json-control.tsx";
import { LinesControl } from "./lines-control.tsx";
import { SchemaControl } from "../../schema/schema-control.tsx";
import { ScalarControl } from "./scalar-control.tsx";
import { StepsControl } from "./steps-control.tsx";

/** A field of any kind with its label and hint. */
export function FieldControl({
  field,
  value,
  change,
}: {
  field: Field;
  value: unknown;
  change: (value: unknown) => void;
}) {
  const id = useId();
  const hint = field.hint ?? hintFor(field.name);
  const path = pathBelow(useContext(PathContext), field.name);
  const isMissing = useContext(FormContext).missing.has(path);
  const describedBy = hint === undefined ? undefined : `${id}-hint`;
  const about = { id, describedBy, value, change, path, isMissing };
  if (field.kind === "group") {
    return (
      <PathContext.Provider value={path}>
        <GroupControl field={field} value={value} change={change} hint={hint} />
      </PathContext.Provider>
    );
  }
  if (field.kind === "choices" || field.kind === "steps") {
    return (
      <fieldset class="field" data-invalid={isMissing || undefined}>
        <legend>
          <Label field={field} />
        </legend>
        {hint !== undefined && <Hint id={id} text={hint} />}
        {field.kind === "choices" ? (
          <ChoicesControl {...about} Fields={FieldList} field={field} />
        ) : (
          <StepsControl {...about} Fields={FieldList} field={field} />
        )}
        {isMissing && <Missing />}
      </fieldset>
    );
  }
  return (
    <div class="field" data-invalid={isMissing || undefined}>
      <label for={id}>
        <Label field={field} />
      </label>
      {field.kind === "json" && field.name === "schema" ? (
        <SchemaControl {...about} field={field} />
      ) : field.kind === "json" ? (
        <JsonControl {...about} field={field} />
      ) : field.kind === "lines" ? (
        <LinesControl {...about} field={field} />
      ) : (
        <ScalarControl {...about} field={field} />
      )}
      {isMissing && <Missing />}
      {hint !== undefined && <Hint id={id} text={hint} />}
    </div>
  );
}

function Missing() {
  return <p class="problem">Required</p>;
}

/** The field's name as words, and its API name if the two differ. */
function Label({ field: { name, isRequired } }: { field: Field }) {
  const words = toWords(name);
  const isSame = words.replaceAll(/\s/g, "").toLowerCase() === name.toLowerCase() && name.toLowerCase() === name;
  return (
    <>
      {words}
      {isRequired && (
        <span class="required" title="Required">
          {" "}
          required
        </span>
      )}
      {!isSame && <code class="api-name">{name}</code>}
    </>
  );
}

function Hint({ id, text }: { id: string; text: string }) {
  return (
    <p class="hint" id={`${id}-hint`}>
      <WithCode text={text} />
    </p>
  );
}

function GroupControl({
  field,
  value,
  change,
  hint,
}: {
  field: Extract<Field, { kind: "group" }>;
  value: unknown;
  change: (value: unknown) => void;
  hint: string | undefined;
}) {
  const values: Values = isValues(value) ? value : {};
  const filled = Object.keys(values).length;
  return (
    <details class="group">
      <summary>
        <Label field={field} />
        {filled > 0 && <span class="count">{filled}</span>}
      </summary>
      {hint !== undefined && (
        <p class="hint">
          <WithCode text={hint} />
        </p>
      )}
      <FieldList fields={field.fields} values={values} change={change} />
    </details>
  );
}

/** A list of fields that edits one object. */
export function FieldList(about: FieldListProps) {
  const { fields, values, change } = about;
  return (
    <div class="fields">
      {fields.map((field) => (
        <FieldControl
          key={field.name}
          field={field}
          value={values[field.name]}
          change={(value) => change(withValue(values, field.name, value))}
        />
      ))}
    </div>
  );
}
