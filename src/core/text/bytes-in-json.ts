const INLINE = "$base64";
const APART = "$bytes";
const TEXT = "$text";
/** Present in every text that has to be searched for byte arrays, long strings and escaped names. */
const MARK = /"\$+(?:base64|bytes|text)"/;
/** Names of a value's own fields that could be taken for marks: one `$` more is written. */
const ESCAPED = /^\$+(?:base64|bytes|text)$/;
const WRITTEN_ESCAPED = /"\$\$+(?:base64|bytes|text)"/;
const UNESCAPED = /^\$\$+(?:base64|bytes|text)$/;
/** Maximum length of inline strings, those of base64 included; longer ones go to `apart`, if given. */
const MAX_INLINE = 64_000;
/** Maximum length of inline arrays. Their base64 is a third longer, and must not be taken for a long string itself. */
const MAX_INLINE_BYTES = (MAX_INLINE / 4) * 3;

/**
 * Serializes a value with byte arrays to JSON: as base64, or, if long and `apart` is given, as an index in `apart`. Long
 * strings go there as UTF-8, which takes a tenth of the time of escaping and parsing them.
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
    if (given instanceof Uint8Array) return keep(given);
    if (typeof shown === "object" && shown !== null) return renamed(shown, ESCAPED, (name) => `$${name}`) ?? shown;
    if (typeof shown !== "string" || apart === undefined || shown.length <= MAX_INLINE) return shown;
    // Half of a surrogate pair has no form in UTF-8.
    return shown.isWellFormed() ? { [TEXT]: apart.push(new TextEncoder().encode(shown)) - 1 } : shown;
  });
}

/** The reverse of `toJsonWithBytes`. @throws SyntaxError for text that is not JSON */
export function fromJsonWithBytes(text: string, apart: readonly Uint8Array[] = []): unknown {
  const value: unknown = JSON.parse(text);
  if (!MARK.test(text)) return value;
  const hasEscaped = WRITTEN_ESCAPED.test(text);
  const root = { value };
  // A function for each value, as `JSON.parse` takes one, is several times slower.
  const open: object[] = [root];
  for (let holder = open.pop(); holder !== undefined; holder = open.pop()) {
    const fields = holder as Record<string | number, unknown>;
    const read = (name: string | number): void => {
      const inner = fields[name];
      if (typeof inner !== "object" || inner === null) return;
      const kept = keptValue(inner, apart);
      if (kept !== undefined) return void (fields[name] = kept);
      const plain = hasEscaped ? renamed(inner, UNESCAPED, (escaped) => escaped.slice(1)) : undefined;
      if (plain !== undefined) fields[name] = plain;
      open.push(plain ?? inner);
    };
    if (Array.isArray(holder)) for (let index = 0; index < holder.length; index++) read(index);
    else Object.keys(holder).forEach(read);
  }
  return root.value;
}

/** Returns a copy of an object with other names for those that match; undefined when none does. */
function renamed(value: object, names: RegExp, rename: (name: string) => string): object | undefined {
  if (Array.isArray(value) || !Object.keys(value).some((name) => name.startsWith("$") && names.test(name)))
    return undefined;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [names.test(name) ? rename(name) : name, inner as unknown]),
  );
}

/** Returns the array or string that an object stands for; undefined for other objects. */
function keptValue(value: object, apart: readonly Uint8Array[]): Uint8Array | string | undefined {
  if (INLINE in value && typeof value[INLINE] === "string") return fromBase64(value[INLINE]);
  if (APART in value && typeof value[APART] === "number") return apart[value[APART]];
  if (!(TEXT in value) || typeof value[TEXT] !== "number") return undefined;
  const bytes = apart[value[TEXT]];
  return bytes && new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(bytes);
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

/** Decodes into a copy, since a Buffer may be a view of a shared pool. */
function fromBase64(encoded: string): Uint8Array {
  return new Uint8Array(Buffer.from(encoded, "base64"));
}
