import { createHash } from "node:crypto";
import type { RequestHead, ResponseHead } from "./http-heads.ts";

/** Callers that are remembered. */
const MOST_CALLERS = 10_000;
/** All requests without a token. */
const NOBODY = "";
/** Owners of tokens that the service has not accepted yet: a new key waits behind a part of made-up ones only. */
const STRANGERS = 16;

/** Tells apart whose turn it is, by what the service answered: thousands of made-up tokens are a few owners. */
export class Callers {
  /** Hashes of tokens that were accepted; those used last are at the end. */
  readonly #known = new Set<string>();

  ownerOf(token: string | undefined): string {
    if (token === undefined) return NOBODY;
    const caller = hashOf(token);
    if (!this.#known.delete(caller)) return `stranger ${caller.charCodeAt(0) % STRANGERS}`;
    this.#known.add(caller);
    return caller;
  }

  /** Notes whether the service accepted the token. Most responses tell nothing of it: some paths need none. */
  note(
    { token, isSessionToken }: Pick<RequestHead, "token" | "isSessionToken">,
    { status, isCounted }: Pick<ResponseHead, "status" | "isCounted">,
  ): void {
    if (token === undefined) return;
    if (status === 401) this.#known.delete(hashOf(token));
    else if (isSessionToken ? status === 101 : isCounted) this.#remember(hashOf(token));
  }

  #remember(caller: string): void {
    this.#known.add(caller);
    if (this.#known.size <= MOST_CALLERS) return;
    const [oldest = ""] = this.#known;
    this.#known.delete(oldest);
  }
}

function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("base64");
}
