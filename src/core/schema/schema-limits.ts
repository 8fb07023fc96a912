import { patternFault } from "./schema-patterns.ts";
import { resolveReference } from "./schema-references.ts";

/** Levels of objects and lists in a schema's JSON; an object property takes two. */
const MAX_DEPTH = 100;
/** Values in a schema's JSON, of every kind. */
const MAX_VALUES = 50_000;
const MAX_PROPERTIES = 5_000;
const MAX_CHOICES = 5_000;
const MAX_PATTERNS = 200;
/** Characters in the names that lead to each value, summed: the validator writes the whole path of each. */
const MAX_PATH_CHARACTERS = 20_000_000;
/** Subschemas that hold for one and the same value, with every reference followed. */
const MAX_IN_PLACE = 1_000;
/** Parts of a value that a schema describes, with every reference followed. */
const MAX_PARTS = 5_000;
/** Levels down to which references are followed when a schema is filled. */
export const MAX_SHAPE_DEPTH = 12;

type Node = Record<string, unknown>;

const LISTS_IN_PLACE = ["allOf", "anyOf", "oneOf"];
const IN_PLACE = ["not", "if", "then", "else"];
const MAPS_IN_PLACE = ["dependentSchemas", "dependencies"];
/** Ways to point elsewhere whose target depends on more than the schema's text. */
const UNSUPPORTED = ["$dynamicRef", "$recursiveRef"];

/**
 * Checks that working with a caller's JSON Schema takes bounded time: its depth, its size, its regular expressions, and what
 * its references expand to.
 * @returns what is too much, in words for the caller; undefined when nothing is.
 */
export function schemaLimitFault(schema: unknown): string | undefined {
  return sizeFault(schema) ?? new Expansion(schema).fault();
}

/** Counts values without recursion: nothing is known of the schema's depth yet. */
function sizeFault(schema: unknown): string | undefined {
  const stack: { value: unknown; depth: number; path: number }[] = [{ value: schema, depth: 0, path: 0 }];
  const counts = { values: 0, properties: 0, choices: 0, path: 0 };
  const patterns: string[] = [];
  for (let item = stack.pop(); item !== undefined; item = stack.pop()) {
    const { value, depth, path } = item;
    if (++counts.values > MAX_VALUES) return `it holds more than ${MAX_VALUES} values`;
    if ((counts.path += path) > MAX_PATH_CHARACTERS) return "its names are too long";
    if (typeof value !== "object" || value === null) continue;
    if (depth >= MAX_DEPTH) return `it is more than ${MAX_DEPTH} levels deep`;
    if (isNode(value)) {
      countKeywords(value, counts, patterns);
      const unsupported = UNSUPPORTED.find((name) => typeof value[name] === "string");
      if (unsupported !== undefined) return `${unsupported} is not supported; use $ref`;
    }
    if (counts.properties > MAX_PROPERTIES) return `it names more than ${MAX_PROPERTIES} properties`;
    if (counts.choices > MAX_CHOICES) return `its enums hold more than ${MAX_CHOICES} values`;
    if (patterns.length > MAX_PATTERNS) return `it holds more than ${MAX_PATTERNS} patterns`;
    for (const [name, inner] of Object.entries(value))
      stack.push({ value: inner, depth: depth + 1, path: path + name.length + 1 });
  }
  return patternFault(patterns);
}

function countKeywords(node: Node, counts: { properties: number; choices: number }, patterns: string[]): void {
  const { properties, patternProperties, pattern } = node;
  const choices = node["enum"];
  if (isNode(properties)) counts.properties += Object.keys(properties).length;
  if (Array.isArray(choices)) counts.choices += choices.length;
  if (typeof pattern === "string") patterns.push(pattern);
  if (isNode(patternProperties)) patterns.push(...Object.keys(patternProperties).slice(0, MAX_PATTERNS + 1));
}

/** What a schema comes to with its references followed; every subschema is counted once. */
class Expansion {
  readonly #root: unknown;
  readonly #inPlace = new Map<unknown, number | "open">();
  readonly #parts = new Map<unknown, number[]>();

  constructor(root: unknown) {
    this.#root = root;
  }

  fault(): string | undefined {
    for (const node of this.#allNodes()) {
      const count = this.#countInPlace(node);
      if (count === "endless") return "a $ref leads to itself without end";
      if (count > MAX_IN_PLACE)
        return `its $ref, allOf, anyOf and oneOf come to more than ${MAX_IN_PLACE} schemas for one value`;
    }
    const parts = this.#countParts(this.#root, MAX_SHAPE_DEPTH + 1);
    if (parts > MAX_PARTS && !this.#isRecursive()) return `its references expand to more than ${MAX_PARTS} parts`;
    return undefined;
  }

  /** The depth down to which the schema's parts are within the limit; a schema that holds itself has no end of its own. */
  depth(): number {
    let depth = MAX_SHAPE_DEPTH;
    while (depth > 1 && this.#countParts(this.#root, depth + 1) > MAX_PARTS) depth--;
    return depth;
  }

  *#allNodes(): Iterable<Node> {
    const stack = [this.#root];
    while (stack.length > 0) {
      const value = stack.pop();
      if (typeof value !== "object" || value === null) continue;
      if (isNode(value)) yield value;
      stack.push(...Object.values(value).filter((inner) => typeof inner === "object"));
    }
  }

  /** @param chain how many schemas in place led here: as many as would be too many end the count */
  #countInPlace(node: unknown, chain = 0): number | "endless" {
    if (!isNode(node)) return 1;
    if (chain > MAX_IN_PLACE) return MAX_IN_PLACE + 1;
    const known = this.#inPlace.get(node);
    if (known !== undefined) return known === "open" ? "endless" : known;
    this.#inPlace.set(node, "open");
    let sum = 1;
    for (const inner of this.#schemasInPlace(node)) {
      const count = this.#countInPlace(inner, chain + 1);
      if (count === "endless") return "endless";
      sum = Math.min(sum + count, MAX_IN_PLACE + 1);
    }
    this.#inPlace.set(node, sum);
    return sum;
  }

  #schemasInPlace(node: Node): unknown[] {
    const reference = node["$ref"];
    return [
      ...(typeof reference === "string" ? [resolveReference(reference, this.#root)] : []),
      ...LISTS_IN_PLACE.flatMap((name) => (Array.isArray(node[name]) ? (node[name] as unknown[]) : [])),
      ...IN_PLACE.flatMap((name) => (node[name] === undefined ? [] : [node[name]])),
      ...MAPS_IN_PLACE.flatMap((name) => (isNode(node[name]) ? Object.values(node[name]) : [])),
    ];
  }

  /** Parts down to so many levels of properties and items; of a union all possibilities are counted. */
  #countParts(node: unknown, depth: number, chain = 0): number {
    if (!isNode(node) || depth < 0 || chain > MAX_IN_PLACE) return 1;
    const byDepth = this.#parts.get(node) ?? [];
    this.#parts.set(node, byDepth);
    const known = byDepth[depth];
    if (known !== undefined) return known;
    // What leads back to itself in place counts once.
    byDepth[depth] = 1;
    let sum = 1;
    for (const inner of schemasBelow(node)) sum += this.#countParts(inner, depth - 1);
    for (const inner of this.#schemasInPlace(node)) sum += this.#countParts(inner, depth, chain + 1);
    byDepth[depth] = Math.min(sum, MAX_PARTS + 1);
    return byDepth[depth];
  }

  /** Whether a part of the schema holds itself, as the nodes of a tree do. Without recursion: chains of references are long. */
  #isRecursive(): boolean {
    const state = new Map<Node, "open" | "done">();
    const stack: { node: Node; isEnd: boolean }[] = isNode(this.#root) ? [{ node: this.#root, isEnd: false }] : [];
    for (let item = stack.pop(); item !== undefined; item = stack.pop()) {
      const { node, isEnd } = item;
      if (isEnd) state.set(node, "done");
      if (isEnd || state.has(node)) continue;
      state.set(node, "open");
      stack.push({ node, isEnd: true });
      for (const inner of [...schemasBelow(node), ...this.#schemasInPlace(node)]) {
        if (!isNode(inner) || state.get(inner) === "done") continue;
        if (state.get(inner) === "open") return true;
        stack.push({ node: inner, isEnd: false });
      }
    }
    return false;
  }
}

function schemasBelow({ properties, items }: Node): unknown[] {
  return [...(isNode(properties) ? Object.values(properties) : []), ...(items === undefined ? [] : [items])];
}

/** How deep a schema's references are followed: less than usual for one that holds itself in many places. */
export function shapeDepthOf(schema: unknown): number {
  return new Expansion(schema).depth();
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
