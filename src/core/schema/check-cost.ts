import { SchemaReferences } from "./schema-references.ts";
import { schemasInPlace } from "./schemas-in-place.ts";

/** Steps of a check. One is a schema that applies to a value, which takes the validator 1 to 3 µs. */
const MAX_STEPS = 100_000;
/** Amounts of other work of the validator that take the time of a step. */
const CHOICES_A_STEP = 100;
const COMPARED_CHOICES_A_STEP = 10;
const PROPERTIES_A_STEP = 50;
const CHARACTERS_A_STEP = 100;

type Node = Record<string, unknown>;

/** Items that the validator compares with one another: it takes the square of their number. */
const MAX_COMPARED_ITEMS = 500;

/** Costs of a check of a value. */
export interface CheckCosts {
  /** The validator would take more than some tenths of a second. */
  isCostly: boolean;
  /** A list of `uniqueItems` has more than 500 items. */
  hasLongUniqueList: boolean;
}

/** Counts what the validator would take for a value, in some 10 ms at most. */
export function costsOfCheck(schema: unknown, value: unknown): CheckCosts {
  const cost = new CheckCost(schema);
  cost.visit(schema, value);
  return { isCostly: cost.left < 0, hasLongUniqueList: cost.hasLongUniqueList };
}

/** Reports whether two items are equal, in any order of their fields. */
export function hasEqualItems(items: readonly unknown[]): boolean {
  return new Set(items.map((item) => JSON.stringify(item, withSortedFields))).size < items.length;
}

function withSortedFields(_name: string, value: unknown): unknown {
  if (!isNode(value)) return value;
  // Fields are entries here: an object writes those with numbers as names first.
  return {
    of: Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .flat(),
  };
}

/** Goes through a schema and a value as the validator does, with every branch of a union. */
class CheckCost {
  left = MAX_STEPS;
  hasLongUniqueList = false;
  readonly #references: SchemaReferences;
  readonly #steps = new Map<Node, { ofText: number; ofObject: number }>();

  constructor(root: unknown) {
    this.#references = new SchemaReferences(root);
  }

  visit(schema: unknown, value: unknown): void {
    if (!isNode(schema) || this.left < 0) return;
    const { ofText, ofObject } = this.#stepsOf(schema);
    this.left -= typeof value === "object" ? ofObject : ofText;
    for (const inner of schemasInPlace(schema, this.#references)) this.visit(inner, value);
    if (Array.isArray(value)) this.#visitItems(schema, value);
    else if (isNode(value)) this.#visitProperties(schema, value);
  }

  #visitItems(schema: Node, list: readonly unknown[]): void {
    const { items, prefixItems, contains, additionalItems, unevaluatedItems, uniqueItems } = schema;
    const first: readonly unknown[] = [prefixItems, items].find(Array.isArray) ?? [];
    if (uniqueItems === true && list.length > MAX_COMPARED_ITEMS) this.hasLongUniqueList = true;
    else if (uniqueItems === true) this.left -= list.length ** 2 / COMPARED_CHOICES_A_STEP;
    for (const [index, item] of list.entries()) {
      if (this.left < 0) return;
      for (const inner of [first[index], items, contains, additionalItems, unevaluatedItems]) this.visit(inner, item);
    }
  }

  #visitProperties(schema: Node, value: Node): void {
    const { properties, additionalProperties, unevaluatedProperties, propertyNames } = schema;
    for (const [name, inner] of Object.entries(value)) {
      if (this.left < 0) return;
      const own = isNode(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
      for (const part of [own, additionalProperties, unevaluatedProperties]) this.visit(part, inner);
      this.visit(propertyNames, name);
    }
  }

  #stepsOf(schema: Node): { ofText: number; ofObject: number } {
    const known = this.#steps.get(schema);
    if (known !== undefined) return known;
    const { properties, required, const: only } = schema;
    const choices = Array.isArray(schema["enum"]) ? schema["enum"].length : 0;
    const names = isNode(properties) ? Object.keys(properties).length : 0;
    const ofText = 1 + choices / CHOICES_A_STEP + (typeof only === "string" ? only.length / CHARACTERS_A_STEP : 0);
    const ofObject =
      ofText +
      choices / COMPARED_CHOICES_A_STEP +
      names / PROPERTIES_A_STEP +
      (Array.isArray(required) ? required.length : 0);
    const steps = { ofText, ofObject };
    this.#steps.set(schema, steps);
    return steps;
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
