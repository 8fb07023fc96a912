import { gunzipSync, gzipSync } from "node:zlib";
import { z } from "zod";
import { readStored } from "../../core/stored-state.ts";

/** Parts of a page that a later crawl needs without loading it: its links, and the ids of its chunks. */
export const PageLinks = z.object({ links: z.array(z.string()), chunks: z.array(z.string()).default([]) });
export type PageLinks = z.infer<typeof PageLinks>;

const StoredPages = z.array(PageLinks);
/** The fastest level: the pages of a site repeat their links, so that any level makes them small. */
const LEVEL = 1;

/** Returns the links of several pages as one compressed part of an object. */
export function packLinks(pages: readonly PageLinks[]): Uint8Array {
  return new Uint8Array(gzipSync(JSON.stringify(pages), { level: LEVEL }));
}

/** @throws AppError STORED_STATE_UNREADABLE */
export function unpackLinks(bytes: Uint8Array): PageLinks[] {
  return readStored(StoredPages, new TextDecoder().decode(gunzipSync(bytes)), "links of pages");
}
