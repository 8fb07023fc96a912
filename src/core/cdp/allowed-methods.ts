import { DOCUMENT_METHODS } from "./document-methods.ts";
import { NETWORK_METHODS } from "./network-methods.ts";
import { PAGE_METHODS } from "./page-methods.ts";
import { plainSchema, type PlainMethods } from "./plain-methods.ts";
import { RESTRICTED_METHODS, type MethodSchema } from "./restricted-methods.ts";
import { SCRIPT_METHODS } from "./script-methods.ts";
import { TARGET_METHODS } from "./target-methods.ts";

/** Allowed methods with the parameters of the protocol, which are checked by name and type only. */
export const PLAIN_METHODS: PlainMethods = {
  ...DOCUMENT_METHODS,
  ...NETWORK_METHODS,
  ...PAGE_METHODS,
  ...SCRIPT_METHODS,
  ...TARGET_METHODS,
};

/** Every method of the Chrome DevTools Protocol that a driver may use. */
export const ALLOWED_METHODS: readonly string[] = [...Object.keys(PLAIN_METHODS), ...Object.keys(RESTRICTED_METHODS)];

/** Schemas of restricted methods, and of the plain ones that were used: building all would delay the start. */
const schemas = new Map<string, MethodSchema>(Object.entries(RESTRICTED_METHODS));

/** Returns the schema of a method's parameters; undefined for a method that is refused. */
export function schemaOf(method: string): MethodSchema | undefined {
  const known = schemas.get(method);
  if (known !== undefined || !Object.hasOwn(PLAIN_METHODS, method)) return known;
  const schema = plainSchema(PLAIN_METHODS[method] ?? {});
  schemas.set(method, schema);
  return schema;
}
