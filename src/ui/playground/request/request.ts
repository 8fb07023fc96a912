import type { Operation } from "../../api/openapi.ts";
import { toWords } from "../../parts/format.ts";
import type { Values } from "./body.ts";
import { fieldsOf } from "./fields.ts";
import { PARAMETERS, pathBelow } from "./field-path.ts";
import { missingFields } from "./missing-fields.ts";
import type { MissingField } from "./missing-fields.ts";

/** A request as entered. It holds no secrets, so that it can be stored and shown. */
export interface PlaygroundRequest {
  operation: string;
  /** Path and query parameters by name. */
  parameters: Record<string, string>;
  body: Values;
}

/** Returns the path with its parameters and the query string. */
export function pathOf(operation: Operation, parameters: Record<string, string>): string {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ""));
  const query = new URLSearchParams();
  for (const parameter of operation.parameters) {
    const value = parameters[parameter.name] ?? "";
    if (parameter.in === "query" && value !== "") query.set(parameter.name, value);
  }
  const text = query.toString();
  return text === "" ? path : `${path}?${text}`;
}

/** Returns the required parameters and fields that are empty. */
export function missingIn(operation: Operation, { parameters, body }: PlaygroundRequest): MissingField[] {
  const inPath = operation.parameters.filter(({ required, name }) => required && (parameters[name] ?? "") === "");
  const fields = operation.body === undefined ? [] : fieldsOf(operation.body.schema);
  return [
    ...inPath.map(({ name }) => ({ path: pathBelow(PARAMETERS, name), label: toWords(name) })),
    ...missingFields(fields, body),
  ];
}

/** Returns a multipart form: files as files, other values as text or JSON. */
export function toForm(body: Values): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(body)) {
    if (value instanceof Blob) form.set(name, value);
    else form.set(name, typeof value === "string" ? value : JSON.stringify(value));
  }
  return form;
}
