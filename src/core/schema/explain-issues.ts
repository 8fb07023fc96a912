import { z } from "zod";
import { nearestName } from "../text/nearest-name.ts";
import { describeIssue } from "./describe-issue.ts";
import { isPathOf, valueAt, writePath } from "./issue-path.ts";

type Issue = z.core.$ZodIssue;

/** One problem of a request. Unions are resolved, so it has no `errors`; `message` names the field. */
export interface ExplainedIssue {
  code: string;
  path: PropertyKey[];
  message: string;
  /** Allowed values, when the code is `invalid_value`. */
  values?: unknown[];
  /** Expected type, when the code is `invalid_type`. */
  expected?: string;
  /** Unknown fields, when the code is `unrecognized_keys`. */
  keys?: string[];
}

/** Longer lists of problems are cut, and those of each variant of a union. */
const MAX_ISSUES = 50;
/** Longer lists of unknown fields are cut. */
const MAX_NAMES = 10;
/** Characters of a field's name, and of a message, which may quote what was sent. */
const MAX_NAME_CHARS = 100;
const MAX_MESSAGE_CHARS = 2_000;
/** Unions inside unions are resolved to this depth. */
const MAX_DEPTH = 8;
/** Field whose value tells the variants of a union of objects apart. */
const TAG = "type";

/** Weights of a variant's problems: the variant with the lowest sum is the one that the value comes nearest to. */
const WRONG_TYPE = 10;
const OTHER_TAG = 5;
const MISSING_OR_UNKNOWN_FIELD = 2;
const WRONG_VALUE = 1;
/** Added for a value of another type, or of another tag, than the variant's: its fields cannot make up for it. */
const OTHER_VARIANT = 1_000_000;

/** Makes zod name the nearest known field in the messages for unknown ones, which only the schema can tell. */
export function nameNearestFields(): void {
  z.config({
    customError: (issue) =>
      issue.code === "unrecognized_keys" ? unknownFields(issue.keys, fieldsOf(issue.inst)) : undefined,
  });
}

/**
 * Returns the problems of a request, at most 50 and of bounded length, each with a message that names the field, what was
 * sent and what is allowed, such as `formats[0]: unknown format "markdwon". Did you mean "markdown"? Allowed: …`.
 */
export function explainIssues(issues: readonly Issue[], input: unknown): ExplainedIssue[] {
  return issues
    .slice(0, MAX_ISSUES)
    .flatMap((issue) => resolve(issue, { input, at: [], depth: 0 }))
    .slice(0, MAX_ISSUES)
    .map((issue) => ({
      ...issue,
      ...namedKeys(issue),
      path: issue.path.map((step) => (typeof step === "string" ? cut(step, MAX_NAME_CHARS) : step)),
      message: cut(withField(issue, describeIssue(issue, valueAt(input, issue.path))), MAX_MESSAGE_CHARS),
    }));
}

function namedKeys({ keys }: ExplainedIssue): Pick<ExplainedIssue, "keys"> {
  return keys === undefined ? {} : { keys: keys.slice(0, MAX_NAMES).map((name) => cut(name, MAX_NAME_CHARS)) };
}

function cut(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars)}…`;
}

function withField({ path, code }: ExplainedIssue, message: string): string {
  const isOfTag = code === "invalid_value" && path.at(-1) === TAG && path.length > 1;
  const field = writePath(isOfTag ? path.slice(0, -1) : path);
  return field === "" || code === "custom" || message.startsWith(field) ? message : `${field}: ${message}`;
}

interface Place {
  input: unknown;
  /** Path of the union that the issue belongs to. */
  at: readonly PropertyKey[];
  depth: number;
}

/** Resolves a union to the problems of its nearest variant, and a record's or a map's problem to those of its parts. */
function resolve(issue: Issue, { input, at, depth }: Place): ExplainedIssue[] {
  const path = [...at, ...issue.path];
  if (depth >= MAX_DEPTH) return [{ code: "custom", path, message: issue.message }];
  const inner = { input, at: path, depth: depth + 1 };
  if (issue.code === "invalid_key" || issue.code === "invalid_element") {
    return issue.issues.slice(0, MAX_ISSUES).flatMap((each) => resolve(each, inner));
  }
  if (issue.code !== "invalid_union") return [{ ...issue, path } as ExplainedIssue];
  if ("options" in issue && Array.isArray(issue.options)) {
    return [{ code: "invalid_value", values: issue.options, path, message: issue.message }];
  }
  const variants = issue.errors.map((errors) => errors.slice(0, MAX_ISSUES).flatMap((each) => resolve(each, inner)));
  return resolveUnion(variants, path, input) ?? [{ code: "custom", path, message: issue.message }];
}

function resolveUnion(variants: ExplainedIssue[][], path: PropertyKey[], input: unknown): ExplainedIssue[] | undefined {
  const weighed = variants
    .filter((issues) => issues.length > 0)
    .map((issues) => ({ issues, weight: issues.reduce((sum, issue) => sum + variantWeight(issue, path, input), 0) }))
    .toSorted((one, other) => one.weight - other.weight);
  const nearest = weighed[0]?.issues;
  if (nearest === undefined) return undefined;

  const choice = nearest.find(
    (issue) => issue.code === "invalid_value" && (isPathOf(issue, path) || isPathOf(issue, [...path, TAG])),
  );
  const others = variants.flat().filter((issue) => isPathOf(issue, choice?.path ?? path));
  if (choice !== undefined && weightOf(choice, input) < WRONG_TYPE) return [{ ...choice, values: valuesOf(others) }];
  if (!nearest.some((issue) => isPathOf(issue, path) && weightOf(issue, input) >= WRONG_TYPE)) return nearest;
  return [{ code: "invalid_type", expected: typesOf(others).join(" or "), path, message: "Invalid input" }];
}

/** Weight of a problem among those of one variant of the union at `path`. */
function variantWeight(issue: ExplainedIssue, path: readonly PropertyKey[], input: unknown): number {
  const weight = weightOf(issue, input);
  const isOfTag = issue.code === "invalid_value" && isPathOf(issue, [...path, TAG]);
  const isOther = isOfTag || (isPathOf(issue, path) && weight >= WRONG_TYPE);
  return isOther ? weight + OTHER_VARIANT : weight;
}

function weightOf({ code, path, values = [] }: ExplainedIssue, input: unknown): number {
  const value = valueAt(input, path);
  const isOtherType = code === "invalid_value" && values.every((allowed) => typeof allowed !== typeof value);
  if (code === "unrecognized_keys") return MISSING_OR_UNKNOWN_FIELD;
  if (code === "invalid_value" && path.at(-1) === TAG) return OTHER_TAG;
  if (value === undefined) return MISSING_OR_UNKNOWN_FIELD;
  return code === "invalid_type" || isOtherType ? WRONG_TYPE : WRONG_VALUE;
}

function valuesOf(issues: readonly ExplainedIssue[]): unknown[] {
  return [...new Set(issues.flatMap(({ values = [] }) => values))];
}

function typesOf(issues: readonly ExplainedIssue[]): string[] {
  const types = issues.map(({ expected, values }) => expected ?? typeof values?.[0]);
  return [...new Set(types.filter((type) => type !== "undefined"))];
}

function fieldsOf(schema: unknown): string[] {
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

/** Fields of other operations, which callers look for where they are not. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  archive: "Responses are archived by crawls and batches: send one URL as a batch of one",
  estimate: "Estimates are returned by POST /v2/crawl, /v2/batch/scrape, /v2/agent and /v2/monitor",
};

/** The messages begin like zod's own, so that clients which match them find them. */
function unknownFields(names: readonly string[], known: readonly string[]): string {
  const quoted = names.slice(0, MAX_NAMES).map((name) => {
    const near = nearestName(name, known);
    const suggestion = near === undefined ? "" : ` (did you mean ${JSON.stringify(near)}?)`;
    return `${JSON.stringify(cut(name, MAX_NAME_CHARS))}${suggestion}`;
  });
  const rest = names.length - quoted.length;
  const more = rest > 0 ? ` and ${rest} more` : "";
  const hints = names.flatMap((name) => (Object.hasOwn(ELSEWHERE, name) ? [`. ${ELSEWHERE[name]}`] : []));
  return `Unrecognized ${names.length === 1 ? "key" : "keys"}: ${quoted.join(", ")}${more}${hints.join("")}`;
}
