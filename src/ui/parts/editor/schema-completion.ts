import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { syntaxTree } from "@codemirror/language";
import type { Schema } from "../../api/openapi.ts";
import { pathAt } from "./json-tree-path.ts";
import { schemasAt } from "./schema-at.ts";

/** Completes names and values of JSON from its schema. */
export function completeFrom(schema: Schema): (context: CompletionContext) => CompletionResult | null {
  return (context) => {
    const { state, pos } = context;
    const word = context.matchBefore(/"?[\w-]*/);
    const from = word?.from ?? pos;
    if (!context.explicit && from === pos) return null;
    const node = syntaxTree(state).resolveInner(from, from === pos ? -1 : 1);
    const value = parsed(state.doc.toString());
    const isName = isAtName(state.sliceDoc(0, from));
    const inner = pathAt(state, node);
    const options = isName ? namesOf(schemasAt(schema, inner, value)) : valuesOf(schemasAt(schema, inner, value));
    return options.length === 0 ? null : { from, options, validFor: /^"?[\w-]*"?$/ };
  };
}

/** After `{` or `,` inside of an object a name follows, after `:` and inside of an array a value. */
function isAtName(before: string): boolean {
  const open: string[] = [];
  let last = "";
  for (const [, text = ""] of before.matchAll(/("(?:[^"\\]|\\.)*"|[{}[\],:])/g)) {
    if (text === "{" || text === "[") open.push(text);
    else if (text === "}" || text === "]") open.pop();
    last = text;
  }
  return open.at(-1) === "{" && (last === "{" || last === ",");
}

function namesOf(schemas: readonly Schema[]): Completion[] {
  const options = new Map<string, Completion>();
  for (const { properties = {}, required = [] } of schemas) {
    for (const [name, { description, type }] of Object.entries(properties)) {
      const isRequired = required.includes(name);
      options.set(name, {
        label: `"${name}"`,
        apply: `"${name}": `,
        type: "property",
        detail: isRequired ? "required" : Array.isArray(type) ? type.join(" | ") : (type ?? ""),
        boost: isRequired ? 1 : 0,
        ...(description === undefined ? {} : { info: description }),
      });
    }
  }
  return [...options.values()];
}

function valuesOf(schemas: readonly Schema[]): Completion[] {
  const texts = schemas.flatMap((schema) => {
    const { enum: values, type, properties } = schema;
    if (schema.const !== undefined) return [JSON.stringify(schema.const)];
    if (values !== undefined) return values.map((one) => JSON.stringify(one));
    if (type === "boolean") return ["true", "false"];
    if (type === "array") return ["[]"];
    const named = properties?.["type"];
    const types = named?.const === undefined ? (named?.enum ?? []) : [named.const];
    if (types.length > 0) return types.map((one) => `{ "type": ${JSON.stringify(one)} }`);
    return type === "object" ? ["{}"] : [];
  });
  return [...new Set(texts)].map((label) => ({ label, type: "constant" }));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
