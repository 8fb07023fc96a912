import { AppError } from "../../../core/errors.ts";
import type { WorkBudget } from "../../../core/work-budget.ts";

/** Types of the records that are read, [MS-PPT] § 2.13.24. */
export const RECORDS = {
  document: 1000,
  notesAtom: 1009,
  slidePersist: 1011,
  externalObjects: 1033,
  outlineReference: 3998,
  textHeader: 3999,
  textCharacters: 4000,
  textStyles: 4001,
  textBytes: 4008,
  string: 4026,
  hyperlinkAtom: 4051,
  hyperlink: 4055,
  linkedText: 4063,
  slideList: 4080,
  interaction: 4082,
  interactionAtom: 4083,
  userEdit: 4085,
  persistDirectory: 6002,
  group: 0xf003,
  shape: 0xf004,
  clientTextbox: 0xf00d,
  childAnchor: 0xf00f,
  moreProperties: 0xf122,
} as const;

const ENCRYPTED = 0xf3d1c4df;
const HEADER_BYTES = 8;
/** Records with a persistent id; a presentation of a thousand slides has some 3,000. */
const MAX_PERSISTENT = 100_000;

export interface PptRecord {
  type: number;
  instance: number;
  isContainer: boolean;
  data: DataView;
}

/** Records of the last save by their persistent ids, and the document among them. */
export interface LiveRecords {
  document: PptRecord;
  byId: (id: number) => PptRecord | undefined;
}

/**
 * Follows the edits from the last one back, as a file retains the data of earlier saves, [MS-PPT] § 2.1.2. Edits and entries of
 * their directories beyond the budget are left out.
 * @throws SCRAPE_UNSUPPORTED_FILE_ERROR for a password, SCRAPE_DOCUMENT_PREFETCH_FAILED for a damaged file
 */
export function livePptRecords(stream: Uint8Array, currentUser: Uint8Array, budget: WorkBudget): LiveRecords {
  const view = new DataView(stream.buffer, stream.byteOffset, stream.byteLength);
  const user = new DataView(currentUser.buffer, currentUser.byteOffset, currentUser.byteLength);
  if (user.byteLength < 20) throw damaged();
  if (user.getUint32(12, true) === ENCRYPTED) {
    throw new AppError("SCRAPE_UNSUPPORTED_FILE_ERROR", "The presentation is protected by a password");
  }
  const offsets = new Map<number, number>();
  let documentId: number | undefined;
  const seen = new Set<number>();
  // Edits may name one directory any number of times.
  const directories = new Set<number>();
  for (let at = user.getUint32(16, true); at !== 0 && !seen.has(at) && takesStep(budget);) {
    seen.add(at);
    const edit = recordAt(view, at);
    if (edit?.type !== RECORDS.userEdit || edit.data.byteLength < 20) break;
    documentId ??= edit.data.getUint32(16, true);
    const directory = edit.data.getUint32(12, true);
    if (!directories.has(directory)) addOffsets(offsets, recordAt(view, directory), budget);
    directories.add(directory);
    at = edit.data.getUint32(8, true);
  }
  const byId = (id: number): PptRecord | undefined => {
    const offset = offsets.get(id);
    return offset === undefined ? undefined : recordAt(view, offset);
  };
  const document = byId(documentId ?? -1);
  if (document?.type !== RECORDS.document) throw damaged();
  return { document, byId };
}

/** Yields the records in a container; a presentation may have a million of eight bytes each, so that none is held. */
export function* childRecords(parent: PptRecord | undefined, budget: WorkBudget): Generator<PptRecord> {
  if (parent === undefined || !(parent.isContainer || parent.type === RECORDS.clientTextbox)) return;
  for (let at = 0; at + HEADER_BYTES <= parent.data.byteLength;) {
    const record = recordAt(parent.data, at);
    if (record === undefined) return;
    if (!takesStep(budget)) return;
    yield record;
    at += HEADER_BYTES + record.data.byteLength;
  }
}

/** Returns the first record in a container that `isMeant` accepts. */
export function findRecord(
  parent: PptRecord | undefined,
  budget: WorkBudget,
  isMeant: (record: PptRecord) => boolean,
): PptRecord | undefined {
  for (const record of childRecords(parent, budget)) if (isMeant(record)) return record;
  return undefined;
}

/**
 * Adds the offsets of a directory, which lists runs of consecutive ids, [MS-PPT] § 2.3.4; offsets of later edits stay.
 */
function addOffsets(offsets: Map<number, number>, directory: PptRecord | undefined, budget: WorkBudget): void {
  if (directory?.type !== RECORDS.persistDirectory) return;
  const { data } = directory;
  for (let at = 0; at + 4 <= data.byteLength && takesStep(budget);) {
    const entry = data.getUint32(at, true);
    const count = entry >>> 20;
    at += 4;
    for (let index = 0; index < count && at + 4 <= data.byteLength && takesStep(budget); index++, at += 4) {
      const id = (entry & 0xfffff) + index;
      if (offsets.size < MAX_PERSISTENT && !offsets.has(id)) offsets.set(id, data.getUint32(at, true));
    }
  }
}

function takesStep(budget: WorkBudget): boolean {
  const isLeft = budget.take();
  if (!isLeft) budget.cut("the text of the slides");
  return isLeft;
}

function recordAt(view: DataView, at: number): PptRecord | undefined {
  if (at + HEADER_BYTES > view.byteLength) return undefined;
  const head = view.getUint16(at, true);
  const length = Math.min(view.getUint32(at + 4, true), view.byteLength - at - HEADER_BYTES);
  return {
    type: view.getUint16(at + 2, true),
    instance: head >> 4,
    isContainer: (head & 0xf) === 0xf,
    data: new DataView(view.buffer, view.byteOffset + at + HEADER_BYTES, length),
  };
}

function damaged(): AppError {
  return new AppError("SCRAPE_DOCUMENT_PREFETCH_FAILED", "The presentation is damaged");
}
