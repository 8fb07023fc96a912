import { describe, expect, test } from "vitest";
import type { ApiKey } from "../../src/core/account/api-key.ts";
import type { ApiKeyStore } from "../../src/ports/storage/stores.ts";

let serial = 0;

/** A key with a hash of its own, so that tests can share a store. */
function someKey(fields: Partial<ApiKey> = {}): { key: ApiKey; hash: string } {
  serial++;
  const key: ApiKey = {
    id: `key-${serial}`,
    teamId: "team",
    name: `key ${serial}`,
    prefix: "fc-abcdef",
    scopes: { admin: false },
    limits: {},
    monthlyCredits: undefined,
    maxConcurrency: undefined,
    createdAtMs: serial,
    expiresAtMs: undefined,
    revokedAtMs: undefined,
    ...fields,
  };
  return { key, hash: serial.toString(16).padStart(64, "0") };
}

/** What every store of keys does. */
export function apiKeyStoreContract(name: string, makeStore: () => ApiKeyStore | Promise<ApiKeyStore>): void {
  describe(`${name} as a store of keys`, () => {
    test("finds a key by its hash, with every field as it was", async () => {
      const store = await makeStore();
      const full = someKey({
        scopes: { admin: true, endpoints: ["scrape", "map"], formats: ["markdown"] },
        limits: { scrape: 10, crawlStatus: 500 },
        monthlyCredits: 0,
        maxConcurrency: 3,
        expiresAtMs: 1_800_000_000_000,
      });
      const plain = someKey();
      await store.insert(full.key, full.hash);
      await store.insert(plain.key, plain.hash);
      expect(await store.findByHash(full.hash)).toEqual(full.key);
      expect(await store.findByHash(plain.hash)).toEqual(plain.key);
    });

    test("finds a key by its id, with its hash and when it was revoked", async () => {
      const store = await makeStore();
      const { key, hash } = someKey();
      await store.insert(key, hash);
      expect(await store.findById(key.id)).toEqual({ key, keyHash: hash });
      await store.revoke(key.id, 7);
      expect(await store.findById(key.id)).toEqual({ key: { ...key, revokedAtMs: 7 }, keyHash: hash });
      expect(await store.findById("no key's id")).toBeUndefined();
    });

    test("finds nothing for a hash that was never inserted", async () => {
      const store = await makeStore();
      expect(await store.findByHash("f".repeat(64))).toBeUndefined();
    });

    test("keeps the first key of a hash", async () => {
      const store = await makeStore();
      const { key, hash } = someKey();
      await store.insert(key, hash);
      await store.insert({ ...key, id: "another", name: "another" }, hash);
      await store.insert(key, hash);
      expect(await store.findByHash(hash)).toEqual(key);
    });

    test("does not store a second key under a known id", async () => {
      const store = await makeStore();
      const { key, hash } = someKey();
      await store.insert(key, hash);
      const other = someKey({ id: key.id });
      await store.insert(other.key, other.hash);
      expect(await store.findByHash(other.hash)).toBeUndefined();
      expect(await store.findById(key.id)).toEqual({ key, keyHash: hash });
    });

    test("lists all keys newest first, including revoked ones; keys of one moment by their ids", async () => {
      const store = await makeStore();
      const older = someKey();
      const newer = someKey();
      const twin = someKey({ id: `${newer.key.id}-twin`, createdAtMs: newer.key.createdAtMs });
      for (const { key, hash } of [newer, older, twin]) await store.insert(key, hash);
      await store.revoke(older.key.id, 7);
      const ids = [twin.key.id, newer.key.id, older.key.id];
      expect((await store.listAll()).map(({ id }) => id).filter((id) => ids.includes(id))).toEqual(ids);
    });

    test("lists the keys of one team up to the limit, newest first and revoked ones last, without those that ended long ago", async () => {
      const store = await makeStore();
      const teamId = `team of key ${serial}`;
      const [first, second, third] = [someKey({ teamId }), someKey({ teamId }), someKey({ teamId })];
      const foreign = someKey({ teamId: `${teamId}, not` });
      for (const { key, hash } of [second, third, foreign, first]) await store.insert(key, hash);
      await store.revoke(second.key.id, 7);
      const revoked = { ...second.key, revokedAtMs: 7 };
      const expiring = someKey({ teamId, expiresAtMs: 5 });
      await store.insert(expiring.key, expiring.hash);
      const list = async (team: string, limit: number, endedAfterMs: number) =>
        await store.listByTeam(team, { limit, endedAfterMs });
      expect(await list(teamId, 10, 5)).toEqual([expiring.key, third.key, first.key, revoked]);
      expect(await list(teamId, 10, 6)).toEqual([third.key, first.key, revoked]);
      expect(await list(teamId, 10, 8)).toEqual([third.key, first.key]);
      expect(await list(teamId, 2, 0)).toEqual([expiring.key, third.key]);
      expect(await list("no team", 10, 0)).toEqual([]);
    });

    test("revokes a key once and keeps the first time", async () => {
      const store = await makeStore();
      const { key, hash } = someKey();
      await store.insert(key, hash);
      expect(await store.revoke(key.id, 1000)).toBe(true);
      expect(await store.revoke(key.id, 2000)).toBe(true);
      expect(await store.findByHash(hash)).toEqual({ ...key, revokedAtMs: 1000 });
    });

    test("says when there is no key to revoke", async () => {
      const store = await makeStore();
      expect(await store.revoke("no-such-key", 1000)).toBe(false);
    });
  });
}
