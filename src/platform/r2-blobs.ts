import type { Blob, Blobs, ByteRange } from "../ports/storage/blobs.ts";

/** Numbers of R2's errors that pass: an internal one, R2 unavailable, and writes of one key that are too close together. */
const PASSING_ERRORS = /\((?:10001|10043|10058)\)/;
const MAX_PUTS = 4;
/** R2 accepts one write of a key a second. */
const PUT_PAUSE_MS = 1_000;
/** Lists in a row without an object. */
const MAX_EMPTY_LISTS = 10;

/**
 * Implements the port with R2. A write that fails for the moment is repeated after a second or more, up to four times in
 * all: pages with the same picture write it to the same key.
 */
export function createR2Blobs(bucket: R2Bucket): Blobs {
  /** Lists the first objects that there are: a list that is cut may have none. @throws Error after ten of those in a row */
  const list = async (options: R2ListOptions): Promise<R2Objects> => {
    let listing = await bucket.list(options);
    for (let lists = 1; listing.truncated && listing.objects.length === 0; lists++) {
      if (lists === MAX_EMPTY_LISTS)
        throw new Error(`R2 lists no objects under ${String(options.prefix)}, and there are more`);
      const { prefix, limit } = options;
      listing = await bucket.list({ prefix, limit, cursor: listing.cursor });
    }
    return listing;
  };
  const find = (key: string, range?: ByteRange) => {
    return range === undefined
      ? bucket.get(key)
      : bucket.get(key, { range: { offset: range.offset, length: range.length } });
  };
  return {
    async put(key, body, options = {}) {
      const httpMetadata = options.contentType === undefined ? {} : { contentType: options.contentType };
      for (let put = 1; ; put++) {
        try {
          await bucket.put(key, body, { httpMetadata, customMetadata: options.metadata ?? {} });
          return;
        } catch (error) {
          if (put >= MAX_PUTS || !PASSING_ERRORS.test(String(error))) throw error;
          // Writes that have met do not meet again.
          await new Promise((resolve) => setTimeout(resolve, PUT_PAUSE_MS * (put + Math.random())));
        }
      }
    },
    async get(key, range) {
      const object = await find(key, range);
      if (object === null) return undefined;
      return { bytes: new Uint8Array(await object.arrayBuffer()), ...describe(object) };
    },
    async text(key, range) {
      return (await find(key, range))?.text();
    },
    async stream(key, range) {
      const object = await find(key, range);
      if (object === null) return undefined;
      const { offset, length } = range ?? { offset: 0, length: object.size };
      return { body: object.body, size: Math.min(length, object.size - offset), ...describe(object) };
    },
    // The platform does not bill deletions.
    async delete(keys) {
      await bucket.delete([...keys]);
    },
    async deletePrefix(prefix) {
      const listing = await list({ prefix, limit: 1000 });
      if (listing.objects.length > 0) await bucket.delete(listing.objects.map(({ key }) => key));
      return listing.truncated;
    },
    async list(prefix, { after, limit }) {
      const listing = await list({ prefix, limit, ...(after === undefined ? {} : { startAfter: after }) });
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
