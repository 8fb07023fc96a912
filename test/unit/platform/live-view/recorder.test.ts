import { v7 as uuidv7 } from "uuid";
import { afterEach, expect, test, vi } from "vitest";
import { recordingFolder, recordingKeys } from "../../../../src/core/sessions/recording-keys.ts";
import { Recorder, type RecordingNote } from "../../../../src/platform/live-view/recorder.ts";
import type { RecordingManifest } from "../../../../src/ports/sessions/recordings.ts";
import { HarLog, type HarEntry } from "../../../../src/sessions/recording/har.ts";
import { memoryBlobs } from "../../../fakes/memory/memory-blobs.ts";

afterEach(() => vi.restoreAllMocks());

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

const TAB = { id: "tab", url: "https://a.example/", title: "A" };

const shot = (atMs: number, size = 10) => ({ number: 1, atMs, width: 1280, height: 800, jpeg: new Uint8Array(size) });

/** Objects that cannot be written while `refuses` says so of their key. */
function refusingBlobs() {
  const blobs = memoryBlobs();
  const { put } = blobs;
  const state = { refuses: (_key: string): boolean => false };
  blobs.put = async (key, ...rest) => {
    if (state.refuses(key)) throw new Error("R2 is down");
    await put(key, ...rest);
  };
  const folder = recordingFolder(NOTE.sessionId) ?? "";
  const manifest = async () =>
    JSON.parse((await blobs.text(recordingKeys.manifest(folder))) ?? "{}") as RecordingManifest;
  /** Whether each segment that the manifest names is stored. */
  const isWhole = async () => {
    const { pages } = await manifest();
    const keys = pages.flatMap(({ segments }, page) => segments.map((_, at) => recordingKeys.film(folder, page, at)));
    return keys.every((key) => blobs.objects.has(key));
  };
  return { blobs, state, manifest, isWhole };
}

test.each(["film", "network", "manifest"])(
  "what the bucket refuses of the %s is written with the next call",
  async (part) => {
    vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const { blobs, state, manifest, isWhole } = refusingBlobs();
    const recorder = await Recorder.open(NOTE, blobs);
    recorder.frame(TAB, shot(1_000));
    await recorder.flush(2_000);
    recorder.frame(TAB, shot(3_000));
    recorder.request("tab", largeEntry());
    state.refuses = (key) => key.includes(part);
    await expect(recorder.flush(4_000)).rejects.toThrow("R2 is down");
    await expect(recorder.flush(5_000)).rejects.toThrow("R2 is down");
    expect((await manifest()).pages[0]?.segments).toHaveLength(1);
    state.refuses = () => false;
    await recorder.flush(6_000);
    expect(await manifest()).toMatchObject({ pages: [{ endMs: 4_000 }], network: { segments: 1, entries: 1 } });
    expect((await manifest()).pages[0]?.segments).toHaveLength(2);
    expect(await isWhole()).toBe(true);
  },
);

test("the manifest names no segment that is not stored yet", async () => {
  vi.spyOn(console, "warn").mockImplementation(() => undefined);
  const { blobs, state, manifest, isWhole } = refusingBlobs();
  const recorder = await Recorder.open(NOTE, blobs);
  recorder.frame(TAB, shot(1_000));
  state.refuses = () => {
    // A segment is completed while the others are written.
    recorder.frame(TAB, shot(20_000));
    recorder.frame(TAB, shot(40_000));
    return false;
  };
  await recorder.flush(2_000);
  state.refuses = (key) => key.includes("film");
  await expect(recorder.flush(41_000)).rejects.toThrow("R2 is down");
  expect((await manifest()).pages).toHaveLength(1);
  expect(await isWhole()).toBe(true);
});

test("a recording whose last write is refused ends at its first end, and takes nothing more", async () => {
  vi.spyOn(console, "warn").mockImplementation(() => undefined);
  const { blobs, state, manifest } = refusingBlobs();
  const recorder = await Recorder.open(NOTE, blobs);
  recorder.frame(TAB, shot(1_000));
  state.refuses = () => true;
  await expect(recorder.finish(2_000)).rejects.toThrow("R2 is down");
  recorder.frame(TAB, shot(3_000));
  expect(recorder.request("tab", largeEntry())).toBe(false);
  state.refuses = () => false;
  await recorder.finish(4_000);
  expect(await manifest()).toMatchObject({ endedMs: 2_000, pages: [{ endMs: 2_000 }], network: { entries: 0 } });
  const later = await Recorder.open(NOTE, blobs);
  await later.finish(9_000);
  expect(await manifest()).toMatchObject({ endedMs: 2_000 });
});

test("a recording that ends while its manifest is written has its end", async () => {
  const { blobs, state, manifest } = refusingBlobs();
  const recorder = await Recorder.open(NOTE, blobs);
  // Without pictures, the end adds no part.
  recorder.request("tab", largeEntry());
  let finishing: Promise<void> | undefined;
  state.refuses = (key) => {
    if (key.includes("manifest")) finishing ??= recorder.finish(5_000);
    return false;
  };
  await recorder.flush(2_000);
  await finishing;
  expect(await manifest()).toMatchObject({ endedMs: 5_000, network: { segments: 1 } });
});

test("a recording whose object restarted with parts that were not written is marked as cut, and one that has its end is not", async () => {
  const { blobs, manifest } = refusingBlobs();
  const first = await Recorder.open(NOTE, blobs);
  first.frame(TAB, shot(1_000));
  await first.flush(2_000);
  const next = await Recorder.open({ ...NOTE, isUnwritten: true }, blobs);
  await next.flush(12_000);
  expect(await manifest()).toMatchObject({ isCut: true, pages: [{ endMs: 2_000 }] });

  const other = refusingBlobs();
  await (await Recorder.open(NOTE, other.blobs)).finish(2_000);
  await (await Recorder.open({ ...NOTE, isUnwritten: true }, other.blobs)).finish(12_000);
  expect(await other.manifest()).toMatchObject({ isCut: false, endedMs: 2_000 });
});

test("pictures that wait for the bucket have a limit", async () => {
  vi.spyOn(console, "warn").mockImplementation(() => undefined);
  const { blobs, state, manifest } = refusingBlobs();
  const recorder = await Recorder.open(NOTE, blobs);
  state.refuses = () => true;
  for (let at = 0; at < 50; at++) recorder.frame(TAB, shot(1_000 + at * 1_000, 1_000_000));
  await expect(recorder.flush(60_000)).rejects.toThrow("R2 is down");
  state.refuses = () => false;
  await recorder.flush(61_000);
  const { isCut, pages } = await manifest();
  const bytes = pages.flatMap(({ segments }) => segments).reduce((sum, segment) => sum + segment.bytes, 0);
  expect(isCut).toBe(true);
  expect(bytes).toBeGreaterThan(18_000_000);
  expect(bytes).toBeLessThan(26_000_000);
  recorder.frame(TAB, shot(70_000));
  await recorder.flush(71_000);
  expect((await manifest()).pages[0]?.endMs).toBe(71_000);
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
