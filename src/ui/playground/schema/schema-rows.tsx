import { Icon } from "../../parts/icon.tsx";
import { FIELD_TYPES } from "./schema-fields.ts";
import type { FieldType, SchemaField } from "./schema-fields.ts";

interface RowsProps {
  fields: readonly SchemaField[];
  change: (fields: SchemaField[]) => void;
  /** Name of the object that the fields are in, for labels. */
  of?: string;
}

const EMPTY: SchemaField = { name: "", type: "string", description: "", isRequired: false, fields: [] };

/** The fields of a schema as rows of a form. */
export function SchemaRows({ fields, change, of = "" }: RowsProps) {
  const replace = (at: number, next: Partial<SchemaField>): void =>
    change(fields.map((field, index) => (index === at ? { ...field, ...next } : field)));
  return (
    <div class="schema-rows">
      {fields.map((field, at) => {
        const label = `${of}field ${at + 1}`;
        return (
          <div key={at} class="schema-row" role="group" aria-label={label}>
            <input
              type="text"
              aria-label={`Name of ${label}`}
              placeholder="name"
              spellcheck={false}
              value={field.name}
              onInput={(event) => replace(at, { name: event.currentTarget.value.trim() })}
            />
            <select
              aria-label={`Type of ${label}`}
              value={field.type}
              onChange={(event) => replace(at, { type: event.currentTarget.value as FieldType })}
            >
              {Object.entries(FIELD_TYPES).map(([type, words]) => (
                <option key={type} value={type}>
                  {words}
                </option>
              ))}
            </select>
            <button
              type="button"
              class="button button-icon"
              aria-label={`Remove ${field.name === "" ? label : field.name}`}
              onClick={() => change(fields.filter((_, index) => index !== at))}
            >
              <Icon name="close" />
            </button>
            <input
              class="schema-about"
              type="text"
              aria-label={`Description of ${label}`}
              placeholder="Description (optional)"
              value={field.description}
              onInput={(event) => replace(at, { description: event.currentTarget.value })}
            />
            <label class="check">
              <input
                type="checkbox"
                checked={field.isRequired}
                onChange={(event) => replace(at, { isRequired: event.currentTarget.checked })}
              />
              Required
            </label>
            {(field.type === "object" || field.type === "objects") && (
              <div class="schema-inner">
                <SchemaRows
                  fields={field.fields}
                  change={(inner) => replace(at, { fields: inner })}
                  of={`${field.name === "" ? label : field.name}, `}
                />
              </div>
            )}
          </div>
        );
      })}
      <div>
        <button type="button" class="button button-quiet" onClick={() => change([...fields, EMPTY])}>
          <Icon name="plus" /> Add field
        </button>
      </div>
    </div>
  );
}
