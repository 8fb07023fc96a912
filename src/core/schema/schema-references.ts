import { decodePercent } from "../url/decode-percent.ts";

/** Returns the part of a schema that a `$ref` of the form `#/…` points to (RFC 6901); undefined when there is none. */
export function resolveReference(reference: string, root: unknown): unknown {
  if (!reference.startsWith("#")) return undefined;
  const steps = reference
    .slice(1)
    .split("/")
    .filter((step) => step !== "");
  let found: unknown = root;
  for (const step of steps) {
    const name = decodePercent(step).replaceAll("~1", "/").replaceAll("~0", "~");
    found =
      isObject(found) && Object.hasOwn(found, name)
        ? found[name]
        : Array.isArray(found)
          ? (found[Number(name)] as unknown)
          : undefined;
  }
  return found;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
