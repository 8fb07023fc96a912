const INLINE = "$base64";
const APART = "$bytes";
/** Longer arrays are kept apart from the text, where there is a place for them. */
const MAX_INLINE_BYTES = 64_000;

/**
 * JSON in which byte arrays are kept: in base 64, or, when they are long and `apart` is given, as their index in it.
 */
export function toJsonWithBytes(value: unknown, apart?: Uint8Array[]): string {
  const keep = (bytes: Uint8Array): object => {
    if (apart === undefined || bytes.byteLength <= MAX_INLINE_BYTES) return { [INLINE]: toBase64(bytes) };
    return { [APART]: apart.push(bytes) - 1 };
  };
  if (value instanceof Uint8Array) return JSON.stringify(keep(value));
  return JSON.stringify(value, function (this: Record<string, unknown>, key, shown: unknown) {
    // A Buffer has a JSON form of its own, which is four times as long; `this` still holds the bytes.
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

/** A copy, since a Buffer may be a view of a shared pool. */
function fromBase64(encoded: string): Uint8Array {
  return new Uint8Array(Buffer.from(encoded, "base64"));
}
