import type { ApiKey } from "../../core/account/api-key.ts";

/** Less than 30 s, within which a revoked key must stop working, by the possible lag of a database replica. */
export const KEY_CACHE_MS = 25_000;
/** A key that is created after a refused attempt works after this time. */
export const MISS_CACHE_MS = 5_000;
const MAX_KEYS = 5_000;
const MAX_MISSES = 1_000;

/**
 * Caches key records by hash, for one isolate and a short time. Misses have a separate limit: guessed keys cannot evict
 * valid ones. Reads in flight are not shared, since a promise of one request must not be awaited by another here.
 */
export class KeyCache {
  readonly #keys = new Map<string, { key: ApiKey; readAtMs: number }>();
  readonly #misses = new Map<string, number>();

  /**
   * Returns `undefined` when there is no fresh entry; `{ key: undefined }` when it is known that no such key exists.
   */
  read(keyHash: string, nowMs: number): { key: ApiKey | undefined } | undefined {
    const hit = this.#keys.get(keyHash);
    if (hit !== undefined && isFresh(hit.readAtMs, KEY_CACHE_MS, nowMs)) return { key: hit.key };
    const missedAtMs = this.#misses.get(keyHash);
    if (missedAtMs !== undefined && isFresh(missedAtMs, MISS_CACHE_MS, nowMs)) return { key: undefined };
    return undefined;
  }

  /** Reports whether the hash was a valid key's when this isolate last looked it up, however long ago. */
  wasValid(keyHash: string): boolean {
    return this.#keys.has(keyHash);
  }

  /** @param readAtMs the time when the read began, not when it ended: the record may have changed in between. */
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

/** Deletes the entry that was read longest ago: a map keeps insertion order. */
function makeRoom(map: Map<string, unknown>, max: number): void {
  if (map.size < max) return;
  const oldest = map.keys().next();
  if (oldest.done !== true) map.delete(oldest.value);
}
