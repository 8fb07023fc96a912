import type { SchemaReferences } from "./schema-references.ts";

type Node = Record<string, unknown>;

const LISTS_IN_PLACE = ["allOf", "anyOf", "oneOf"];
const IN_PLACE = ["not", "if", "then", "else"];
const MAPS_IN_PLACE = ["dependentSchemas", "dependencies"];

/** Returns the schemas that apply to the same value as a schema that holds them: by reference, in lists, conditionally. */
export function schemasInPlace(node: Node, references: SchemaReferences): unknown[] {
  const reference = node["$ref"];
  return [
    ...(typeof reference === "string" ? [references.resolve(reference)] : []),
    ...LISTS_IN_PLACE.flatMap((name) => (Array.isArray(node[name]) ? (node[name] as unknown[]) : [])),
    ...IN_PLACE.flatMap((name) => (node[name] === undefined ? [] : [node[name]])),
    ...MAPS_IN_PLACE.flatMap((name) => (isNode(node[name]) ? Object.values(node[name]) : [])),
  ];
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
