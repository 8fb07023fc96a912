import { v7 as uuidv7 } from "uuid";
import { expect, test } from "vitest";
import { recordingFolder, recordingKeys } from "../../../../src/core/sessions/recording-keys.ts";
import { Recorder, type RecordingNote } from "../../../../src/platform/live-view/recorder.ts";
import { HarLog, type HarEntry } from "../../../../src/sessions/recording/har.ts";
import { memoryBlobs } from "../../../fakes/memory/memory-blobs.ts";

const NOTE: RecordingNote = {
  sessionId: uuidv7(),
  teamId: "team",
  browserId: "browser",
  playToken: "token",
  startedMs: 1_000,
};

/** An entry of some 10,000 characters. */
function largeEntry(): HarEntry {
  const log = new HarLog();
  const params = {
    requestId: "1",
    loaderId: "1",
    documentURL: "https://example.com/",
    request: {
      url: `https://example.com/?${"a=1&".repeat(1_000)}`,
      method: "GET",
      headers: {},
      initialPriority: "High",
      referrerPolicy: "no-referrer",
    },
    timestamp: 1,
    wallTime: 1,
    initiator: { type: "other" },
    redirectHasExtraInfo: false,
  } as const;
  log.receive("tab", { method: "Network.requestWillBeSent", params });
  const ended = { requestId: "1", timestamp: 2, encodedDataLength: 0 };
  const entry = log.receive("tab", { method: "Network.loadingFinished", params: ended });
  if (entry === undefined) throw new Error("no entry");
  return entry;
}

/** Records copies of an entry until no more is taken. @returns how many were taken */
function fill(recorder: Recorder, entry: HarEntry): number {
  let taken = 0;
  while (taken < 10_000 && recorder.request("tab", entry)) taken++;
  return taken;
}

test("requests are recorded up to a number of characters, before they are written and in a later object too", async () => {
  const blobs = memoryBlobs();
  const entry = largeEntry();
  const recorder = await Recorder.open(NOTE, blobs);
  const most = fill(recorder, entry);
  expect(most * JSON.stringify(entry).length).toBeGreaterThanOrEqual(30_000_000);
  expect(most).toBeLessThan(10_000);
  await recorder.flush(2_000);
  expect(fill(await Recorder.open(NOTE, blobs), entry)).toBe(0);
});

test("a recording without a number of characters continues", async () => {
  const blobs = memoryBlobs();
  const { browserId: _, ...manifest } = NOTE;
  const before = { ...manifest, pages: [], network: { segments: 1, entries: 1 } };
  const key = recordingKeys.manifest(recordingFolder(NOTE.sessionId) ?? "");
  await blobs.put(key, JSON.stringify(before));
  const recorder = await Recorder.open(NOTE, blobs);
  expect(recorder.request("tab", largeEntry())).toBe(true);
  await recorder.finish(2_000);
  expect(JSON.parse((await blobs.text(key)) ?? "")).toMatchObject({ network: { segments: 2, entries: 2 } });
});
