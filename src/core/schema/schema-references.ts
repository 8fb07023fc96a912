import { decodePercent } from "../url/decode-percent.ts";

/** Resolves the references of one schema; each text is resolved once. */
export class SchemaReferences {
  readonly #root: unknown;
  readonly #known = new Map<string, unknown>();

  constructor(root: unknown) {
    this.#root = root;
  }

  /** Returns the part of the schema that a `$ref` of the form `#/…` points to (RFC 6901); undefined when there is none. */
  resolve(reference: string): unknown {
    if (this.#known.has(reference)) return this.#known.get(reference);
    const found = partAt(reference, this.#root);
    this.#known.set(reference, found);
    return found;
  }
}

function partAt(reference: string, root: unknown): unknown {
  if (!reference.startsWith("#")) return undefined;
  let found: unknown = root;
  for (const step of reference.slice(1).split("/")) {
    if (step === "") continue;
    const name = decodePercent(step).replaceAll("~1", "/").replaceAll("~0", "~");
    if (isObject(found) && Object.hasOwn(found, name)) found = found[name];
    else if (Array.isArray(found)) found = found[Number(name)] as unknown;
    else return undefined;
  }
  return found;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
