import type { ZipFiles } from "../containers/zip.ts";

/** The record that names a sheet, [MS-XLSB] § 2.4.312. */
const BUNDLE_SHEET = 156;
/** Bytes of its state and number, in front of the two texts. */
const BUNDLE_TEXTS_AT = 8;
/** A text of this length is absent, [MS-XLSB] § 2.5.167. */
const NO_TEXT = 0xffffffff;
/** Excel 2007 Beta wrote four bytes in front of the record. */
const BETA_BYTES = 4;
const MAX_PART_BYTES = 16_000_000;

interface BinaryRecord {
  type: number;
  /** Start of the record, of its data, and its end. */
  start: number;
  dataAt: number;
  end: number;
}

/**
 * Prepares the binary parts of an .xlsb workbook for SheetJS, which does not check that a text is within its record:
 * records of sheets whose texts are not are repaired or removed, and large parts are cut.
 * @returns names of the parts that lost something
 */
export function limitBinaryParts(files: ZipFiles): string[] {
  const cut: string[] = [];
  for (const [name, content] of files) {
    if (!/\.bin$/i.test(name)) continue;
    const { kept, isCut } = /(^|\/)workbook\.bin$/i.test(name)
      ? withSoundSheets(content, files)
      : atRecordEnd(content, files);
    files.set(name, kept);
    if (isCut) cut.push(name);
  }
  return cut;
}

interface LimitedPart {
  kept: Uint8Array;
  isCut: boolean;
}

/** Returns the workbook with sound records of sheets: those of the beta are repaired, others are removed. */
function withSoundSheets(content: Uint8Array, files: ZipFiles): LimitedPart {
  const kept: Uint8Array[] = [];
  let isSound = true;
  let isCut = false;
  for (const record of recordsOf(content, files)) {
    const data = content.subarray(record.dataAt, record.end);
    if (record.type !== BUNDLE_SHEET || hasSoundTexts(data)) {
      kept.push(content.subarray(record.start, record.end));
      continue;
    }
    isSound = false;
    const shifted = data.subarray(BETA_BYTES);
    if (shifted.length < 128 && hasSoundTexts(shifted)) kept.push(Uint8Array.of(0x9c, 0x01, shifted.length), shifted);
    else isCut = true;
  }
  return { kept: isSound ? content : joinParts(kept), isCut };
}

function joinParts(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** True when both texts of a record that names a sheet end within it. */
function hasSoundTexts(data: Uint8Array): boolean {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  let at = BUNDLE_TEXTS_AT;
  for (let text = 0; text < 2; text++) {
    if (at + 4 > data.length) return false;
    const characters = view.getUint32(at, true);
    at += 4 + (characters === NO_TEXT ? 0 : characters * 2);
  }
  return at <= data.length;
}

/** Returns a part up to the last record within the limit. */
function atRecordEnd(content: Uint8Array, files: ZipFiles): LimitedPart {
  if (content.length <= MAX_PART_BYTES) return { kept: content, isCut: false };
  let end = 0;
  for (const record of recordsOf(content, files)) {
    if (record.end > MAX_PART_BYTES) break;
    ({ end } = record);
  }
  return { kept: content.subarray(0, end), isCut: true };
}

/** Yields the records of a part, [MS-XLSB] § 2.1.4, up to the first one that does not end within it. */
function* recordsOf(content: Uint8Array, { budget }: ZipFiles): Generator<BinaryRecord> {
  for (let at = 0; at < content.length && budget.take();) {
    const start = at;
    let type = content[at++] ?? 0;
    if (type >= 0x80) type = (type & 0x7f) | (((content[at++] ?? 0) & 0x7f) << 7);
    let length = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = content[at++] ?? 0;
      length |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    if (at + length > content.length) return;
    yield { type, start, dataAt: at, end: at + length };
    at += length;
  }
}
