import { RE2JS } from "re2js";
import { resolveReference } from "./schema-references.ts";

const MAX_PATTERN_CHARACTERS = 1_000;
/** Maximum instructions of the compiled patterns; matching time is proportional to these and to the text. */
const MAX_INSTRUCTIONS = 5_000;

const MAX_KNOWN = 500;
const known = new Map<string, RE2JS | undefined>();

/**
 * Checks the patterns of a schema, which are written in the syntax of JavaScript (JSON Schema Core § 6.4).
 * @returns a description of the fault; undefined when all patterns are usable.
 */
export function patternFault(patterns: readonly string[]): string | undefined {
  let size = 0;
  for (const pattern of patterns) {
    if (pattern.length > MAX_PATTERN_CHARACTERS) return `a pattern has more than ${MAX_PATTERN_CHARACTERS} characters`;
    if (!isPattern(pattern)) return `${JSON.stringify(pattern)} is no regular expression`;
    size += linearPattern(pattern)?.programSize() ?? 0;
    if (size > MAX_INSTRUCTIONS) return "its patterns are too large";
  }
  return undefined;
}

/**
 * Compiles a pattern to a matcher that runs in linear time (RE2). Returns undefined for patterns with look-around or
 * back-references, which RE2 does not support: the model receives them, but they are not checked.
 */
function linearPattern(pattern: string): RE2JS | undefined {
  if (known.has(pattern)) return known.get(pattern);
  let compiled: RE2JS | undefined;
  try {
    compiled = RE2JS.compile(pattern);
  } catch {
    compiled = undefined;
  }
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(pattern, compiled);
  return compiled;
}

/** Parses the pattern without running it. */
function isPattern(pattern: string): boolean {
  try {
    void new RegExp(pattern, "u");
    return true;
  } catch {
    return linearPattern(pattern) !== undefined || isLoosePattern(pattern);
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

const MAX_STEPS = 200_000;

/**
 * Returns the problems of texts that do not match the `pattern` of their place in the schema, and of properties that
 * `patternProperties` constrains. Skips unions: the validator decides which branch applies.
 */
export function patternProblems(schema: unknown, value: unknown): string[] {
  const check = new PatternCheck(schema);
  check.visit(schema, value, "");
  return check.problems;
}

class PatternCheck {
  readonly problems: string[] = [];
  readonly #root: unknown;
  #left = MAX_STEPS;

  constructor(root: unknown) {
    this.#root = root;
  }

  visit(schema: unknown, value: unknown, path: string): void {
    if (!isObject(schema) || this.#left-- <= 0) return;
    const { $ref, allOf, pattern } = schema;
    if (typeof $ref === "string") this.visit(resolveReference($ref, this.#root), value, path);
    if (Array.isArray(allOf)) for (const part of allOf) this.visit(part, value, path);
    if (typeof value === "string" && typeof pattern === "string" && linearPattern(pattern)?.test(value) === false)
      this.problems.push(`${path || "/"}: String does not match pattern.`);
    if (Array.isArray(value)) {
      const { items, prefixItems } = schema;
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
        if (linearPattern(pattern)?.test(name) === true) this.visit(part, inner, `${path}/${name}`);
      }
    }
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
