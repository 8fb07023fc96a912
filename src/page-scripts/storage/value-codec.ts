/**
 * A value of a database as JSON. Databases hold values that structured cloning supports (HTML § 2.7); each one that JSON
 * cannot represent becomes an object with its type under `$`.
 */
export type CodedValue = null | string | boolean | number | CodedObject;

type CodedObject =
  | { $: "undefined" }
  | { $: "number" | "bigint" | "buffer"; v: string }
  | { $: "date"; v: number }
  | { $: "regexp"; v: [source: string, flags: string] }
  | { $: "array" | "map" | "set"; v: CodedValue[] }
  | { $: "view"; n: string; v: string }
  | { $: "blob"; t: string; n?: string | undefined; v: string }
  | { $: "object"; v: [key: string, value: CodedValue][] };

const MAX_DEPTH = 60;
/** Bytes that `String.fromCharCode` takes at a time: each is an argument. */
const CHUNK_BYTES = 32_768;
const VIEWS: Record<string, new (buffer: ArrayBuffer) => ArrayBufferView> = {
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
  DataView,
};

/** @throws Error for a value of another type, such as a key that cannot be exported, and for one that is too deep */
export async function encode(value: unknown, depth = 0): Promise<CodedValue> {
  if (depth > MAX_DEPTH) throw new Error("too deep");
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (value === undefined) return { $: "undefined" };
  if (typeof value === "number") return encodeNumber(value);
  if (typeof value === "bigint") return { $: "bigint", v: String(value) };
  if (typeof value === "object") return await encodeObject(value, depth);
  throw new Error("not known");
}

function encodeNumber(value: number): CodedValue {
  if (Object.is(value, -0)) return { $: "number", v: "-0" };
  return Number.isFinite(value) ? value : { $: "number", v: String(value) };
}

async function encodeObject(value: object, depth: number): Promise<CodedValue> {
  const list = (items: Iterable<unknown>): Promise<CodedValue[]> =>
    Promise.all([...items].map((item) => encode(item, depth + 1)));
  if (Array.isArray(value)) return { $: "array", v: await list(value) };
  if (value instanceof Date) return { $: "date", v: value.getTime() };
  if (value instanceof RegExp) return { $: "regexp", v: [value.source, value.flags] };
  if (value instanceof Map) return { $: "map", v: await list([...value].flat()) };
  if (value instanceof Set) return { $: "set", v: await list(value) };
  if (value instanceof Blob) return await encodeBlob(value);
  if (value instanceof ArrayBuffer) return { $: "buffer", v: toBase64(new Uint8Array(value)) };
  if (ArrayBuffer.isView(value)) {
    const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    return { $: "view", n: value.constructor.name, v: toBase64(bytes) };
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) throw new Error("not known");
  const keys = Object.keys(value);
  const values = await list(Object.values(value));
  return { $: "object", v: values.map((item, index) => [keys[index] ?? "", item]) };
}

async function encodeBlob(blob: Blob): Promise<CodedValue> {
  const v = toBase64(new Uint8Array(await blob.arrayBuffer()));
  return { $: "blob", t: blob.type, n: blob instanceof File ? blob.name : undefined, v };
}

/** Returns the value that was encoded. @throws Error for a type of view that is not known */
export function decode(coded: CodedValue): unknown {
  if (coded === null || typeof coded !== "object") return coded;
  switch (coded.$) {
    case "undefined":
      return undefined;
    case "number":
      return Number(coded.v);
    case "bigint":
      return BigInt(coded.v);
    case "array":
      return coded.v.map(decode);
    case "date":
      return new Date(coded.v);
    case "regexp":
      return new RegExp(...coded.v);
    case "map":
      return decodeMap(coded.v);
    case "set":
      return new Set(coded.v.map(decode));
    case "buffer":
      return fromBase64(coded.v);
    case "view":
      return decodeView(coded.n, coded.v);
    case "blob":
      return decodeBlob(coded);
    case "object":
      return Object.fromEntries(coded.v.map(([key, item]) => [key, decode(item)]));
  }
}

/** @param coded keys and values in turn */
function decodeMap(coded: readonly CodedValue[]): Map<unknown, unknown> {
  const flat = coded.map(decode);
  const map = new Map<unknown, unknown>();
  for (let index = 0; index < flat.length; index += 2) map.set(flat[index], flat[index + 1]);
  return map;
}

function decodeView(name: string, text: string): ArrayBufferView {
  const View = VIEWS[name];
  if (View === undefined) throw new Error(`There is no view ${name}`);
  return new View(fromBase64(text));
}

function decodeBlob({ t: type, n: name, v }: Extract<CodedObject, { $: "blob" }>): Blob {
  const bytes = [fromBase64(v)];
  return name === undefined ? new Blob(bytes, { type }) : new File(bytes, name, { type });
}

function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    text += String.fromCharCode(...bytes.subarray(at, at + CHUNK_BYTES));
  }
  return btoa(text);
}

function fromBase64(text: string): ArrayBuffer {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0)).buffer;
}
