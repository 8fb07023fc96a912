import { patternFault } from "./schema-patterns.ts";
import { SchemaReferences } from "./schema-references.ts";
import { schemasInPlace } from "./schemas-in-place.ts";

/** Levels of objects and lists in a schema's JSON; an object property takes two. */
const MAX_DEPTH = 100;
/** Maximum number of values of all types in a schema's JSON. */
const MAX_VALUES = 50_000;
const MAX_PROPERTIES = 5_000;
const MAX_CHOICES = 5_000;
const MAX_PATTERNS = 200;
const MAX_REFERENCE_CHARACTERS = 1_000;
/** Characters in the names that lead to each value, summed: the validator writes the whole path of each. */
const MAX_PATH_CHARACTERS = 20_000_000;
/** Maximum number of subschemas that apply to one value, with references resolved. */
const MAX_IN_PLACE = 1_000;
/** Maximum number of parts of a value that a schema describes, with references resolved. */
const MAX_PARTS = 5_000;
/** Maximum number of schemas from the root to a part, with references resolved: the count of parts is recursive. */
const MAX_CHAIN = 2_000;
/** Levels to which references are resolved when a schema is filled. */
export const MAX_SHAPE_DEPTH = 12;

type Node = Record<string, unknown>;

/** Reference keywords whose target depends on more than the schema's text. */
const UNSUPPORTED = ["$dynamicRef", "$recursiveRef"];

/**
 * Checks that processing a caller's JSON Schema takes bounded time: its depth, its size, its regular expressions and
 * its size with references resolved.
 * @returns a message for the caller that names the exceeded limit; undefined when none is exceeded.
 */
export function schemaLimitFault(schema: unknown): string | undefined {
  return sizeFault(schema) ?? new Expansion(schema).fault();
}

/** Counts values without recursion, since the schema's depth is not known yet. */
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
      const { $ref } = value;
      if (typeof $ref === "string" && $ref.length > MAX_REFERENCE_CHARACTERS)
        return `a $ref has more than ${MAX_REFERENCE_CHARACTERS} characters`;
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

/** Size of a schema with its references resolved; every subschema is counted once. */
class Expansion {
  readonly #root: unknown;
  readonly #references: SchemaReferences;
  readonly #inPlace = new Map<unknown, number | "open">();
  readonly #parts = new Map<unknown, number[]>();

  constructor(root: unknown) {
    this.#root = root;
    this.#references = new SchemaReferences(root);
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

  /** Returns the depth to which the schema's parts are within the limit; a recursive schema is unbounded. */
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

  /** @param chain length of the chain of in-place schemas that leads here; a chain above the limit ends the count */
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
    return schemasInPlace(node, this.#references);
  }

  /**
   * Counts parts down to a number of levels of properties and items; every branch of a union counts.
   * @param chain number of schemas that lead here from the root; a longer chain than the limit counts as too many parts
   */
  #countParts(node: unknown, depth: number, chain = 0): number {
    if (!isNode(node) || depth < 0) return 1;
    if (chain > MAX_CHAIN) return MAX_PARTS + 1;
    const byDepth = this.#parts.get(node) ?? [];
    this.#parts.set(node, byDepth);
    const known = byDepth[depth];
    if (known !== undefined) return known;
    // An in-place cycle counts once.
    byDepth[depth] = 1;
    let sum = 1;
    for (const inner of schemasBelow(node)) sum += this.#countParts(inner, depth - 1, chain + 1);
    for (const inner of this.#schemasInPlace(node)) sum += this.#countParts(inner, depth, chain + 1);
    byDepth[depth] = Math.min(sum, MAX_PARTS + 1);
    return byDepth[depth];
  }

  /** Reports whether a part of the schema contains itself. Uses no recursion: chains of references can be long. */
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

/** Returns the depth to which a schema's references are resolved: less for one that is recursive in many places. */
export function shapeDepthOf(schema: unknown): number {
  return new Expansion(schema).depth();
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
