/** A stored object with its content type and metadata. */
export interface Blob {
  bytes: Uint8Array;
  contentType: string | undefined;
  metadata: Record<string, string>;
}

/** A byte range of an object. */
export interface ByteRange {
  offset: number;
  length: number;
}

/** One page of the objects under a prefix. */
export interface ListedBlobs {
  objects: { key: string; writtenAtMs: number }[];
  hasMore: boolean;
}

/** Object storage by key: large bodies, files, results. */
export interface Blobs {
  put(
    key: string,
    body: Uint8Array | string,
    options?: { contentType?: string; metadata?: Record<string, string> },
  ): Promise<void>;
  /** Returns an object or a byte range of it. */
  get(key: string, range?: ByteRange): Promise<Blob | undefined>;
  text(key: string, range?: ByteRange): Promise<string | undefined>;
  /** The same without reading it into memory; `size` is that of `body`, a stream of bytes. */
  stream(
    key: string,
    range?: ByteRange,
  ): Promise<(Omit<Blob, "bytes"> & { body: ReadableStream<Uint8Array>; size: number }) | undefined>;
  /** Deletes objects; ignores missing ones. At most 1,000 per call. */
  delete(keys: readonly string[]): Promise<void>;
  /** Deletes up to 1,000 objects under a prefix. @returns true when more remain. */
  deletePrefix(prefix: string): Promise<boolean>;
  /**
   * Lists up to `limit` objects (at most 1,000) under a prefix in key order, starting behind the key `after`: at least one
   * when there are more.
   */
  list(prefix: string, options: { after: string | undefined; limit: number }): Promise<ListedBlobs>;
  /** Returns the folders directly under a prefix, such as `pages/2026-06-15/` under `pages/`. */
  folders(prefix: string): Promise<string[]>;
}
