import type { Owner } from "../../core/fair-order.ts";
import { HeldBytes } from "../../core/waits/held-bytes.ts";
import { takeRoom } from "../../core/waits/take-room.ts";

/** A reader that has not ended by then never will: a cancelled request runs no `finally`. */
const LIFE_MS = 900_000;

interface Reading<Result> {
  /** Reads the upload. What is long waits for its turn, in the name of an owner, for some ms at most. */
  work: (takeTurn: (owner: Owner, waitMs: number) => Promise<() => void>) => Promise<Result>;
  /** Deletes the upload when it was read and no other request is about to read it. */
  forget: () => Promise<void>;
  /** Aborted when the client has left. */
  left?: AbortSignal | undefined;
}

/** The requests of an isolate that read uploads. */
export class UploadReaders {
  /** A turn is one byte, of which each upload has one. */
  readonly #turns = new HeldBytes({ ofTeam: 1, inAll: Infinity, lifeMs: LIFE_MS });
  readonly #present = new Map<string, { requests: number; wasRead: boolean }>();

  /** Reads an upload, and forgets it when all requests that have begun to read it have ended. */
  async run<Result>(uploadId: string, { work, forget, left }: Reading<Result>): Promise<Result> {
    const upload = this.#present.get(uploadId) ?? { requests: 0, wasRead: false };
    this.#present.set(uploadId, upload);
    upload.requests++;
    let isPresent = true;
    const leave = (): void => {
      if (!isPresent) return;
      isPresent = false;
      upload.requests--;
      if (upload.requests === 0) this.#present.delete(uploadId);
    };
    left?.addEventListener("abort", leave, { once: true });
    try {
      const result = await work(({ keyId }, waitMs) =>
        takeRoom(this.#turns, { teamId: uploadId, keyId }, 1, { waitMs, left }),
      );
      upload.wasRead = true;
      return result;
    } finally {
      left?.removeEventListener("abort", leave);
      leave();
      if (upload.wasRead && upload.requests === 0) await forget();
    }
  }
}
