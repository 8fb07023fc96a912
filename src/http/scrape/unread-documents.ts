import { AppError } from "../../core/errors.ts";

/** Characters of the documents that the clients of a team are being sent. What they have not read is in memory. */
const MAX_CHARS_OF_A_TEAM = 128_000_000;
/** Shorter documents are sent as they are. */
const LONG_CHARS = 262_144;
const PIECE_CHARS = 65_536;
/** A document of which no piece was read for so long belongs to a client that is gone: a Worker is not always told. */
const LOST_MS = 120_000;
const TOO_MUCH = "The answers to other requests of this team are not read. Read them before sending more.";

interface Unread {
  teamId: string;
  chars: number;
  readAtMs: number;
}

/** Sends long documents in pieces, and counts those of an isolate that their clients have not read. */
export class UnreadDocuments {
  readonly #unread = new Set<Unread>();
  readonly #maxChars: number;
  readonly #nowMs: () => number;

  constructor({ maxChars = MAX_CHARS_OF_A_TEAM, nowMs = Date.now }: { maxChars?: number; nowMs?: () => number } = {}) {
    this.#maxChars = maxChars;
    this.#nowMs = nowMs;
  }

  /** @throws AppError `RATE_LIMITED` when the clients of the team have left too much unread */
  checkRoom(teamId: string): void {
    if (this.charsOf(teamId) > this.#maxChars) throw new AppError("RATE_LIMITED", TOO_MUCH, { retryAfterSeconds: 1 });
  }

  /** Returns the characters of the documents that the clients of a team have not read to their end. */
  charsOf(teamId: string): number {
    let chars = 0;
    for (const each of this.#unread) {
      if (this.#nowMs() - each.readAtMs > LOST_MS) this.#unread.delete(each);
      else if (each.teamId === teamId) chars += each.chars;
    }
    return chars;
  }

  /** @param clientLeft frees the place of a document whose client leaves */
  bodyOf(text: string, teamId: string, clientLeft?: AbortSignal): string | ReadableStream<Uint8Array> {
    if (text.length < LONG_CHARS) return text;
    const unread: Unread = { teamId, chars: text.length, readAtMs: this.#nowMs() };
    const forget = (): void => {
      this.#unread.delete(unread);
      clientLeft?.removeEventListener("abort", forget);
    };
    if (clientLeft?.aborted !== true) this.#unread.add(unread);
    clientLeft?.addEventListener("abort", forget);
    const pieces = piecesOf(text);
    return new ReadableStream({
      pull: (controller) => {
        const { value, done } = pieces.next();
        unread.readAtMs = this.#nowMs();
        if (done === true) {
          forget();
          controller.close();
        } else {
          // All of the text is in memory until the last piece was read.
          controller.enqueue(value);
        }
      },
      cancel: forget,
    });
  }
}

function* piecesOf(text: string): Generator<Uint8Array, undefined> {
  const encoder = new TextEncoder();
  for (let start = 0; start < text.length;) {
    let end = Math.min(start + PIECE_CHARS, text.length);
    // The two halves of a character stay together.
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end--;
    yield encoder.encode(text.slice(start, end));
    start = end;
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
