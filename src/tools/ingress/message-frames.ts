/** A message up to this size costs the service little, and waits for nothing. */
export const SHORT_BYTES = 65_536;
/** Opcodes from this on are those of control frames, which may come within a message. */
const FIRST_CONTROL = 8;
const [TWO_BYTES, EIGHT_BYTES] = [126, 127];
const EMPTY = Buffer.alloc(0);

/** Bytes of a connection, and what they wait for: the begin or the end of a long message. */
export interface FrameStep {
  bytes: Buffer;
  waitsFor: "nothing" | "begin" | "end";
  /** Bytes of the message up to here. */
  messageBytes: number;
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

  read(bytes: Buffer): FrameStep[] {
    const steps: FrameStep[] = [];
    let at = 0;
    while (at < bytes.byteLength) {
      if (this.#payloadLeft > 0) {
        at += this.#readPayload(bytes.subarray(at), steps);
        continue;
      }
      const before = this.#header.byteLength;
      const header = Buffer.concat([this.#header, bytes.subarray(at, at + headerBytes(this.#header) - before)]);
      at += header.byteLength - before;
      this.#header = header;
      if (header.byteLength === headerBytes(header)) this.#readHeader(steps);
    }
    return steps;
  }

  #readHeader(steps: FrameStep[]): void {
    const header = this.#header;
    this.#header = EMPTY;
    const first = header.readUInt8(0);
    this.#isFinal = (first & 0x80) !== 0;
    this.#isControl = (first & 0x0f) >= FIRST_CONTROL;
    this.#payloadLeft = payloadBytes(header);
    if (!this.#isControl) this.#messageBytes += this.#payloadLeft;
    const begins = !this.#isControl && !this.#isLong && this.#messageBytes > SHORT_BYTES;
    if (begins) this.#isLong = true;
    if (this.#payloadLeft > 0) this.#add(steps, header, begins ? "begin" : "nothing");
    else this.#endFrame(steps, header);
  }

  /** @returns the number of bytes that it has read */
  #readPayload(bytes: Buffer, steps: FrameStep[]): number {
    const payload = bytes.subarray(0, this.#payloadLeft);
    this.#payloadLeft -= payload.byteLength;
    if (this.#payloadLeft > 0) this.#add(steps, payload, "nothing");
    else this.#endFrame(steps, payload);
    return payload.byteLength;
  }

  /** @param bytes the last ones of a frame */
  #endFrame(steps: FrameStep[], bytes: Buffer): void {
    const ends = this.#isFinal && !this.#isControl;
    this.#add(steps, bytes, ends && this.#isLong ? "end" : "nothing");
    if (!ends) return;
    this.#messageBytes = 0;
    this.#isLong = false;
  }

  #add(steps: FrameStep[], bytes: Buffer, waitsFor: FrameStep["waitsFor"]): void {
    steps.push({ bytes, waitsFor, messageBytes: this.#messageBytes });
  }
}

/** Returns the length of a header; of one that has not come whole, the length that is known, 2 at least. */
function headerBytes(header: Buffer): number {
  const second = header[1];
  if (second === undefined) return 2;
  const size = second & 0x7f;
  return 2 + (size === EIGHT_BYTES ? 8 : size === TWO_BYTES ? 2 : 0) + ((second & 0x80) === 0 ? 0 : 4);
}

function payloadBytes(header: Buffer): number {
  const size = header.readUInt8(1) & 0x7f;
  if (size === EIGHT_BYTES) return Number(header.readBigUInt64BE(2));
  return size === TWO_BYTES ? header.readUInt16BE(2) : size;
}
