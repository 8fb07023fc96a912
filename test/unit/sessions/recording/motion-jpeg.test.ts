import { expect, test } from "vitest";
import { initSegment, mediaSegment } from "../../../../src/sessions/recording/motion-jpeg.ts";

interface Box {
  type: string;
  at: number;
  end: number;
}

/** Boxes that stand one after another (ISO/IEC 14496-12 § 4.2); a wrong size would lead astray. */
function boxesIn(bytes: Uint8Array, from = 0, to = bytes.length): Box[] {
  const view = new DataView(bytes.buffer);
  const boxes: Box[] = [];
  let at = from;
  while (at < to) {
    const size = view.getUint32(at);
    if (size < 8 || at + size > to) throw new Error(`a box of ${size} bytes at ${at} of ${to}`);
    boxes.push({ type: String.fromCharCode(...bytes.subarray(at + 4, at + 8)), at: at + 8, end: at + size });
    at += size;
  }
  return boxes;
}

const CONTAINERS: Record<string, number> = {
  moov: 0,
  trak: 0,
  mdia: 0,
  minf: 0,
  dinf: 0,
  stbl: 0,
  mvex: 0,
  moof: 0,
  traf: 0,
  dref: 8,
  stsd: 8,
  mp4v: 78,
};

/** Paths of all boxes, the inner ones of containers too. */
function pathsIn(bytes: Uint8Array, from = 0, to = bytes.length, prefix = ""): Map<string, Box> {
  const found = new Map<string, Box>();
  for (const box of boxesIn(bytes, from, to)) {
    const path = `${prefix}/${box.type}`;
    found.set(path, box);
    const skipped = CONTAINERS[box.type];
    if (skipped === undefined) continue;
    for (const [inner, place] of pathsIn(bytes, box.at + skipped, box.end, path)) found.set(inner, place);
  }
  return found;
}

test("the beginning describes one video track of JPEG pictures", () => {
  const bytes = initSegment({ width: 1280, height: 800 });
  const boxes = pathsIn(bytes);
  const view = new DataView(bytes.buffer);
  for (const path of ["/ftyp", "/moov/mvhd", "/moov/trak/tkhd", "/moov/trak/mdia/hdlr", "/moov/mvex/trex"]) {
    expect([...boxes.keys()]).toContain(path);
  }
  const entry = boxes.get("/moov/trak/mdia/minf/stbl/stsd/mp4v")?.at ?? 0;
  expect([view.getUint16(entry + 24), view.getUint16(entry + 26)]).toEqual([1280, 800]);
  const descriptor = boxes.get("/moov/trak/mdia/minf/stbl/stsd/mp4v/esds");
  expect(bytes.subarray(descriptor?.at, descriptor?.end)).toContain(0x6c);
  // Lengths of fixed boxes: ISO/IEC 14496-12 §§ 8.2.2, 8.3.2, 8.4.2.
  const lengthOf = (path: string): number => (boxes.get(path)?.end ?? 0) - (boxes.get(path)?.at ?? 0);
  expect(["/moov/mvhd", "/moov/trak/tkhd", "/moov/trak/mdia/mdhd"].map(lengthOf)).toEqual([100, 84, 24]);
});

test("a fragment leads to its pictures, with their times", () => {
  const samples = [
    { jpeg: Uint8Array.of(1, 1, 1), durationMs: 200 },
    { jpeg: Uint8Array.of(2, 2), durationMs: 9_000 },
  ];
  const bytes = mediaSegment(samples, { index: 4, startMs: 70_000 });
  const boxes = pathsIn(bytes);
  const view = new DataView(bytes.buffer);
  const run = boxes.get("/moof/traf/trun")?.at ?? 0;
  expect([4, 8, 12, 16, 20, 24].map((at) => view.getUint32(run + at))).toEqual([
    2,
    boxes.get("/mdat")?.at,
    200,
    3,
    9_000,
    2,
  ]);
  const time = boxes.get("/moof/traf/tfdt")?.at ?? 0;
  expect(view.getBigUint64(time + 4)).toBe(70_000n);
  expect(view.getUint32((boxes.get("/moof/mfhd")?.at ?? 0) + 4)).toBe(5);
  const data = boxes.get("/mdat");
  expect([...bytes.subarray(data?.at, data?.end)]).toEqual([1, 1, 1, 2, 2]);
});
