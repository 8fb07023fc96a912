import { inspect } from "node:util";
import { cutOutput } from "../core/sessions/execution.ts";

/** The caller's code, which runs later, may replace it. */
const { stringify } = JSON;

/** The value of a program as text: strings as they are, bytes in base 64, data as JSON; undefined for no value. */
export function toResult(value: unknown): string | undefined {
  if (value === undefined || typeof value === "function") return undefined;
  if (typeof value === "string") return cutOutput(value);
  if (value instanceof ArrayBuffer) return cutOutput(Buffer.from(value).toString("base64"));
  if (value instanceof Uint8Array) return cutOutput(Buffer.from(value).toString("base64"));
  if (isDriverObject(value)) return describe(value);
  try {
    return cutOutput(stringify(value) ?? String(value));
  } catch {
    return cutOutput(inspect(value, { depth: 3 }));
  }
}

/** Pages, locators and responses hold their whole connection: they are named, not written out. */
function isDriverObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && ("_connection" in value || "_frame" in value);
}

function describe(value: object): string {
  const url = "url" in value && typeof value.url === "function" ? ` ${String(value.url())}` : "";
  const type = "_type" in value && typeof value["_type"] === "string" ? value["_type"] : undefined;
  return type === undefined ? String(value) : `[${type}${url}]`;
}
