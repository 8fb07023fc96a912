import type { Action } from "../../../core/scrape/actions.ts";
import type { PageFile } from "../../../core/scrape/page.ts";
import type { PageSession } from "../page/page-session.ts";
import type { OutputRoom } from "./output-room.ts";
import { fromBase64 } from "./take-screenshot.ts";

type PdfAction = Extract<Action, { type: "pdf" | "generatePDF" }>;

/** Width and height in inches (ISO 216, ANSI/ASME Y14.1). */
const PAPER: Record<PdfAction["format"], [number, number]> = {
  A0: [33.1, 46.8],
  A1: [23.4, 33.1],
  A2: [16.54, 23.4],
  A3: [11.7, 16.54],
  A4: [8.27, 11.7],
  A5: [5.83, 8.27],
  A6: [4.13, 5.83],
  Letter: [8.5, 11],
  Legal: [8.5, 14],
  Tabloid: [11, 17],
  Ledger: [17, 11],
};

const CHUNK_BYTES = 1_000_000;

/** Prints the page. @throws Error when the PDF does not fit into `room` */
export async function printPdf(
  page: PageSession,
  { format, landscape, scale }: PdfAction,
  room: OutputRoom,
): Promise<PageFile> {
  const [paperWidth, paperHeight] = PAPER[format];
  const options = { landscape, scale, paperWidth, paperHeight, printBackground: true };
  const { stream } = await page.send("Page.printToPDF", { ...options, transferMode: "ReturnAsStream" });
  if (stream === undefined) throw new Error("the browser made no PDF");
  try {
    return { bytes: await readStream(page, stream, room), contentType: "application/pdf" };
  } finally {
    page.connection.send("IO.close", { handle: stream }, page.ids.sessionId).catch(() => undefined);
  }
}

async function readStream(page: PageSession, handle: string, room: OutputRoom): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { data, base64Encoded, eof } = await page.send("IO.read", { handle, size: CHUNK_BYTES });
    const chunk = base64Encoded === true ? fromBase64(data) : new TextEncoder().encode(data);
    room.take(chunk.byteLength);
    chunks.push(chunk);
    length += chunk.byteLength;
    if (eof) return joined(chunks, length);
  }
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}
