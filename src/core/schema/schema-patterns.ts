import { RE2JS } from "re2js";
import { leastInstructions, unicodeClassesIn } from "../text/safe-pattern.ts";
import { hasEqualItems } from "./check-cost.ts";
import { SchemaReferences } from "./schema-references.ts";

const MAX_PATTERN_CHARACTERS = 1_000;
/** Of all patterns of a schema, each counted once: the time of a compilation grows with them. */
const MAX_CHARACTERS = 5_000;
/** Maximum instructions of the compiled patterns; matching time is proportional to these and to the text. */
const MAX_INSTRUCTIONS = 5_000;
/** Instructions that are compiled in the time of a Unicode class, of which alternatives merge into one instruction. */
const INSTRUCTIONS_OF_CLASS = 20;

/**
 * Checks the patterns of a schema, which are written in the syntax of JavaScript (JSON Schema Core § 6.4).
 * @returns a description of the fault; undefined when all patterns are usable.
 */
export function patternFault(patterns: readonly string[]): string | undefined {
  let [size, characters] = [0, 0];
  for (const pattern of new Set(patterns)) {
    if (pattern.length > MAX_PATTERN_CHARACTERS) return `a pattern has more than ${MAX_PATTERN_CHARACTERS} characters`;
    characters += pattern.length;
    size += unicodeClassesIn(pattern) * INSTRUCTIONS_OF_CLASS;
    if (characters > MAX_CHARACTERS || size + leastInstructions(pattern) > MAX_INSTRUCTIONS) return TOO_LARGE;
    const compiled = linearPattern(pattern);
    if (compiled === undefined && !isPattern(pattern)) return `${JSON.stringify(pattern)} is no regular expression`;
    size += compiled?.programSize() ?? 0;
    if (size > MAX_INSTRUCTIONS) return TOO_LARGE;
  }
  return undefined;
}

const TOO_LARGE = "its patterns are too large";

/**
 * Compiles a pattern to a matcher that runs in linear time (RE2). Returns undefined for patterns with look-around or
 * back-references, which RE2 does not support: the model receives them, but they are not checked.
 */
function linearPattern(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern);
  } catch {
    return undefined;
  }
}

/** Parses the pattern without running it. */
function isPattern(pattern: string): boolean {
  try {
    void new RegExp(pattern, "u");
    return true;
  } catch {
    return isLoosePattern(pattern);
  }
}

/** Accepts unnecessary backslashes, which are common and an error in the strict syntax only. */
function isLoosePattern(pattern: string): boolean {
  try {
    void new RegExp(pattern);
    return true;
  } catch {
    return false;
  }
}

/** Subschemas that a check visits. */
const MAX_VISITS = 200_000;
/** Instructions of a check, for each character of a text; one takes up to 120 ns. Texts beyond them are not checked. */
const MAX_STEPS = 10_000_000;
/** Instructions after which the compiled patterns are dropped: they hold up to 15 bytes for each, and 8 MB a pattern. */
const STEPS_KEPT = 2_000_000;

/**
 * Returns the problems of texts that do not match the `pattern` of their place in the schema, and of properties that
 * `patternProperties` constrains; on request also of lists that hold an item twice. Skips unions: the validator decides
 * which branch applies.
 */
export function patternProblems(schema: unknown, value: unknown, withUnique = false): string[] {
  const check = new PatternCheck(schema, withUnique);
  check.visit(schema, value, "");
  return check.problems;
}

class PatternCheck {
  readonly problems: string[] = [];
  readonly #references: SchemaReferences;
  readonly #matches = new PatternMatches();
  #left = MAX_VISITS;

  readonly #withUnique: boolean;

  constructor(root: unknown, withUnique: boolean) {
    this.#references = new SchemaReferences(root);
    this.#withUnique = withUnique;
  }

  visit(schema: unknown, value: unknown, path: string): void {
    if (!isObject(schema) || this.#left-- <= 0) return;
    const { $ref, allOf, pattern } = schema;
    if (typeof $ref === "string") this.visit(this.#references.resolve($ref), value, path);
    if (Array.isArray(allOf)) for (const part of allOf) this.visit(part, value, path);
    if (typeof value === "string" && typeof pattern === "string" && this.#matches.test(pattern, value) === false)
      this.problems.push(`${path || "/"}: String does not match pattern.`);
    if (Array.isArray(value)) {
      const { items, prefixItems, uniqueItems } = schema;
      if (this.#withUnique && uniqueItems === true && hasEqualItems(value))
        this.problems.push(`${path || "/"}: Duplicate items.`);
      const first: readonly unknown[] = Array.isArray(prefixItems) ? prefixItems : [];
      for (const [index, item] of value.entries()) this.visit(first[index] ?? items, item, `${path}/${index}`);
    } else if (isObject(value)) this.#visitProperties(schema, value, path);
  }

  #visitProperties(schema: Record<string, unknown>, value: Record<string, unknown>, path: string): void {
    const { properties, patternProperties } = schema;
    for (const [name, inner] of Object.entries(value)) {
      if (isObject(properties) && Object.hasOwn(properties, name))
        this.visit(properties[name], inner, `${path}/${name}`);
      if (!isObject(patternProperties)) continue;
      for (const [pattern, part] of Object.entries(patternProperties)) {
        if (this.#matches.test(pattern, name) === true) this.visit(part, inner, `${path}/${name}`);
      }
    }
  }
}

/** Matches of one check: each pattern is run on each text once, within the steps of the check. */
class PatternMatches {
  readonly #compiled = new Map<string, RE2JS | undefined>();
  readonly #results = new Map<string, Map<string, boolean>>();
  #left = MAX_STEPS;
  #keepsUntil = MAX_STEPS - STEPS_KEPT;

  /** @returns undefined for a pattern that is not checked, and for a text beyond the steps. */
  test(pattern: string, text: string): boolean | undefined {
    const results = this.#results.get(pattern) ?? new Map<string, boolean>();
    this.#results.set(pattern, results);
    const known = results.get(text);
    if (known !== undefined) return known;
    const compiled = this.#compile(pattern);
    const steps = (compiled?.programSize() ?? 0) * (text.length + 1);
    if (compiled === undefined || steps > this.#left) return undefined;
    this.#left -= steps;
    const result = compiled.test(text);
    results.set(text, result);
    return result;
  }

  #compile(pattern: string): RE2JS | undefined {
    if (this.#left < this.#keepsUntil) {
      this.#compiled.clear();
      this.#keepsUntil = this.#left - STEPS_KEPT;
    }
    if (this.#compiled.has(pattern)) return this.#compiled.get(pattern);
    const compiled = linearPattern(pattern);
    this.#compiled.set(pattern, compiled);
    return compiled;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
