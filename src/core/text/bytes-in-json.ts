const INLINE = "$base64";
const APART = "$bytes";
/** Maximum length of inline arrays; longer ones go to `apart`, if given. */
const MAX_INLINE_BYTES = 64_000;

/**
 * Serializes a value with byte arrays to JSON: as base64, or, if long and `apart` is given, as an index in `apart`.
 */
export function toJsonWithBytes(value: unknown, apart?: Uint8Array[]): string {
  const keep = (bytes: Uint8Array): object => {
    if (apart === undefined || bytes.byteLength <= MAX_INLINE_BYTES) return { [INLINE]: toBase64(bytes) };
    return { [APART]: apart.push(bytes) - 1 };
  };
  if (value instanceof Uint8Array) return JSON.stringify(keep(value));
  return JSON.stringify(value, function (this: Record<string, unknown>, key, shown: unknown) {
    // `Buffer.toJSON` gives a form four times as long; `this` still holds the bytes.
    const given = this[key];
    return given instanceof Uint8Array ? keep(given) : shown;
  });
}

/** The reverse of `toJsonWithBytes`. @throws SyntaxError for text that is not JSON */
export function fromJsonWithBytes(text: string, apart: readonly Uint8Array[] = []): unknown {
  return JSON.parse(text, (_key, value: unknown) => {
    if (typeof value !== "object" || value === null) return value;
    if (INLINE in value && typeof value[INLINE] === "string") return fromBase64(value[INLINE]);
    return APART in value && typeof value[APART] === "number" ? apart[value[APART]] : value;
  });
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

/** Decodes into a copy, since a Buffer may be a view of a shared pool. */
function fromBase64(encoded: string): Uint8Array {
  return new Uint8Array(Buffer.from(encoded, "base64"));
}
