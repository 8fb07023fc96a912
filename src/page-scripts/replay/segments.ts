import { BASE, QUERY } from "../page/page-url.ts";
import type { Part } from "./recording.ts";

const MAX_LOADED = 12;

/** A frame of a segment. */
export interface Frame {
  /** Time since the start of the segment, in ms. */
  atMs: number;
  jpeg: Blob;
}

/** The latest segments, those used last at the end. */
const loaded = new Map<string, Promise<Frame[]>>();

/** Returns the frames of a segment. @throws Error when it cannot be loaded */
export function loadFrames({ pageId, index }: Part): Promise<Frame[]> {
  const key = `${pageId}/${index}`;
  const known = loaded.get(key);
  loaded.delete(key);
  const loading = known ?? fetchFrames(key);
  loaded.set(key, loading);
  if (known === undefined) {
    loading.catch(() => loaded.delete(key));
    const [oldest] = loaded.keys();
    if (loaded.size > MAX_LOADED && oldest !== undefined) loaded.delete(oldest);
  }
  return loading;
}

async function fetchFrames(key: string): Promise<Frame[]> {
  const response = await fetch(`${BASE}/film/${key}.m4s${QUERY}`);
  if (!response.ok) throw new Error(String(response.status));
  return framesIn(await response.arrayBuffer());
}

/** Returns the frames of a fragment with their times (ISO/IEC 14496-12: moof, traf, trun; then mdat). */
export function framesIn(buffer: ArrayBuffer): Frame[] {
  const view = new DataView(buffer);
  const moof = boxIn(view, "moof", { at: 0, end: buffer.byteLength });
  const run = boxIn(view, "trun", boxIn(view, "traf", moof));
  const count = view.getUint32(run.at + 4);
  let from = view.getUint32(run.at + 8);
  let atMs = 0;
  const frames: Frame[] = [];
  for (let index = 0; index < count; index++) {
    const durationMs = view.getUint32(run.at + 12 + index * 8);
    const size = view.getUint32(run.at + 16 + index * 8);
    frames.push({ atMs, jpeg: new Blob([new Uint8Array(buffer, from, size)], { type: "image/jpeg" }) });
    from += size;
    atMs += durationMs;
  }
  return frames;
}

/** Content of a box: its bytes from `at` to `end`. */
interface Box {
  at: number;
  end: number;
}

/** @throws Error when there is no such box */
function boxIn(view: DataView, name: string, { at, end }: Box): Box {
  for (let start = at; start + 8 <= end;) {
    const size = view.getUint32(start);
    const type = String.fromCharCode(...new Uint8Array(view.buffer, start + 4, 4));
    if (type === name) return { at: start + 8, end: start + size };
    if (size < 8) break;
    start += size;
  }
  throw new Error(`The segment has no box ${name}`);
}
