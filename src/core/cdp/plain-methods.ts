import { z } from "zod";

/** Schemas by the types of the protocol's definition. The browser checks what is inside arrays and objects. */
const TYPES = {
  string: z.string(),
  number: z.number(),
  boolean: z.boolean(),
  array: z.array(z.unknown()),
  object: z.record(z.string(), z.unknown()),
};
const TYPE_NAMES = Object.keys(TYPES) as (keyof typeof TYPES)[];
const PARAMETER = /^(?<name>[A-Za-z]+)(?<optional>\?)?$/;

/** Parameters of a method: for each type their names, separated by spaces; `?` follows the name of an optional one. */
export type PlainParameters = { readonly [Type in keyof typeof TYPES]?: string };

/** Methods whose parameters are checked by name and type only, as the protocol defines them. */
export type PlainMethods = Record<string, PlainParameters>;

/**
 * Returns a schema that refuses every parameter but these.
 * @throws Error when a name is not one of a parameter
 */
export function plainSchema(parameters: PlainParameters): z.ZodObject<Record<string, z.ZodType>, z.core.$strict> {
  const shape: Record<string, z.ZodType> = {};
  for (const type of TYPE_NAMES) {
    for (const written of parameters[type]?.split(" ") ?? []) {
      const { name, optional } = PARAMETER.exec(written)?.groups ?? {};
      if (name === undefined || name in shape) throw new Error(`Not the name of a further parameter: "${written}"`);
      shape[name] = optional === undefined ? TYPES[type] : TYPES[type].optional();
    }
  }
  return z.strictObject(shape);
}
