import type { SchemaReferences } from "./schema-references.ts";

type Node = Record<string, unknown>;

const LISTS_IN_PLACE = ["allOf", "anyOf", "oneOf"];
const IN_PLACE = ["not", "if", "then", "else"];
const MAPS_IN_PLACE = ["dependentSchemas", "dependencies"];

/** Returns the schemas that apply to the same value as a schema that holds them: by reference, in lists, conditionally. */
export function schemasInPlace(node: Node, references: SchemaReferences): unknown[] {
  const found: unknown[] = [];
  const { $ref } = node;
  if (typeof $ref === "string") found.push(references.resolve($ref));
  for (const name of LISTS_IN_PLACE) {
    const list = node[name];
    if (Array.isArray(list)) for (const inner of list) found.push(inner);
  }
  for (const name of IN_PLACE) if (node[name] !== undefined) found.push(node[name]);
  for (const name of MAPS_IN_PLACE) {
    const map = node[name];
    if (isNode(map)) found.push(...Object.values(map));
  }
  return found;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
