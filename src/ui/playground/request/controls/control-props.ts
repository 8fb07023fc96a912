import type { ComponentType } from "preact";
import type { Values } from "../body.ts";
import type { Field } from "../fields.ts";

/** Properties of a list of fields that edits one object. */
export interface FieldListProps {
  fields: readonly Field[];
  values: Values;
  change: (values: Values) => void;
}

/** Properties of the control of one field. */
export interface ControlProps<Kind extends Field["kind"]> {
  field: Extract<Field, { kind: Kind }>;
  value: unknown;
  change: (value: unknown) => void;
  /** Id for the label's `for`. */
  id: string;
  describedBy: string | undefined;
  /** Path of the field in its form. */
  path: string;
  /** True if the field is required and empty after an attempt to run. */
  isMissing: boolean;
}

/** Properties of a control with nested fields. `Fields` renders them. */
export interface NestingProps<Kind extends Field["kind"]> extends ControlProps<Kind> {
  Fields: ComponentType<FieldListProps>;
}
