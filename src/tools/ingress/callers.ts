import { createHash } from "node:crypto";

/** Callers that are remembered. */
const MOST_CALLERS = 10_000;
/** All requests without a key, or with one that the service has not accepted yet. */
const STRANGERS = "";

/** Tells apart whose turn it is, by what the service answered: thousands of made-up keys are one owner. */
export class Callers {
  /** Hashes of credentials that were accepted; those used last are at the end. */
  readonly #known = new Set<string>();

  /** @param credential the value of `Authorization`. */
  ownerOf(credential: string | undefined): string {
    if (credential === undefined) return STRANGERS;
    const caller = hashOf(credential);
    if (!this.#known.delete(caller)) return STRANGERS;
    this.#known.add(caller);
    return caller;
  }

  /** Notes whether the service accepted the credential. */
  note(credential: string | undefined, status: number): void {
    if (credential === undefined) return;
    const caller = hashOf(credential);
    if (status === 401) this.#known.delete(caller);
    else if (status < 300) this.#remember(caller);
  }

  #remember(caller: string): void {
    this.#known.add(caller);
    if (this.#known.size <= MOST_CALLERS) return;
    const [oldest = ""] = this.#known;
    this.#known.delete(oldest);
  }
}

function hashOf(credential: string): string {
  return createHash("sha256").update(credential).digest("base64");
}
