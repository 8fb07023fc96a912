import type { Blob, Blobs, ByteRange } from "../../src/ports/storage/blobs.ts";

/** Objects in memory; `objects` shows what is kept. */
export function memoryBlobs(): Blobs & { objects: Map<string, Blob> } {
  const objects = new Map<string, Blob>();
  const cut = (key: string, range?: ByteRange): Blob | undefined => {
    const blob = objects.get(key);
    if (blob === undefined || range === undefined) return blob;
    return { ...blob, bytes: blob.bytes.slice(range.offset, range.offset + range.length) };
  };
  return {
    objects,
    async put(key, body, { contentType, metadata = {} } = {}) {
      const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
      objects.set(key, { bytes, contentType, metadata });
    },
    async delete(keys) {
      for (const key of keys) objects.delete(key);
    },
    get: async (key, range) => cut(key, range),
    async text(key, range) {
      const blob = cut(key, range);
      return blob === undefined ? undefined : new TextDecoder().decode(blob.bytes);
    },
    async stream(key) {
      const blob = objects.get(key);
      if (blob === undefined) return undefined;
      const { bytes, ...about } = blob;
      return {
        ...about,
        body: new Response(Uint8Array.from(bytes)).body ?? new ReadableStream(),
        size: bytes.byteLength,
      };
    },
    async deletePrefix(prefix) {
      for (const key of objects.keys()) if (key.startsWith(prefix)) objects.delete(key);
      return false;
    },
    async list(prefix, { after = "", limit }) {
      const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).toSorted();
      return { objects: keys.slice(0, limit).map((key) => ({ key, writtenAtMs: 0 })), hasMore: keys.length > limit };
    },
    async folders(prefix) {
      const below = [...objects.keys()].filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
      return [...new Set(below.flatMap((rest) => rest.split("/", 1)))];
    },
  };
}
