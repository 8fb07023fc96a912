import type { ApiKey } from "../../../src/core/account/api-key.ts";
import type { ApiKeyStore } from "../../../src/ports/storage/stores.ts";

/** Keys in memory; `reads` counts the lookups. */
export function memoryApiKeys(): ApiKeyStore & { reads: number } {
  const byHash = new Map<string, ApiKey>();
  return {
    reads: 0,
    async findByHash(keyHash) {
      this.reads++;
      return structuredClone(byHash.get(keyHash));
    },
    async insert(key, keyHash) {
      const isIdTaken = [...byHash.values()].some(({ id }) => id === key.id);
      if (!byHash.has(keyHash) && !isIdTaken) byHash.set(keyHash, structuredClone(key));
    },
    async findById(id) {
      const found = [...byHash].find(([, candidate]) => candidate.id === id);
      return found === undefined ? undefined : { key: structuredClone(found[1]), keyHash: found[0] };
    },
    async listByTeam(teamId, { limit, endedAfterMs }) {
      const own = newestFirst(byHash).filter(
        ({ teamId: its, revokedAtMs = endedAfterMs, expiresAtMs = endedAfterMs }) =>
          its === teamId && revokedAtMs >= endedAfterMs && expiresAtMs >= endedAfterMs,
      );
      const isRevoked = ({ revokedAtMs }: ApiKey): number => (revokedAtMs === undefined ? 0 : 1);
      return own.toSorted((left, right) => isRevoked(left) - isRevoked(right)).slice(0, limit);
    },
    async listAll() {
      return newestFirst(byHash);
    },
    async revoke(id, atMs) {
      const key = [...byHash.values()].find((candidate) => candidate.id === id);
      if (key === undefined) return false;
      key.revokedAtMs ??= atMs;
      return true;
    },
  };
}

function newestFirst(keys: ReadonlyMap<string, ApiKey>): ApiKey[] {
  const compare = (left: ApiKey, right: ApiKey): number =>
    right.createdAtMs - left.createdAtMs || (left.id < right.id ? 1 : -1);
  return structuredClone([...keys.values()]).toSorted(compare);
}
