import { expect, test } from "vitest";
import { recordingKeys } from "../../../../src/core/sessions/recording-keys.ts";
import { JsonLines } from "../../../../src/core/streams/json-lines.ts";
import type { RecordingManifest } from "../../../../src/ports/sessions/recordings.ts";
import { readHar } from "../../../../src/services/sessions/read-recording.ts";
import { memoryBlobs } from "../../../fakes/memory/memory-blobs.ts";

const FOLDER = "recordings/2026-06-15/session/";
const PAGE = { url: "https://a.example/", title: "Ä", width: 1, height: 1, startMs: 0, endMs: 1, segments: [] };
const entry = (number: number, chars = 5) => ({ pageref: "page_0", number, text: "ä\n".repeat(chars) });

/** A recording whose segments of the network log have these entries; undefined for one that is gone. */
async function recordingOf(segments: readonly (readonly object[] | undefined)[]) {
  const blobs = memoryBlobs();
  for (const [index, entries] of segments.entries()) {
    const lines = entries?.map((each) => `${JSON.stringify(each)}\n`).join("");
    if (lines !== undefined) await blobs.put(recordingKeys.network(FOLDER, index), lines);
  }
  const network = { segments: segments.length, entries: 0 };
  const manifest: RecordingManifest = { sessionId: "s", teamId: "t", playToken: "p", startedMs: 0, pages: [PAGE], network, isCut: false }; // prettier-ignore
  return { blobs, recording: { folder: FOLDER, manifest } };
}

test.each([
  { what: "no entries", segments: [], numbers: [] },
  { what: "one segment", segments: [[entry(0), entry(1)]], numbers: [0, 1] },
  { what: "empty and deleted segments", segments: [[], [entry(0)], undefined, [entry(1), entry(2)]], numbers: [0, 1, 2] },
  { what: "long lines", segments: [[entry(0, 40_000), entry(1, 40_000)], [entry(2)]], numbers: [0, 1, 2] },
])("an archive of a recording with $what is JSON", async ({ segments, numbers }) => {
  const { blobs, recording } = await recordingOf(segments);
  const text = await new Response(readHar({ blobs }, recording)).text();
  const { log } = JSON.parse(text) as { log: { version: string; pages: object[]; entries: object[] } };
  expect(log).toMatchObject({ version: "1.2", creator: { name: "Orbweaver" }, pages: [{ id: "page_0", title: "Ä" }] });
  expect(log.entries).toEqual(segments.flatMap((entries) => entries ?? []));
  expect(log.entries.map((each) => (each as { number: number }).number)).toEqual(numbers);
}); // prettier-ignore

test("an archive is read in small pieces as the client reads it", async () => {
  const { blobs, recording } = await recordingOf(Array.from({ length: 5 }, (_, at) => [entry(at, 100_000)]));
  let opened = 0;
  const { stream } = blobs;
  blobs.stream = async (key) => (opened++, await stream(key));
  const reader = readHar({ blobs }, recording).getReader();
  const sizes: number[] = [];
  for (let at = 0; at < 3; at++) sizes.push((await reader.read()).value?.byteLength ?? 0);
  expect(opened).toBe(1);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(65_537);
  await reader.cancel();
});

test.each([1, 2, 3, 7])("lines become a list wherever they are cut, also in pieces of %d bytes", (size) => {
  const bytes = new TextEncoder().encode('\n{"a":1}\n\n{"b":2}\n{"c":"ä"}');
  const list = new JsonLines();
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(list.add(bytes.subarray(at, at + size)));
  list.startLine();
  pieces.push(list.add(new TextEncoder().encode('{"d":4}')));
  expect(Buffer.concat(pieces).toString()).toBe('{"a":1},{"b":2},{"c":"ä"},{"d":4}');
});
