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
  /** The part of a head that has come; undefined in the content of a part. */
  #head: Buffer | undefined;
  /** The last bytes of content, in which a boundary may have begun. */
  #rest = EMPTY;
  #hasParts = false;
  #isText = false;
  #textBytes = 0;

  /** @param mark two hyphens and the boundary */
  constructor(mark: Buffer) {
    this.#mark = mark;
  }

  /** @returns what is longer than it may be, if anything is */
  take(chunk: Buffer): "head" | "text" | undefined {
    let bytes: Buffer | undefined = chunk;
    while (bytes !== undefined) {
      bytes = this.#head === undefined ? this.#takeContent(bytes) : this.#takeHead(this.#head, bytes);
      if (this.#head !== undefined && this.#head.length > MAX_HEAD_BYTES) return "head";
      if (this.#textBytes > MAX_TEXT_BYTES) return "text";
    }
    return undefined;
  }

  /** @returns what follows the next boundary; undefined when there is none yet */
  #takeContent(bytes: Buffer): Buffer | undefined {
    const all = Buffer.concat([this.#rest, bytes]);
    for (let at = all.indexOf(this.#mark); at !== -1; at = all.indexOf(this.#mark, at + 1)) {
      // Elsewhere in a line it is content. Only the first one may have anything in front of it.
      if (this.#hasParts && all[at - 1] !== LINE_FEED) continue;
      this.#hasParts = true;
      this.#head = EMPTY;
      this.#count(at - this.#rest.length);
      return all.subarray(at + this.#mark.length);
    }
    this.#count(bytes.length);
    this.#rest = Buffer.from(all.subarray(-this.#mark.length));
    return undefined;
  }

  /** @returns the content that follows the head; undefined when its end has not come yet */
  #takeHead(before: Buffer, bytes: Buffer): Buffer | undefined {
    const head = Buffer.concat([before, bytes.subarray(0, MAX_HEAD_BYTES + 1 - before.length)]);
    const isClosing = head.toString("latin1", 0, CLOSING.length) === CLOSING;
    const end = isClosing ? 0 : head.indexOf(HEAD_END);
    if (end === -1) {
      this.#head = head;
      return undefined;
    }
    this.#head = undefined;
    this.#isText = !isClosing && !FILE_NAME.test(head.toString("latin1", 0, end));
    const length = end + (isClosing ? CLOSING.length : HEAD_END.length);
    // A boundary right behind the head begins a line.
    this.#rest = Buffer.from(head.subarray(Math.max(0, length - CLOSING.length), length));
    return bytes.subarray(length - before.length);
  }

  #count(bytes: number): void {
    if (this.#isText) this.#textBytes += Math.max(0, bytes);
  }
}
