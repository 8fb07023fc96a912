import { readOwn } from "../stored-state.ts";
import type { DocumentMetadata, ScrapeDocument } from "./document.ts";

/**
 * JSON text of a document in two parts: the fields without braces, and the metadata, which alone differs when the same
 * document is the result of another scrape.
 */
export interface DocumentParts {
  fields: string;
  metadata: string;
}

/** Serializes a document, its metadata last. */
export function toDocumentParts({ metadata, ...fields }: Partial<ScrapeDocument>): DocumentParts {
  return { fields: JSON.stringify(fields).slice(1, -1), metadata: JSON.stringify(metadata) };
}

/** Returns the JSON text of a document. */
export function joinDocument({ fields, metadata }: DocumentParts): string {
  return `{${fields}${fields === "" ? "" : ","}"metadata":${metadata}}`;
}

/** Facts about a scrape whose document was stored by an earlier one. */
export interface Repeat {
  id: string;
  /** Time at which the page was stored, in ms since the epoch. */
  cachedAtMs: number;
  /** Duration of the lookup in ms. */
  lookupMs: number;
}

/**
 * Returns the metadata of a repeated document: those of the stored one, with the facts of this scrape. The same facts
 * give the same text.
 * @param metadata as it was stored.
 */
export function repeatedMetadata(metadata: string, { id, cachedAtMs, lookupMs }: Repeat): string {
  const { concurrencyQueueDurationMs: _, ...stored } = readOwn<DocumentMetadata>(metadata);
  const repeated: DocumentMetadata = {
    ...stored,
    cacheState: "hit",
    cachedAt: new Date(cachedAtMs).toISOString(),
    scrapeId: id,
    concurrencyLimited: false,
    engine: "cache",
    attempts: [{ engine: "cache", outcome: "loaded", ms: lookupMs }],
  };
  return JSON.stringify(repeated);
}

/** Facts about a document of an earlier job that a later job returns because its page has not changed. */
export interface ReuseFacts {
  scrapeId: string;
  /** Length of the stored metadata in bytes. */
  metadataBytes: number;
  creditsUsed: number;
}

/** Returns a stored document as a result of a later job, with the new length of its metadata. */
export function reusedDocument(
  stored: Uint8Array,
  { scrapeId, metadataBytes, creditsUsed }: ReuseFacts,
): { document: Uint8Array; metadataBytes: number } {
  const start = stored.byteLength - 1 - metadataBytes;
  const text = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(stored.subarray(start, -1));
  const { removedChunks: _, ...metadata } = readOwn<DocumentMetadata>(text);
  const reused: DocumentMetadata = { ...metadata, scrapeId, creditsUsed, changeStatus: "unchanged" };
  const tail = new TextEncoder().encode(`${JSON.stringify(reused)}}`);
  const document = new Uint8Array(start + tail.byteLength);
  document.set(stored.subarray(0, start));
  document.set(tail, start);
  return { document, metadataBytes: tail.byteLength - 1 };
}
