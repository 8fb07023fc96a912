import { readStored } from "../../core/stored-state.ts";
import { AppError } from "../../core/errors.ts";
import { sha256Hex } from "../../core/text/hash.ts";
import { bytePieces, streamOf } from "../../core/streams/byte-pieces.ts";
import { JsonLines } from "../../core/streams/json-lines.ts";
import type { Blobs } from "../../ports/storage/blobs.ts";
import { recordingFolder, recordingKeys } from "../../core/sessions/recording-keys.ts";
import { type RecordedPage, RecordingManifest } from "../../ports/sessions/recordings.ts";
import { harFrame } from "../../sessions/recording/har.ts";
import { initSegment } from "../../sessions/recording/motion-jpeg.ts";
import type { Caller, Deps } from "../deps.ts";

type ReadDeps = Pick<Deps, "blobs" | "clock" | "settings">;

/** A recording that the caller may view. */
export interface Recording {
  folder: string;
  manifest: RecordingManifest;
}

/**
 * Finds the recording of a session of the caller's team, active or ended.
 * @throws AppError RECORDING_NOT_FOUND, also for another team's
 */
export async function findRecording(deps: ReadDeps, { key }: Caller, sessionId: string): Promise<Recording> {
  const recording = await readRecording(deps, sessionId);
  if (recording.manifest.teamId !== key.teamId) throw new AppError("RECORDING_NOT_FOUND");
  return recording;
}

/**
 * Opens a recording with the token of its player's URL.
 * @throws AppError RECORDING_NOT_FOUND, also for a token that does not open it
 */
export async function openRecording(deps: ReadDeps, sessionId: string, token: string): Promise<Recording> {
  const recording = await readRecording(deps, sessionId);
  if (!(await isSame(token, recording.manifest.playToken))) throw new AppError("RECORDING_NOT_FOUND");
  return recording;
}

/**
 * Returns the video segment of a page with this number, or its initialization segment; undefined when there is none.
 */
export async function readVideoSegment(
  { blobs }: Pick<Deps, "blobs">,
  { folder, manifest }: Recording,
  place: { pageId: number; index: number | "init" },
): Promise<ReadableStream | Uint8Array | undefined> {
  const page = manifest.pages[place.pageId];
  if (page === undefined) return undefined;
  if (place.index === "init") return initSegment(page);
  if (place.index >= page.segments.length) return undefined;
  return (await blobs.stream(recordingKeys.film(folder, place.pageId, place.index)))?.body;
}

/** Returns the requests of all pages, as the JSON text of an HTTP Archive, of which little is in memory at a time. */
export function readHar({ blobs }: Pick<Deps, "blobs">, recording: Recording): ReadableStream<Uint8Array> {
  return streamOf(harPieces(blobs, recording));
}

async function* harPieces(
  blobs: Pick<Blobs, "stream">,
  { folder, manifest }: Recording,
): AsyncGenerator<Uint8Array, undefined> {
  const { head, tail } = harFrame(manifest.pages);
  yield new TextEncoder().encode(head);
  const list = new JsonLines();
  for (let index = 0; index < manifest.network.segments; index++) {
    const segment = await blobs.stream(recordingKeys.network(folder, index));
    if (segment === undefined) continue;
    list.startLine();
    for await (const piece of bytePieces(segment.body)) {
      const entries = list.add(piece);
      if (entries.byteLength > 0) yield entries;
    }
  }
  yield new TextEncoder().encode(tail);
  return undefined;
}

/**
 * Returns a page's video as a playlist (RFC 8216); the frames are Motion JPEG.
 * @param base URL of the segments; `query` is appended to the name of each
 */
export function playlistOf(
  page: RecordedPage,
  { base, query, isOver }: { base: string; query: string; isOver: boolean },
) {
  const longestMs = Math.max(1000, ...page.segments.map(({ startMs, endMs }) => endMs - startMs));
  const parts = page.segments.flatMap(({ startMs, endMs }, index) => [
    `#EXTINF:${((endMs - startMs) / 1000).toFixed(3)},`,
    `${base}/${index}.m4s${query}`,
  ]);
  return [
    "#EXTM3U",
    "#EXT-X-VERSION:7",
    `#EXT-X-TARGETDURATION:${Math.ceil(longestMs / 1000)}`,
    "#EXT-X-MEDIA-SEQUENCE:0",
    ...(isOver ? ["#EXT-X-PLAYLIST-TYPE:VOD"] : ["#EXT-X-PLAYLIST-TYPE:EVENT"]),
    `#EXT-X-MAP:URI="${base}/init.mp4${query}"`,
    ...parts,
    ...(isOver ? ["#EXT-X-ENDLIST"] : []),
    "",
  ].join("\n");
}

async function readRecording({ blobs, clock, settings }: ReadDeps, sessionId: string): Promise<Recording> {
  const folder = recordingFolder(sessionId);
  const text = folder === undefined ? undefined : await blobs.text(recordingKeys.manifest(folder));
  if (folder === undefined || text === undefined) throw new AppError("RECORDING_NOT_FOUND");
  const manifest = readStored(RecordingManifest, text, "recording");
  if (manifest.startedMs + settings.resultRetentionMs <= clock.now()) throw new AppError("RECORDING_NOT_FOUND");
  return { folder, manifest };
}

/** Compares digests, so that the duration reveals nothing about how close a guess was. */
async function isSame(given: string, expected: string): Promise<boolean> {
  return (await sha256Hex(given)) === (await sha256Hex(expected));
}
