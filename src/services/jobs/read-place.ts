import { reusedDocument } from "../../core/scrape/document-text.ts";
import type { DocumentPlace } from "../../ports/crawl/frontier.ts";
import type { Blobs } from "../../ports/storage/blobs.ts";

/** Returns a document as the text of its job; undefined when it is no longer stored. */
export async function readPlace(blobs: Pick<Blobs, "get" | "text">, place: DocumentPlace): Promise<string | undefined> {
  if (place.kept === undefined) return await blobs.text(place.object, place);
  const blob = await blobs.get(place.object, place);
  if (blob === undefined) return undefined;
  const { document } = reusedDocument(blob.bytes, place.kept);
  return new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(document);
}
