import type { ComponentType } from "preact";
import type { Values } from "./body.ts";
import type { Field } from "./fields.ts";

/** Fields below each other, changing one object. */
export interface FieldListProps {
  fields: readonly Field[];
  values: Values;
  change: (values: Values) => void;
}

/** What the control of one field is given. */
export interface ControlProps<Kind extends Field["kind"]> {
  field: Extract<Field, { kind: Kind }>;
  value: unknown;
  change: (value: unknown) => void;
  /** Id for the label's `for`. */
  id: string;
  describedBy: string | undefined;
}

/** The same for a control that has fields inside, which it is given the list for. */
export interface NestingProps<Kind extends Field["kind"]> extends ControlProps<Kind> {
  Fields: ComponentType<FieldListProps>;
}
