const VALUE_BYTES = 2_000_000;
const STATEMENT_BYTES = 100_000;
const PARAMETERS = 100;
const MESSAGE_BYTES = 128_000;
/** What the platform adds to a message. */
const MESSAGE_METADATA_BYTES = 100;
const BATCH_BYTES = 256_000;
const BATCH_MESSAGES = 100;
const KEY_BYTES = 1_024;
const METADATA_BYTES = 8_192;
const KEY_WRITE_MS = 1_000;
const WEB_SOCKET_BYTES = 32 * 1024 * 1024;

const encoder = new TextEncoder();

/** @throws Error for a statement or a value that D1 and the storage of objects refuse on the platform */
export function assertStatement(query: string, values: readonly unknown[]): void {
  if (query.length > STATEMENT_BYTES) throw new Error(`SQLITE_TOOBIG: statement of ${query.length} bytes`);
  if (values.length > PARAMETERS) throw new Error(`too many SQL variables: ${values.length}`);
  // Most values need not be encoded to be measured.
  if (values.reduce((sum: number, value) => sum + mostBytes(value), 0) <= VALUE_BYTES) return;
  const sizes = values.map(sizeOf);
  // The limit holds for a row as well. What is not written, or becomes several rows, has values alone.
  const isOneRow = /^\s*(?:INSERT|REPLACE|UPDATE)\b/i.test(query) && !/\bjson_each\b/i.test(query);
  const bytes = isOneRow ? sizes.reduce((sum, size) => sum + size, 0) : Math.max(0, ...sizes);
  if (bytes > VALUE_BYTES)
    throw new Error(`string or blob too big: SQLITE_TOOBIG: ${bytes} bytes in ${query.slice(0, 80)}`);
}

/** @throws Error for a message that a queue refuses on the platform */
export function assertMessage(body: unknown): number {
  const bytes = encoder.encode(JSON.stringify(body)).byteLength + MESSAGE_METADATA_BYTES;
  if (bytes > MESSAGE_BYTES)
    throw new Error(`Queue send failed: message length of ${bytes} bytes exceeds limit of ${MESSAGE_BYTES}`);
  return bytes;
}

/** @throws Error for a batch that a queue refuses on the platform */
export function assertMessageBatch(bodies: readonly unknown[]): void {
  if (bodies.length > BATCH_MESSAGES)
    throw new Error(`Queue sendBatch failed: ${bodies.length} messages, at most ${BATCH_MESSAGES}`);
  const bytes = bodies.reduce((sum: number, body) => sum + assertMessage(body), 0);
  if (bytes > BATCH_BYTES) throw new Error(`Queue sendBatch failed: ${bytes} bytes, at most ${BATCH_BYTES}`);
}

/** @throws Error for a key, or metadata, that R2 refuses on the platform */
export function assertObject(key: string, metadata: object = {}): void {
  const bytes = encoder.encode(key).byteLength;
  if (bytes > KEY_BYTES) throw new Error(`put: The specified object name is not valid: ${bytes} bytes`);
  const metadataBytes = encoder.encode(JSON.stringify(metadata)).byteLength;
  if (metadataBytes > METADATA_BYTES)
    throw new Error(`put: metadata of ${metadataBytes} bytes exceeds ${METADATA_BYTES}`);
}

/** Reports whether a message is longer than a Worker or an object receives over a WebSocket. */
export function isMessageTooLong(data: unknown): boolean {
  return (
    (typeof data === "string" ? data.length : data instanceof ArrayBuffer ? data.byteLength : 0) > WEB_SOCKET_BYTES
  );
}

/** @throws Error for a value of an object's key-value storage that the platform refuses, together with its key */
export function assertValue(key: string, value: unknown): void {
  const bytes = encoder.encode(key).byteLength + serializedSize(value);
  if (bytes > VALUE_BYTES) throw new Error(`SQLITE_TOOBIG: ${bytes} bytes of the key ${key.slice(0, 80)}`);
}

/** Returns about as many bytes as a structured clone takes: a text outside of Latin-1 has two a character. */
function serializedSize(value: unknown): number {
  if (typeof value === "string") return /[^ -ÿ\s]/.test(value) ? 2 * value.length : value.length;
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return value.byteLength;
  if (value === null || typeof value !== "object") return 8;
  return Object.entries(value).reduce((sum, [name, own]) => sum + name.length + serializedSize(own) + 4, 0);
}

/** Times of the last write of each key, in ms. One for the runtime: test files have modules of their own. */
const shared = globalThis as { writtenKeys?: Map<string, number> };

/** @throws Error for a write that R2 refuses, because the same key was written less than a second before */
export function assertWrite(key: string, nowMs: number): void {
  const writtenKeys = (shared.writtenKeys ??= new Map());
  if (nowMs - (writtenKeys.get(key) ?? 0) < KEY_WRITE_MS)
    throw new Error("put: Reduce your concurrent request rate for the same object. (10058)");
  writtenKeys.set(key, nowMs);
}

function sizeOf(value: unknown): number {
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return value.byteLength;
  return typeof value === "string" ? encoder.encode(value).byteLength : 8;
}

/** Returns at least as many bytes as `sizeOf`: a UTF-16 unit takes at most three. */
function mostBytes(value: unknown): number {
  return typeof value === "string" ? value.length * 3 : sizeOf(value);
}
