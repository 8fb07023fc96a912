import type { Owner } from "../core/fair-order.ts";
import type { RecognisedPage } from "../core/ocr/recognised-page.ts";
import type {
  Descriptions,
  FiguresToDescribe,
  FileToRecognise,
  PagePart,
  Recognition,
} from "../core/ocr/recognition.ts";

/** Receives pictures of pages while their file is open. */
export interface PictureTaker {
  wants(page: RecognisedPage): boolean;
  /** Takes the picture of a page, a JPEG that is turned upright. The next page is read when the promise resolves. */
  take(page: RecognisedPage, jpeg: Uint8Array): Promise<void>;
}

export interface OcrRequest extends FileToRecognise {
  /** Ms since the epoch; the pages that are recognised by then are returned. Includes the wait for a browser. */
  deadlineMs: number;
  owner?: Owner | undefined;
  pictures?: PictureTaker;
}

export interface DrawRequest {
  /** A PDF. */
  bytes: Uint8Array;
  parts: readonly PagePart[];
  /** Ms since the epoch; the parts that are drawn by then are taken. Includes the wait for a browser. */
  deadlineMs: number;
  owner?: Owner | undefined;
  /** Takes a part as a JPEG. The next one is drawn when the promise resolves. */
  take(part: PagePart, jpeg: Uint8Array): Promise<void>;
}

/** Draws parts of PDFs. Closes all that it opens; never throws. */
export interface PageDrawer {
  /** @returns the reason why parts are missing; undefined when none is */
  draw(request: DrawRequest): Promise<Recognition["stopped"]>;
}

/** Recognises text in scans and pictures. Closes all that it opens; never throws. */
export interface OcrEngine {
  /** Languages that it reads, as ISO 639-3 codes. */
  readonly languages: readonly string[];
  /** Name of the vision model that reads pages as well. */
  readonly visionModel?: string;
  recognise(request: OcrRequest): Promise<Recognition>;
  /** Describes pictures of a PDF; undefined without a vision model. Never throws. */
  describe?(request: DescribeRequest): Promise<Descriptions>;
}

export interface DescribeRequest extends FiguresToDescribe, Pick<OcrRequest, "deadlineMs" | "owner"> {}
