import { createInflateRaw } from "node:zlib";
import type { WorkBudget } from "../../../core/work-budget.ts";
import { damaged, decoderOf, MAX_UNPACKED_BYTES, packedContent, spendPacked, tooLarge, type ZipEntry } from "./zip.ts";

/** Bytes that are unpacked at once. */
const PIECE_BYTES = 131_072;

/**
 * Yields the text of one file of an archive piece by piece, so that a large one never is in memory as a whole, and what comes
 * behind the piece at which the caller stops is not unpacked. Nothing without a file.
 * @throws the errors of `readZip`, for a file of more than `maxBytes` as well
 */
export async function* unpackText(
  bytes: Uint8Array,
  entry: ZipEntry | undefined,
  { budget, maxBytes = MAX_UNPACKED_BYTES }: { budget: WorkBudget; maxBytes?: number },
): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined;
  let length = 0;
  if (entry !== undefined) spendPacked(entry, budget);
  for await (const piece of unpackPieces(bytes, entry)) {
    length += piece.length;
    if (length > maxBytes) throw tooLarge();
    budget.spendBytes(piece.length);
    decoder ??= decoderOf(piece);
    yield decoder.decode(piece, { stream: true });
  }
  const rest = decoder?.decode() ?? "";
  if (rest !== "") yield rest;
}

async function* unpackPieces(bytes: Uint8Array, entry: ZipEntry | undefined): AsyncGenerator<Uint8Array> {
  if (entry === undefined) return;
  const packed = packedContent(bytes, entry);
  if (entry.method === 0) {
    for (let at = 0; at < packed.length; at += PIECE_BYTES) yield packed.subarray(at, at + PIECE_BYTES);
    return;
  }
  const inflate = createInflateRaw({ chunkSize: PIECE_BYTES });
  inflate.end(packed);
  try {
    for await (const piece of inflate) if (piece instanceof Uint8Array) yield piece;
  } catch (error) {
    throw damaged(error);
  }
}
