const MARK = "$base64";

/** JSON in which byte arrays are kept, in base 64. */
export function toJsonWithBytes(value: unknown): string {
  return JSON.stringify(value, function (this: Record<string, unknown>, key, shown: unknown) {
    // A Buffer has a JSON form of its own, which is four times as long; `this` still holds the bytes.
    const given = key === "" ? shown : this[key];
    return given instanceof Uint8Array ? { [MARK]: toBase64(given) } : shown;
  });
}

/** The reverse of `toJsonWithBytes`. @throws SyntaxError for text that is not JSON */
export function fromJsonWithBytes(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown) => {
    const encoded = isMarked(value) ? value[MARK] : undefined;
    return encoded === undefined ? value : fromBase64(encoded);
  });
}

function isMarked(value: unknown): value is { [MARK]: string } {
  return typeof value === "object" && value !== null && MARK in value && typeof value[MARK] === "string";
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

/** A copy, since a Buffer may be a view of a shared pool. */
function fromBase64(encoded: string): Uint8Array {
  return new Uint8Array(Buffer.from(encoded, "base64"));
}
