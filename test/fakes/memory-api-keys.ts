import type { ApiKey } from "../../src/core/account/api-key.ts";
import type { ApiKeyStore } from "../../src/ports/storage/stores.ts";

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
      if (!byHash.has(keyHash)) byHash.set(keyHash, structuredClone(key));
    },
    async find(id) {
      return structuredClone([...byHash.values()].find((candidate) => candidate.id === id));
    },
    async list() {
      return structuredClone([...byHash.values()].toSorted((left, right) => right.createdAtMs - left.createdAtMs));
    },
    async revoke(id, atMs) {
      const key = [...byHash.values()].find((candidate) => candidate.id === id);
      if (key === undefined) return false;
      key.revokedAtMs ??= atMs;
      return true;
    },
  };
}
