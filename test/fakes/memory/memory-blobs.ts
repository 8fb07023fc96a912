import type { Blob, Blobs, ByteRange } from "../../../src/ports/storage/blobs.ts";

/** Objects deleted by one call of `deletePrefix`, as many as R2 lists at once. */
const MOST_DELETED = 1000;

export interface Stored extends Blob {
  writtenAtMs: number;
}

/** Objects in memory; `objects` shows the stored ones. */
export function memoryBlobs(): Blobs & { objects: Map<string, Stored> } {
  const objects = new Map<string, Stored>();
  const under = (prefix: string): string[] => [...objects.keys()].filter((key) => key.startsWith(prefix)).toSorted();
  const read = (key: string, range?: ByteRange): Blob | undefined => {
    const stored = objects.get(key);
    if (stored === undefined) return undefined;
    const { bytes, contentType, metadata } = stored;
    const end = range === undefined ? bytes.length : range.offset + range.length;
    return { bytes: bytes.slice(range?.offset ?? 0, end), contentType, metadata: { ...metadata } };
  };
  return {
    objects,
    async put(key, body, { contentType, metadata = {} } = {}) {
      const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body.slice();
      objects.set(key, { bytes, contentType, metadata: { ...metadata }, writtenAtMs: Date.now() });
    },
    async delete(keys) {
      for (const key of keys) objects.delete(key);
    },
    get: async (key, range) => read(key, range),
    async text(key, range) {
      const blob = read(key, range);
      return blob === undefined ? undefined : new TextDecoder().decode(blob.bytes);
    },
    async stream(key, range) {
      const blob = read(key, range);
      if (blob === undefined) return undefined;
      const { bytes, ...about } = blob;
      return {
        ...about,
        body: new Response(Uint8Array.from(bytes)).body ?? new ReadableStream(),
        size: bytes.byteLength,
      };
    },
    async deletePrefix(prefix) {
      const keys = under(prefix);
      for (const key of keys.slice(0, MOST_DELETED)) objects.delete(key);
      return keys.length > MOST_DELETED;
    },
    async list(prefix, { after = "", limit }) {
      const keys = under(prefix).filter((key) => key > after);
      const shown = keys.slice(0, limit).map((key) => ({ key, writtenAtMs: objects.get(key)?.writtenAtMs ?? 0 }));
      return { objects: shown, hasMore: keys.length > limit };
    },
    async folders(prefix) {
      const ends = under(prefix).map((key) => key.indexOf("/", prefix.length) + 1);
      return [
        ...new Set(under(prefix).flatMap((key, index) => (ends[index] === 0 ? [] : [key.slice(0, ends[index])]))),
      ];
    },
  };
}
