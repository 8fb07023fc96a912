import type { Owner } from "../core/fair-order.ts";
import type { FileToRecognise, Recognition } from "../core/ocr/recognition.ts";

export interface OcrRequest extends FileToRecognise {
  /** Ms since the epoch; the pages that are recognised by then are returned. Includes the wait for a browser. */
  deadlineMs: number;
  owner?: Owner | undefined;
}

/** Recognises text in scans and pictures. Closes all that it opens; never throws. */
export interface OcrEngine {
  /** Languages that it reads, as ISO 639-3 codes. */
  readonly languages: readonly string[];
  recognise(request: OcrRequest): Promise<Recognition>;
}
