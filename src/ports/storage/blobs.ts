/** Bytes kept under a key, with what their reader must know. */
export interface Blob {
  bytes: Uint8Array;
  contentType: string | undefined;
  metadata: Record<string, string>;
}

/** Some bytes of an object. */
export interface ByteRange {
  offset: number;
  length: number;
}

/** A part of the objects under a prefix. */
export interface ListedBlobs {
  objects: { key: string; writtenAtMs: number }[];
  hasMore: boolean;
}

/** Objects by key: large bodies, files, results. */
export interface Blobs {
  put(
    key: string,
    body: Uint8Array | string,
    options?: { contentType?: string; metadata?: Record<string, string> },
  ): Promise<void>;
  /** The whole object, or some bytes of it. */
  get(key: string, range?: ByteRange): Promise<Blob | undefined>;
  text(key: string, range?: ByteRange): Promise<string | undefined>;
  stream(key: string): Promise<(Omit<Blob, "bytes"> & { body: ReadableStream; size: number }) | undefined>;
  /** Deletes objects; those that are not there make no difference. At most 1,000 at a time. */
  delete(keys: readonly string[]): Promise<void>;
  /** Deletes up to 1,000 objects under a prefix. @returns whether there are more. */
  deletePrefix(prefix: string): Promise<boolean>;
  /** Up to `limit` objects (at most 1,000) under a prefix in the order of their keys, those after a key when one is named. */
  list(prefix: string, options: { after: string | undefined; limit: number }): Promise<ListedBlobs>;
  /** The first path segments under a prefix, such as the days of `pages/`. */
  folders(prefix: string): Promise<string[]>;
}
