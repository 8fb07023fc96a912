import { Buffer } from "node:buffer";

/** Name, file name and type of a part: the parser of a form takes a second for ten million bytes. */
export const MAX_HEAD_BYTES = 8_192;
const HEAD_END = "\r\n\r\n";
/** After the last boundary. */
const CLOSING = "--";
const LINE_FEED = 0x0a;
const EMPTY = Buffer.alloc(0);

/** Measures the heads of a form's parts (RFC 7578) while its bytes pass, without keeping more than one head. */
export class PartHeads {
  readonly #mark: Buffer;
  /** The part of a head that has come; undefined in the content of a part. */
  #head: Buffer | undefined;
  /** The last bytes of content, in which a boundary may have begun. */
  #rest = EMPTY;
  #hasParts = false;

  /** @param mark two hyphens and the boundary */
  constructor(mark: Buffer) {
    this.#mark = mark;
  }

  /** @returns false when a head is longer than `MAX_HEAD_BYTES` */
  take(chunk: Buffer): boolean {
    let bytes: Buffer | undefined = chunk;
    while (bytes !== undefined) {
      bytes = this.#head === undefined ? this.#takeContent(bytes) : this.#takeHead(this.#head, bytes);
      if (this.#head !== undefined && this.#head.length > MAX_HEAD_BYTES) return false;
    }
    return true;
  }

  /** @returns what follows the next boundary; undefined when there is none yet */
  #takeContent(bytes: Buffer): Buffer | undefined {
    const all = Buffer.concat([this.#rest, bytes]);
    for (let at = all.indexOf(this.#mark); at !== -1; at = all.indexOf(this.#mark, at + 1)) {
      // Elsewhere in a line it is content. Only the first one may have anything in front of it.
      if (this.#hasParts && all[at - 1] !== LINE_FEED) continue;
      this.#hasParts = true;
      this.#head = EMPTY;
      return all.subarray(at + this.#mark.length);
    }
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
    const length = end + (isClosing ? CLOSING.length : HEAD_END.length);
    // A boundary right behind the head begins a line.
    this.#rest = Buffer.from(head.subarray(Math.max(0, length - CLOSING.length), length));
    return bytes.subarray(length - before.length);
  }
}
