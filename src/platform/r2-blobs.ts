import type { Blob, Blobs, ByteRange } from "../ports/storage/blobs.ts";

/** Implements the port with R2 and counts its operations (list and put are class A, get is class B, delete is free). */
export function createR2Blobs(bucket: R2Bucket): Blobs {
  const find = (key: string, range?: ByteRange) => {
    return range === undefined
      ? bucket.get(key)
      : bucket.get(key, { range: { offset: range.offset, length: range.length } });
  };
  return {
    async put(key, body, options = {}) {
      await bucket.put(key, body, {
        httpMetadata: options.contentType === undefined ? {} : { contentType: options.contentType },
        customMetadata: options.metadata ?? {},
      });
    },
    async get(key, range) {
      const object = await find(key, range);
      if (object === null) return undefined;
      return { bytes: new Uint8Array(await object.arrayBuffer()), ...describe(object) };
    },
    async text(key, range) {
      return (await find(key, range))?.text();
    },
    async stream(key) {
      const object = await find(key);
      return object === null ? undefined : { body: object.body, size: object.size, ...describe(object) };
    },
    // The platform does not bill deletions.
    async delete(keys) {
      await bucket.delete([...keys]);
    },
    async deletePrefix(prefix) {
      const listing = await bucket.list({ prefix, limit: 1000 });
      if (listing.objects.length > 0) await bucket.delete(listing.objects.map(({ key }) => key));
      return listing.truncated;
    },
    async list(prefix, { after, limit }) {
      const listing = await bucket.list({ prefix, limit, ...(after === undefined ? {} : { startAfter: after }) });
      return {
        objects: listing.objects.map(({ key, uploaded }) => ({ key, writtenAtMs: uploaded.getTime() })),
        hasMore: listing.truncated,
      };
    },
    async folders(prefix) {
      const listing = await bucket.list({ prefix, delimiter: "/" });
      return listing.delimitedPrefixes;
    },
  };
}

function describe(object: R2Object): Omit<Blob, "bytes"> {
  return { contentType: object.httpMetadata?.contentType, metadata: object.customMetadata ?? {} };
}
