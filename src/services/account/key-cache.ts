import type { ApiKey } from "../../core/account/api-key.ts";

/** Under 30 s, the time in which a revoked key must stop, by what a replica of the database may lag behind. */
export const KEY_CACHE_MS = 25_000;
/** A key made after a refused attempt works this soon. */
export const MISS_CACHE_MS = 5_000;
const MAX_KEYS = 5_000;
const MAX_MISSES = 1_000;

/**
 * Key records by hash, for one isolate and a short time. Misses have room of their own: guessing at keys cannot push
 * good ones out. Reads in flight are not shared, since a promise of one request must not be awaited by another here.
 */
export class KeyCache {
  readonly #keys = new Map<string, { key: ApiKey; readAtMs: number }>();
  readonly #misses = new Map<string, number>();

  /** `undefined` when nothing fresh is known; `{ key: undefined }` when it is known that there is no such key. */
  read(keyHash: string, nowMs: number): { key: ApiKey | undefined } | undefined {
    const hit = this.#keys.get(keyHash);
    if (hit !== undefined && isFresh(hit.readAtMs, KEY_CACHE_MS, nowMs)) return { key: hit.key };
    const missedAtMs = this.#misses.get(keyHash);
    if (missedAtMs !== undefined && isFresh(missedAtMs, MISS_CACHE_MS, nowMs)) return { key: undefined };
    return undefined;
  }

  /** @param readAtMs when the reading began, not when it ended: the record may have changed in between. */
  write(keyHash: string, key: ApiKey | undefined, readAtMs: number): void {
    this.#keys.delete(keyHash);
    this.#misses.delete(keyHash);
    if (key === undefined) {
      makeRoom(this.#misses, MAX_MISSES);
      this.#misses.set(keyHash, readAtMs);
      return;
    }
    makeRoom(this.#keys, MAX_KEYS);
    this.#keys.set(keyHash, { key, readAtMs });
  }
}

function isFresh(readAtMs: number, lifeMs: number, nowMs: number): boolean {
  return nowMs >= readAtMs && nowMs - readAtMs < lifeMs;
}

/** A map keeps insertion order, so its first entry was read longest ago. */
function makeRoom(map: Map<string, unknown>, max: number): void {
  if (map.size < max) return;
  const oldest = map.keys().next();
  if (oldest.done !== true) map.delete(oldest.value);
}
