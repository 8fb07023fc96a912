/**
 * Pictures in time as fragments of an MP4 file (ISO/IEC 14496-12 § 8.8), each sample a JPEG file: what the browser
 * casts is kept as it comes, since there is no video encoder here. Players that know Motion JPEG (FFmpeg, VLC, mpv)
 * play it; web browsers do not, so the service has a player of its own, which takes the pictures out again.
 */

/** A picture and how long it is shown. */
export interface Sample {
  jpeg: Uint8Array;
  durationMs: number;
}

type Part = Uint8Array | number[];

/** Ticks a second: one is a millisecond. */
const TIMESCALE = 1000;
/** ISO/IEC 14496-1, object types as registered at mp4ra.org: ISO/IEC 10918-1, which is JPEG. */
const JPEG_OBJECT_TYPE = 0x6c;
const UNITY_MATRIX = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000].flatMap(u32);

/** The beginning that all fragments of one page share. */
export function initSegment({ width, height }: { width: number; height: number }): Uint8Array {
  return join([box("ftyp", text("iso5"), u32(512), text("iso5"), text("iso6"), text("mp41")), movie(width, height)]);
}

/** One fragment, with its place on the page's own time line. */
export function mediaSegment(
  samples: readonly Sample[],
  { index, startMs }: { index: number; startMs: number },
): Uint8Array {
  // A placeholder first: the offset of the pictures depends on the size of everything before them.
  const size = fragmentHead(samples, { index, startMs, dataOffset: 0 }).length;
  const head = fragmentHead(samples, { index, startMs, dataOffset: size + BOX_HEADER_BYTES });
  return join([head, box("mdat", ...samples.map(({ jpeg }) => jpeg))]);
}

const BOX_HEADER_BYTES = 8;

function fragmentHead(
  samples: readonly Sample[],
  { index, startMs, dataOffset }: { index: number; startMs: number; dataOffset: number },
): Uint8Array {
  const runs = samples.flatMap(({ jpeg, durationMs }) => [...u32(durationMs), ...u32(jpeg.length)]);
  return box(
    "moof",
    fullBox("mfhd", 0, u32(index + 1)),
    box(
      "traf",
      fullBox("tfhd", 0x020000, u32(1)),
      // Version 1: 64 bits of time.
      box("tfdt", [1, 0, 0, 0], u32(Math.floor(startMs / 2 ** 32)), u32(startMs % 2 ** 32)),
      fullBox("trun", 0x000301, u32(samples.length), u32(dataOffset), runs),
    ),
  );
}

function movie(width: number, height: number): Uint8Array {
  return box(
    "moov",
    fullBox(
      "mvhd",
      0,
      zeros(8),
      u32(TIMESCALE),
      u32(0),
      u32(0x10000),
      u16(0x100),
      zeros(10),
      UNITY_MATRIX,
      zeros(24),
      u32(2),
    ),
    box(
      "trak",
      fullBox(
        "tkhd",
        3,
        zeros(8),
        u32(1),
        zeros(8),
        zeros(16),
        UNITY_MATRIX,
        u32(width * 0x10000),
        u32(height * 0x10000),
      ),
      box(
        "mdia",
        fullBox("mdhd", 0, zeros(8), u32(TIMESCALE), u32(0), u16(0x55c4), u16(0)),
        fullBox("hdlr", 0, u32(0), text("vide"), zeros(12), text("Screen\0")),
        box(
          "minf",
          fullBox("vmhd", 1, zeros(8)),
          box("dinf", fullBox("dref", 0, u32(1), fullBox("url ", 1))),
          box(
            "stbl",
            fullBox("stsd", 0, u32(1), sampleEntry(width, height)),
            fullBox("stts", 0, u32(0)),
            fullBox("stsc", 0, u32(0)),
            fullBox("stsz", 0, u32(0), u32(0)),
            fullBox("stco", 0, u32(0)),
          ),
        ),
      ),
    ),
    box("mvex", fullBox("trex", 0, u32(1), u32(1), u32(0), u32(0), u32(0))),
  );
}

function sampleEntry(width: number, height: number): Uint8Array {
  const config = [JPEG_OBJECT_TYPE, 0x11, ...zeros(3), ...zeros(8)];
  const decoder = [0x04, config.length, ...config];
  const layer = [0x06, 1, 2];
  const descriptor = [0x03, 3 + decoder.length + layer.length, 0, 1, 0, ...decoder, ...layer];
  return box(
    "mp4v",
    [...zeros(6), ...u16(1), ...zeros(16)],
    [...u16(width), ...u16(height), ...u32(0x480000), ...u32(0x480000), ...u32(0), ...u16(1), ...zeros(32)],
    [...u16(24), 0xff, 0xff],
    fullBox("esds", 0, descriptor),
  );
}

function fullBox(type: string, flags: number, ...parts: Part[]): Uint8Array {
  return box(type, u32(flags), ...parts);
}

function box(type: string, ...parts: Part[]): Uint8Array {
  const size = parts.reduce((sum, part) => sum + part.length, BOX_HEADER_BYTES);
  return join([u32(size), text(type), ...parts]);
}

function join(parts: readonly Part[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function text(value: string): number[] {
  return Array.from(value, (character) => character.charCodeAt(0));
}

function u16(value: number): number[] {
  return [(value >>> 8) & 0xff, value & 0xff];
}

function u32(value: number): number[] {
  return [(value >>> 24) & 0xff, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff];
}

function zeros(count: number): number[] {
  return Array.from({ length: count }, () => 0);
}
