import type { Protocol } from "devtools-protocol";
import { MessageRate, MessageTurns } from "../../core/cdp/message-turns.ts";

export type Paused = Protocol.Fetch.RequestPausedEvent;

/** Requests of a session that wait for their turn; further ones fail at once. */
const MAX_WAITING = 5_000;
/** Characters of their bodies, which the browser sends along. */
const MAX_WAITING_CHARS = 8_000_000;

interface PausedRequestsOptions {
  answer(paused: Paused, sessionId: string | undefined): Promise<void>;
  /** Fails a request. */
  fail(requestId: string, sessionId: string | undefined): void;
}

/**
 * Answers the paused requests of a session in their order, 500 at once and 2,000 a second. A page may start tens of thousands:
 * those that it starts while others wait fail in the browser, which limits the requests that a page has at a time.
 */
export class PausedRequests {
  readonly #options: PausedRequestsOptions;
  readonly #turns: MessageTurns<{ paused: Paused; sessionId: string | undefined }>;

  constructor(options: PausedRequestsOptions) {
    this.#options = options;
    this.#turns = new MessageTurns({
      handle: ({ paused, sessionId }) =>
        void options.answer(paused, sessionId).catch(() => options.fail(paused.requestId, sessionId)),
      sizeOf: ({ paused: { request } }) => request.postData?.length ?? 0,
      onTooMany: () => undefined,
      rate: new MessageRate(),
    });
  }

  /** Answers a request, at once or in its turn. */
  add(paused: Paused, sessionId: string | undefined): void {
    const isFull = this.#turns.waiting >= MAX_WAITING || this.#turns.waitingSize >= MAX_WAITING_CHARS;
    if (isFull) return this.#options.fail(paused.requestId, sessionId);
    this.#turns.add({ paused, sessionId });
  }

  /** Drops the requests that wait, whose browser is gone. */
  close(): void {
    this.#turns.close();
  }
}
