import type { DescribedValue, HeldValue } from "../page-functions.ts";

/** Characters from which on the text of an error is cut. */
const LONG_TEXT = 10_000;
const CUT_LENGTH = 1_000;

/** Awaits a script's result of any type and serialises it as JSON. Undefined stays undefined. */
export async function describeValue(held: HeldValue, maxLength: number): Promise<DescribedValue> {
  const value = await valueOf(held);
  const type = typeOf(value);
  // Functions and symbols become text, so that only undefined has no JSON.
  const json: unknown = JSON.stringify(hasNoJson(value) ? textOf(value) : value, plainWithoutCircles());
  // A page may have replaced `JSON.stringify`.
  if (typeof json !== "string") return { type, json: null };
  return json.length > maxLength ? { type, tooLong: json.length } : { type, json };
}

/** @throws what the promise was rejected with; the start of its text when that is long */
async function valueOf({ value }: HeldValue): Promise<unknown> {
  try {
    return await value;
  } catch (error) {
    const text = error instanceof Error ? `${error.stack ?? ""}${error.message}` : error;
    throw typeof text === "string" && text.length > LONG_TEXT ? text.slice(0, CUT_LENGTH) : error;
  }
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** NaN, the infinities and -0, of which JSON makes other values. */
function hasNoJson(value: unknown): boolean {
  return typeof value === "number" && (!Number.isFinite(value) || Object.is(value, -0));
}

function textOf(value: unknown): string {
  return Object.is(value, -0) ? "-0" : String(value);
}

/** Returns a replacer for `JSON.stringify`, which calls it on the object that holds the item. */
function plainWithoutCircles(): (this: unknown, key: string, item: unknown) => unknown {
  const holders: unknown[] = [];
  return function plain(_key, item) {
    if (typeof item === "bigint") return item.toString();
    if (typeof item === "function" || typeof item === "symbol") return String(item);
    if (item instanceof Element) return item.outerHTML;
    if (item instanceof Node) return item.textContent;
    if (item instanceof Map) return Object.fromEntries(item) as unknown;
    if (item instanceof Set) return [...item] as unknown;
    if (item instanceof Error) return String(item);
    if (item === null || typeof item !== "object") return item;
    while (holders.length > 0 && holders.at(-1) !== this) holders.pop();
    if (holders.includes(item)) return "[Circular]";
    holders.push(item);
    return item;
  };
}
