import { readCodeMessage, writeCodeMessage, type CodeMessage } from "./sessions/code-run.ts";

/** Maximum length of a text frame: workerd limits WebSocket messages to 32 MiB, and a character takes up to three bytes. */
const MAX_FRAME_CHARS = 8_000_000;
/** Bytes are sent in shorter frames, between which both ends serve others: each is copied and masked in one piece. */
const MAX_FRAME_BYTES = 2_000_000;
/** Maximum length of a reassembled message, in characters and bytes. */
const MAX_MESSAGE_LENGTH = 256_000_000;
const PART = "part ";
const END_OF_BYTES = "bytes";

/**
 * Encodes a message as frames, in order. The byte arrays that it refers to come first, each in binary pieces followed
 * by a text frame; of the message's text, all pieces but the last are marked as parts.
 */
export function codeFrames(message: CodeMessage, bytes: readonly Uint8Array[] = []): (string | Uint8Array)[] {
  const frames: (string | Uint8Array)[] = [];
  for (const array of bytes) {
    for (let from = 0; from < array.byteLength; from += MAX_FRAME_BYTES) {
      frames.push(array.subarray(from, from + MAX_FRAME_BYTES));
    }
    frames.push(END_OF_BYTES);
  }
  const wire = writeCodeMessage(message);
  let from = 0;
  for (; wire.length - from > MAX_FRAME_CHARS; from += MAX_FRAME_CHARS) {
    frames.push(PART + wire.slice(from, from + MAX_FRAME_CHARS));
  }
  frames.push(wire.slice(from));
  return frames;
}

/** A message, and the byte arrays that its text refers to. */
export interface ReadMessage {
  message: CodeMessage;
  bytes: Uint8Array[];
}

/** Reassembles messages from the frames of one direction. */
export class CodeFrameReader {
  #parts: string[] = [];
  #pieces: Uint8Array[] = [];
  #bytes: Uint8Array[] = [];
  #length = 0;

  /** Returns the message that ends with this frame; undefined before its end, and for invalid or too long messages. */
  read(frame: string | ArrayBuffer): ReadMessage | undefined {
    this.#length += typeof frame === "string" ? frame.length : frame.byteLength;
    const isTooLong = this.#length > MAX_MESSAGE_LENGTH;
    if (isTooLong) [this.#parts, this.#pieces, this.#bytes] = [[], [], []];
    if (typeof frame !== "string") this.#pieces.push(...(isTooLong ? [] : [new Uint8Array(frame)]));
    else if (frame === END_OF_BYTES) this.#bytes.push(joinBytes(this.#pieces.splice(0)));
    else if (frame.startsWith(PART)) this.#parts.push(...(isTooLong ? [] : [frame.slice(PART.length)]));
    else return this.#end(isTooLong ? "" : frame);
    return undefined;
  }

  #end(last: string): ReadMessage | undefined {
    const message = readCodeMessage([...this.#parts, last].join(""));
    const bytes = this.#bytes;
    [this.#parts, this.#pieces, this.#bytes] = [[], [], []];
    this.#length = 0;
    return message === undefined ? undefined : { message, bytes };
  }
}

function joinBytes(pieces: Uint8Array[]): Uint8Array {
  const [first] = pieces;
  if (pieces.length === 1 && first !== undefined) return first;
  const joined = new Uint8Array(pieces.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.byteLength;
  }
  return joined;
}
