import { CFB, type StreamEntry } from "#xlsx";
import { AppError } from "../../../core/errors.ts";
import { openCompoundFile } from "../containers/compound-file.ts";

/** Streams that SheetJS reads: the workbook, also of Quattro Pro, its properties, and what shows a password. */
const STREAMS = [
  "Workbook",
  "Book",
  "PerfectOffice_MAIN",
  "NativeContent_MAIN",
  "\u0005SummaryInformation",
  "\u0005DocumentSummaryInformation",
  "\u0001CompObj",
  "encryption",
];
const STREAM = 2;
const ROOT = "Root Entry/";

/** The streams of a compound file in the form of SheetJS. */
export interface WorkbookStreams {
  FullPaths: string[];
  FileIndex: StreamEntry[];
}

/**
 * Opens the compound file of an Excel 97–2003 workbook. SheetJS's own reader copies the chain of every sector, so that
 * a file of 1 MB whose chains overlap takes more than 1.5 GB.
 * @throws SCRAPE_DOCUMENT_PREFETCH_FAILED when it is cut short or its chains do not end, SCRAPE_UNSUPPORTED_FILE_ERROR
 * for a password
 */
export function openWorkbookStreams(bytes: Uint8Array): WorkbookStreams {
  const container = openCompoundFile(bytes);
  // An encrypted workbook in the newer formats is a compound file around the archive, [MS-OFFCRYPTO] § 1.3.3.
  if (container.stream("EncryptedPackage") !== undefined) {
    throw new AppError("SCRAPE_UNSUPPORTED_FILE_ERROR", "The workbook is protected by a password");
  }
  const streams = STREAMS.flatMap((name) => {
    const content = container.stream(name);
    return content === undefined ? [] : [entryOf(name, content.slice())];
  });
  return {
    FullPaths: [ROOT, ...streams.map(({ name }) => ROOT + name)],
    FileIndex: [entryOf(ROOT, new Uint8Array()), ...streams],
  };
}

function entryOf(name: string, content: Uint8Array): StreamEntry {
  CFB.utils.prep_blob(content, 0);
  return { name, type: STREAM, size: content.length, content };
}
