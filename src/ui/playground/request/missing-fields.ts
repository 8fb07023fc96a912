import { toWords } from "../../parts/format.ts";
import { isValues } from "./body.ts";
import type { Values } from "./body.ts";
import type { Field } from "./fields.ts";
import { pathBelow } from "./field-path.ts";

export interface MissingField {
  /** Path of the control in its form, such as `formats.attributes.selectors`. */
  path: string;
  /** The same in words: "Formats › Attributes › Selectors". */
  label: string;
}

/** Returns the required fields that are empty, also those of chosen formats, steps and filled groups. */
export function missingFields(fields: readonly Field[], values: Values, parent: MissingField = ROOT): MissingField[] {
  return fields.flatMap((field) => {
    const at = below(parent, field.name, toWords(field.name));
    const value = values[field.name];
    if (value === undefined || value === "") return field.isRequired ? [at] : [];
    return insideOf(field, value, at);
  });
}

const ROOT: MissingField = { path: "", label: "" };

function insideOf(field: Field, value: unknown, at: MissingField): MissingField[] {
  if (field.kind === "group") return isValues(value) ? missingFields(field.fields, value, at) : [];
  if (field.kind !== "choices" && field.kind !== "steps") return [];
  return (Array.isArray(value) ? value : []).flatMap((item: unknown, index) => {
    if (!isValues(item)) return [];
    const name = String(item["type"]);
    const inner =
      field.kind === "choices" ? below(at, name, toWords(name)) : below(at, index, `${index + 1}. ${toWords(name)}`);
    return missingFields(field.variants[name] ?? [], item, inner);
  });
}

function below(parent: MissingField, step: string | number, words: string): MissingField {
  return { path: pathBelow(parent.path, step), label: parent.label === "" ? words : `${parent.label} › ${words}` };
}
