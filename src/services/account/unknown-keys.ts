const MINUTE_MS = 60_000;
/** Different unknown keys that one address may have looked up in a minute. */
export const UNKNOWN_KEYS_A_MINUTE = 30;
const MAX_ADDRESSES = 10_000;

/**
 * Counts the different unknown keys that each address has sent to this isolate, so that guessing keys costs few look-ups.
 * A client that goes on with one revoked key counts as one.
 */
export class UnknownKeys {
  readonly #seen = new Map<string, { sinceMs: number; marks: Set<number> }>();

  /** Returns the seconds until the address may have a key looked up; 0 when it may now. */
  waitSeconds(address: string | undefined, nowMs: number): number {
    const known = address === undefined ? undefined : this.#seen.get(networkOf(address));
    if (known === undefined || known.marks.size < UNKNOWN_KEYS_A_MINUTE) return 0;
    return Math.max(0, Math.ceil((known.sinceMs + MINUTE_MS - nowMs) / 1000));
  }

  /** Counts an unknown key. Without an address, as on a server of one's own, nothing is counted. */
  note(address: string | undefined, keyHash: string, nowMs: number): void {
    if (address === undefined) return;
    const network = networkOf(address);
    const known = this.#seen.get(network);
    if (known !== undefined && nowMs - known.sinceMs < MINUTE_MS) {
      if (known.marks.size < UNKNOWN_KEYS_A_MINUTE) known.marks.add(markOf(keyHash));
      return;
    }
    // Moved to the end: the addresses are in the order in which their minutes began.
    this.#seen.delete(network);
    const [oldest] = this.#seen.keys();
    if (this.#seen.size >= MAX_ADDRESSES && oldest !== undefined) this.#seen.delete(oldest);
    this.#seen.set(network, { sinceMs: nowMs, marks: new Set([markOf(keyHash)]) });
  }
}

/** Thirty bits of the SHA-256 of a key, which tell the keys of one address apart. */
const markOf = (keyHash: string): number => Number.parseInt(keyHash.slice(0, 8), 16) >>> 2;

/** An IPv6 client has at least the addresses of a /64 (RFC 6177): they count as one. */
function networkOf(address: string): string {
  if (!address.includes(":")) return address;
  const [head = ""] = address.split("::", 1);
  const groups = head.split(":");
  return Array.from({ length: 4 }, (_, place) => groups[place] || "0").join(":");
}
