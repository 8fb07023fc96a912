import { AppError } from "../../core/errors.ts";
import type { Owner } from "../../core/fair-order.ts";
import type { HeldBytes } from "../../core/waits/held-bytes.ts";

/** Shorter documents are sent as they are. */
const LONG_CHARS = 262_144;
const PIECE_CHARS = 65_536;
/** A document of which no piece was read for so long belongs to a client that is gone: a Worker is not always told. */
const LOST_MS = 120_000;
/** A team whose clients have less than this to read is not refused, whatever others hold. */
const FEW_CHARS = 4_000_000;
const TOO_MUCH = "The answers to other requests of this team are not read. Read them before sending more.";

interface Unread {
  teamId: string;
  chars: number;
  readAtMs: number;
  /** Frees its memory. */
  release(): void;
}

/** Whose memory a document takes until its client has read it, or has left. */
interface Reader {
  memory: Pick<HeldBytes, "hold">;
  owner: Owner;
  left?: AbortSignal | undefined;
}

/** Sends long documents and other answers in pieces, and counts those of an isolate that their clients have not read. */
export class UnreadDocuments {
  readonly #unread = new Set<Unread>();
  readonly #nowMs: () => number;

  constructor({ nowMs = Date.now }: { nowMs?: () => number } = {}) {
    this.#nowMs = nowMs;
  }

  /** @throws AppError `RATE_LIMITED` when the clients of the team have left too much unread for its memory */
  checkRoom(memory: Pick<HeldBytes, "hasRoom">, owner: Owner): void {
    if (this.charsOf(owner.teamId) < FEW_CHARS || memory.hasRoom(owner)) return;
    throw new AppError("RATE_LIMITED", TOO_MUCH, { retryAfterSeconds: 1 });
  }

  /** Returns the characters of the documents that the clients of a team have not read to their end. */
  charsOf(teamId: string): number {
    let chars = 0;
    for (const each of this.#unread) {
      if (this.#nowMs() - each.readAtMs > LOST_MS) this.#forget(each);
      else if (each.teamId === teamId) chars += each.chars;
    }
    return chars;
  }

  bodyOf(text: string, { memory, owner, left }: Reader): string | ReadableStream<Uint8Array> {
    if (text.length < LONG_CHARS) return text;
    const { teamId } = owner;
    const release = memory.hold(owner, text.length, left);
    const unread: Unread = { teamId, chars: text.length, readAtMs: this.#nowMs(), release };
    const forget = (): void => {
      this.#forget(unread);
      left?.removeEventListener("abort", forget);
    };
    if (left?.aborted !== true) this.#unread.add(unread);
    left?.addEventListener("abort", forget);
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
      cancel: () => {
        forget();
        pieces.return(undefined);
      },
    });
  }

  #forget(unread: Unread): void {
    this.#unread.delete(unread);
    unread.release();
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
