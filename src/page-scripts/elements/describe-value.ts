import type { DescribedValue } from "../page-functions.ts";

/** Serialises a script's result of any type as JSON. Undefined stays undefined. */
export function describeValue(value: object, maxLength: number): DescribedValue {
  const type = Array.isArray(value) ? "array" : typeof value;
  // Functions and symbols become text, so that only undefined has no JSON.
  const json = JSON.stringify(value, plainWithoutCircles()) as string | undefined;
  if (json !== undefined && json.length > maxLength) return { type, tooLong: json.length };
  return { type, json: json ?? null };
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
