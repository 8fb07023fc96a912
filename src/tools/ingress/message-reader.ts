import type { MessageBody } from "./message-body.ts";

/** A head that is longer is refused. */
export const HEAD_BYTES = 65_536;
/** The end of a head, also with bare line feeds. */
const HEAD_END = /\n\r?\n/;
/** Characters of `HEAD_END`, but for the last. */
const END_LENGTH = 2;

/** Finds the end of one message, of which it keeps only what its head tells. */
export class MessageReader<Head extends { body: MessageBody }> {
  readonly #readHead: (text: string) => Head;
  #head: Head | undefined;
  /** The part of the head that has come. */
  #text = "";
  #bytes = 0;

  /** @param readHead reads the lines of a head, and throws an error when they are none. */
  constructor(readHead: (text: string) => Head) {
    this.#readHead = readHead;
  }

  /** undefined until all of it has come. */
  get head(): Head | undefined {
    return this.#head;
  }

  get isComplete(): boolean {
    return this.#head?.body.isComplete === true;
  }

  /**
   * @returns how many of the bytes, from the first on, belong to the message.
   * @throws Error when they are no message of HTTP/1.1, or when its head is too long.
   */
  take(bytes: Buffer): number {
    if (this.#head !== undefined) return this.#head.body.take(bytes);
    const start = this.#text === "" ? emptyLinesOf(bytes) : 0;
    const added = bytes.toString("latin1", start);
    const tail = this.#text.slice(-END_LENGTH);
    const end = HEAD_END.exec(tail + added);
    if (end === null) {
      this.#text += added;
      this.#count(bytes.byteLength);
      return bytes.byteLength;
    }
    const length = start + end.index + end[0].length - tail.length;
    this.#count(length);
    const text = this.#text + added.slice(0, length - start);
    this.#text = "";
    this.#head = this.#readHead(text.replace(/\r?\n\r?\n$/, ""));
    return length + this.#head.body.take(bytes.subarray(length));
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > HEAD_BYTES) throw new Error(`The head is longer than ${HEAD_BYTES} bytes`);
  }
}

/** Returns the number of line ends before the first line, which are to be ignored (RFC 9112 § 2.2). */
function emptyLinesOf(bytes: Buffer): number {
  let start = 0;
  while (bytes[start] === 0x0d || bytes[start] === 0x0a) start++;
  return start;
}
