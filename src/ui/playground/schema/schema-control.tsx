import { useState } from "preact/hooks";
import { JsonEditor } from "../../parts/editor/json-editor.tsx";
import type { ControlProps } from "../request/controls/control-props.ts";
import { JsonControl, readJson } from "../request/controls/json-control.tsx";
import { isValues } from "../request/body.ts";
import { FromPage } from "./from-page.tsx";
import { SchemaPreview } from "./schema-preview.tsx";
import { fieldsOfExample, fromFields, toFields } from "./schema-fields.ts";
import type { SchemaField } from "./schema-fields.ts";
import { SchemaRows } from "./schema-rows.tsx";

const WAYS = ["Fields", "From an example", "From a page", "JSON", "Preview"] as const;
type Way = (typeof WAYS)[number];

/** A JSON Schema: by fields, from an example, from a page, or as JSON, with a preview on a page. */
export function SchemaControl(about: ControlProps<"json">) {
  const { value, change } = about;
  const fields = value === undefined ? [] : toFields(value);
  const [way, setWay] = useState<Way>(fields === undefined ? "JSON" : "Fields");
  /** Rows as entered: those without a name are not in the schema yet. */
  const [rows, setRows] = useState<SchemaField[]>(fields ?? []);
  const isSame = JSON.stringify(fromFields(rows)) === JSON.stringify(value ?? fromFields([]));
  const shown = isSame ? rows : (fields ?? []);
  const edit = (next: SchemaField[]): void => {
    setRows(next);
    change(next.some(({ name }) => name !== "") ? fromFields(next) : undefined);
  };
  const take = (example: unknown): void => {
    edit(fieldsOfExample(example));
    setWay("Fields");
  };
  return (
    <div class="schema">
      <div class="chips" role="group" aria-label="Schema editor">
        {WAYS.map((name) => (
          <button key={name} type="button" class="chip" aria-pressed={name === way} onClick={() => setWay(name)}>
            {name}
          </button>
        ))}
      </div>
      {way === "Fields" &&
        (fields === undefined ? (
          <p class="hint">The form cannot show all of this schema. Edit it as JSON.</p>
        ) : (
          <SchemaRows fields={shown} change={edit} />
        ))}
      {way === "From an example" && <FromExample take={take} />}
      {way === "From a page" && <FromPage take={take} />}
      {way === "JSON" && <JsonControl {...about} />}
      {way === "Preview" && <SchemaPreview schema={isValues(value) ? value : undefined} />}
    </div>
  );
}

const ANYTHING = {};

function FromExample({ take }: { take: (example: unknown) => void }) {
  const [text, setText] = useState('{\n  "name": "Storm lantern",\n  "price": 48\n}');
  const read = readJson(text);
  const problem = "problem" in read ? read.problem : undefined;
  return (
    <>
      <JsonEditor text={text} label="Example" schema={ANYTHING} isInvalid={problem !== undefined} change={setText} />
      <p class="problem">{problem}</p>
      <div>
        <button
          type="button"
          class="button"
          disabled={problem !== undefined}
          onClick={() => "value" in read && take(read.value)}
        >
          Use as schema
        </button>
      </div>
    </>
  );
}
