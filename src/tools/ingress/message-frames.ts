/** A message up to this size costs the service little, and waits for nothing. */
export const SHORT_BYTES = 65_536;
/** Opcodes from this on are those of control frames, which may come within a message. */
const FIRST_CONTROL = 8;
const [TWO_BYTES, EIGHT_BYTES] = [126, 127];
const EMPTY = Buffer.alloc(0);
/** Frames of one step. A read of 64 kB has fewer of them, unless they are nearly empty. */
const MOST_FRAMES = 2_000;

/** Bytes of a connection, and what they wait for: the begin or the end of a long message. */
export interface FrameStep {
  bytes: Buffer;
  waitsFor: "nothing" | "begin" | "end";
  /** Bytes of the message up to here. */
  messageBytes: number;
  /** Frames whose headers end in the bytes. */
  frames: number;
}

/** Finds long messages in the frames of a WebSocket client (RFC 6455 § 5.2), without keeping or decoding them. */
export class MessageFrames {
  /** The part of a frame's header that has come. */
  #header = EMPTY;
  #payloadLeft = 0;
  #isControl = false;
  #isFinal = false;
  #messageBytes = 0;
  #isLong = false;

  /** @returns the bytes in steps, as few as there can be */
  read(chunk: Buffer): FrameStep[] {
    const bytes = this.#header.byteLength === 0 ? chunk : Buffer.concat([this.#header, chunk]);
    this.#header = EMPTY;
    const steps: FrameStep[] = [];
    let [frames, from, at] = [0, 0, 0];
    const add = (to: number, waitsFor: FrameStep["waitsFor"]): void => {
      if (to === from) return;
      steps.push({ bytes: bytes.subarray(from, to), waitsFor, messageBytes: this.#messageBytes, frames });
      [from, frames] = [to, 0];
    };
    while (at < bytes.byteLength) {
      if (this.#payloadLeft > 0) {
        const taken = Math.min(this.#payloadLeft, bytes.byteLength - at);
        this.#payloadLeft -= taken;
        at += taken;
      } else {
        const start = at;
        const length = headerBytes(bytes, at);
        if (length === undefined) {
          add(start, "nothing");
          this.#header = Buffer.from(bytes.subarray(start));
          return steps;
        }
        at += length;
        const begins = this.#beginFrame(bytes, start);
        if (begins || frames === MOST_FRAMES) add(start, "nothing");
        frames++;
        if (begins) add(at, "begin");
      }
      if (this.#payloadLeft > 0 || !this.#isFinal || this.#isControl) continue;
      if (this.#isLong) add(at, "end");
      this.#messageBytes = 0;
      this.#isLong = false;
    }
    add(at, "nothing");
    return steps;
  }

  /** @returns true when the message becomes long with this frame */
  #beginFrame(bytes: Buffer, at: number): boolean {
    const first = bytes.readUInt8(at);
    this.#isFinal = (first & 0x80) !== 0;
    this.#isControl = (first & 0x0f) >= FIRST_CONTROL;
    this.#payloadLeft = payloadBytes(bytes, at);
    if (this.#isControl) return false;
    this.#messageBytes += this.#payloadLeft;
    const begins = !this.#isLong && this.#messageBytes > SHORT_BYTES;
    if (begins) this.#isLong = true;
    return begins;
  }
}

/** Returns the length of the header at a place; undefined when it has not come whole. */
function headerBytes(bytes: Buffer, at: number): number | undefined {
  if (at + 2 > bytes.byteLength) return undefined;
  const second = bytes.readUInt8(at + 1);
  const size = second & 0x7f;
  const length = 2 + (size === EIGHT_BYTES ? 8 : size === TWO_BYTES ? 2 : 0) + ((second & 0x80) === 0 ? 0 : 4);
  return at + length > bytes.byteLength ? undefined : length;
}

function payloadBytes(bytes: Buffer, at: number): number {
  const size = bytes.readUInt8(at + 1) & 0x7f;
  if (size === EIGHT_BYTES) return Number(bytes.readBigUInt64BE(at + 2));
  return size === TWO_BYTES ? bytes.readUInt16BE(at + 2) : size;
}
