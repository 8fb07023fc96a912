const SECTOR = 512;
const NUMBERS = SECTOR / 4;
const END = 0xfffffffe;
const FREE = 0xffffffff;
const NONE = 0xffffffff;
/** Streams of fewer bytes would go to the mini stream, which this writer does not have. */
const LEAST_STREAM_BYTES = 4_096;

/** A stream or a storage with streams. */
export interface CompoundEntry {
  name: string;
  content?: Uint8Array;
  /** Entries of a storage. */
  inside?: CompoundEntry[];
}

interface Oddities {
  /** Sectors at the end of the file that belong to no stream. */
  spareSectors?: number;
  /** Changes the table of sectors before it is written; sectors from `firstSpare` on belong to no stream. */
  relink?: (fat: Uint32Array, firstSpare: number) => void;
  /** First sector of the first stream, instead of its own. */
  start?: (firstSpare: number, end: number) => number;
}

interface FlatEntry {
  name: string;
  type: number;
  next: number;
  child: number;
  content: Uint8Array;
}

/** Writes a compound file ([MS-CFB] version 3). Streams are padded to 4,096 bytes. */
export function compoundFile(entries: CompoundEntry[], odd: Oddities = {}): Uint8Array {
  const directory: FlatEntry[] = [{ name: "Root Entry", type: 5, next: NONE, child: NONE, content: new Uint8Array() }];
  addInside(directory, 0, entries);
  const directorySectors = Math.ceil((directory.length * 128) / SECTOR);
  const lengths = directory.map(({ type, content }) =>
    type === 2 ? Math.ceil(Math.max(LEAST_STREAM_BYTES, content.length) / SECTOR) : 0,
  );
  const others = directorySectors + lengths.reduce((sum, each) => sum + each, 0) + (odd.spareSectors ?? 0);
  const fatSectors = Math.ceil(others / (NUMBERS - 1));
  const fat = new Uint32Array(fatSectors * NUMBERS).fill(FREE);
  fat.fill(0xfffffffd, 0, fatSectors);
  let free = fatSectors;
  const link = (count: number): number => {
    const first = free;
    for (let at = 0; at < count; at++) fat[free + at] = at + 1 < count ? free + at + 1 : END;
    free += count;
    return first;
  };
  const directoryStart = link(directorySectors);
  const starts = lengths.map((count) => (count === 0 ? END : link(count)));
  odd.relink?.(fat, free);

  const bytes = new Uint8Array((1 + fatSectors + others) * SECTOR);
  const view = new DataView(bytes.buffer);
  writeHeader(view, fatSectors, directoryStart);
  for (const [at, next] of fat.entries()) view.setUint32(SECTOR + at * 4, next, true);
  for (const [at, entry] of directory.entries()) {
    const own = starts[at] ?? END;
    const start = at === 1 && odd.start !== undefined ? odd.start(free, fatSectors + others) : own;
    writeEntry(view, (1 + directoryStart) * SECTOR + at * 128, entry, start);
    if (own !== END) bytes.set(entry.content, (1 + own) * SECTOR);
  }
  return bytes;
}

/** Entries of one storage are a tree that leans to the right. */
function addInside(directory: FlatEntry[], parent: number, entries: CompoundEntry[]): void {
  let last: FlatEntry | undefined;
  for (const { name, content = new Uint8Array(), inside } of entries) {
    const at = directory.length;
    const entry = { name, type: inside === undefined ? 2 : 1, next: NONE, child: NONE, content };
    directory.push(entry);
    if (last !== undefined) last.next = at;
    else {
      const storage = directory[parent];
      if (storage !== undefined) storage.child = at;
    }
    last = entry;
    if (inside !== undefined) addInside(directory, at, inside);
  }
}

function writeHeader(view: DataView, fatSectors: number, directoryStart: number): void {
  for (const [at, byte] of [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1].entries()) view.setUint8(at, byte);
  view.setUint16(24, 0x3e, true);
  view.setUint16(26, 3, true);
  view.setUint16(28, 0xfffe, true);
  view.setUint16(30, 9, true);
  view.setUint16(32, 6, true);
  view.setUint32(44, fatSectors, true);
  view.setUint32(48, directoryStart, true);
  view.setUint32(56, LEAST_STREAM_BYTES, true);
  view.setUint32(60, END, true);
  view.setUint32(68, END, true);
  for (let at = 0; at < 109; at++) view.setUint32(76 + at * 4, at < fatSectors ? at : FREE, true);
}

function writeEntry(view: DataView, at: number, { name, type, next, child, content }: FlatEntry, start: number): void {
  for (let letter = 0; letter < name.length; letter++) view.setUint16(at + letter * 2, name.charCodeAt(letter), true);
  view.setUint16(at + 64, name.length * 2 + 2, true);
  view.setUint8(at + 66, type);
  view.setUint32(at + 68, NONE, true);
  view.setUint32(at + 72, next, true);
  view.setUint32(at + 76, child, true);
  view.setUint32(at + 116, start, true);
  view.setUint32(at + 120, type === 2 ? Math.max(LEAST_STREAM_BYTES, content.length) : 0, true);
}
