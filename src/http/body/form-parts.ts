import { Buffer } from "node:buffer";

/** Name, file name and type of a part: the parser of a form takes a second for ten million bytes. */
export const MAX_HEAD_BYTES = 8_192;
/** Contents of parts that are no files, together: they are decoded, and 50 MB of bytes that are no text take a second. */
export const MAX_TEXT_BYTES = 10 * 1024 * 1024;
const HEAD_END = "\r\n\r\n";
/** In the head of a file. */
const FILE_NAME = /;\s*filename\*?=/i;
/** After the last boundary. */
const CLOSING = "--";
const LINE_FEED = 0x0a;
const EMPTY = Buffer.alloc(0);

/** Measures the parts of a form (RFC 7578) while its bytes pass, without keeping more than one head. */
export class FormParts {
  readonly #mark: Buffer;
  /** The part of a head that has come, or the last bytes of content, in which a boundary may have begun. */
  #rest = EMPTY;
  #isHead = false;
  #hasParts = false;
  #isText = false;
  #textBytes = 0;

  /** @param mark two hyphens and the boundary */
  constructor(mark: Buffer) {
    this.#mark = mark;
  }

  /**
   * Takes time for the bytes and for the boundaries in them.
   * @returns what is longer than it may be, if anything is
   */
  take(chunk: Buffer): "head" | "text" | undefined {
    const bytes = Buffer.concat([this.#rest, chunk]);
    let at = 0;
    let countedTo = this.#rest.length;
    for (;;) {
      if (this.#isHead) {
        const end = this.#endOfHead(bytes, at);
        if (end === undefined) {
          this.#rest = Buffer.from(bytes.subarray(at, at + MAX_HEAD_BYTES + 1));
          return this.#rest.length > MAX_HEAD_BYTES ? "head" : undefined;
        }
        this.#isHead = false;
        at = end;
        countedTo = end;
      }
      const found = this.#findMark(bytes, at);
      if (this.#isText) this.#textBytes += Math.max(0, (found ?? bytes.length) - countedTo);
      if (this.#textBytes > MAX_TEXT_BYTES) return "text";
      if (found === undefined) {
        // One byte more than a boundary begun may have: it must be a line feed.
        this.#rest = Buffer.from(bytes.subarray(Math.max(0, at - 1, bytes.length - this.#mark.length)));
        return undefined;
      }
      this.#hasParts = true;
      this.#isHead = true;
      at = found + this.#mark.length;
    }
  }

  /** @returns where the next boundary is; undefined when there is none yet */
  #findMark(bytes: Buffer, from: number): number | undefined {
    for (let at = bytes.indexOf(this.#mark, from); at !== -1; at = bytes.indexOf(this.#mark, at + 1)) {
      // Elsewhere in a line it is content. Only the first one may have anything in front of it.
      if (!this.#hasParts || bytes[at - 1] === LINE_FEED) return at;
    }
    return undefined;
  }

  /** @returns where the content behind the head begins; undefined when the end of the head has not come yet */
  #endOfHead(bytes: Buffer, from: number): number | undefined {
    const head = bytes.subarray(from, from + MAX_HEAD_BYTES + 1);
    if (head.toString("latin1", 0, CLOSING.length) === CLOSING) {
      this.#isText = false;
      return from + CLOSING.length;
    }
    const end = head.indexOf(HEAD_END);
    if (end === -1) return undefined;
    this.#isText = !FILE_NAME.test(head.toString("latin1", 0, end));
    return from + end + HEAD_END.length;
  }
}
