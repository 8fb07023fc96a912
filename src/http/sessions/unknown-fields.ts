import { z } from "@hono/zod-openapi";
import { warningField } from "../warning-field.ts";

/** Response field about fields of the request that have no effect. */
export const UnknownFieldsWarning = z
  .string()
  .optional()
  .openapi({ description: "Fields of the request that have no effect. Absent when there are none." });

/**
 * Returns the warning about fields of a body that its schema does not have. Bodies of browser sessions accept them,
 * since clients of other versions send them (api-contract.md, “Browser sessions”).
 *
 * @param others warnings about fields that the schema has.
 */
export function unknownFieldsWarning(
  { shape }: z.ZodObject,
  body: object,
  others: readonly string[] = [],
): { warning?: string } {
  const unknown = Object.keys(body).filter((name) => !(name in shape));
  return warningField([...unknown.map((name) => `${name}: it is unknown and has no effect.`), ...others]);
}
