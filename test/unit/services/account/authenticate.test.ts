import { describe, expect, test } from "vitest";
import type { ApiKey } from "../../../../src/core/account/api-key.ts";
import { sha256Hex } from "../../../../src/core/text/hash.ts";
import { authenticate } from "../../../../src/services/account/authenticate.ts";
import { DEFAULT_TEAM_ID } from "../../../../src/services/account/bootstrap-keys.ts";
import { KEY_CACHE_MS, KeyCache, MISS_CACHE_MS } from "../../../../src/services/account/key-cache.ts";
import { fixedClock } from "../../../fakes/fixed-clock.ts";
import { memoryApiKeys } from "../../../fakes/memory/memory-api-keys.ts";
import { ADMIN_KEY, FIRST_KEY, testDeps } from "../../../fakes/services/test-deps.ts";

const TOKEN = `fc-${"2".repeat(32)}`;
const KEY: ApiKey = {
  id: "5a0e8a34-51ea-4d7c-9d3e-0e2f6f3b7d11",
  teamId: "team",
  name: "a key",
  prefix: "fc-222222",
  scopes: { admin: false },
  limits: {},
  monthlyCredits: undefined,
  maxConcurrency: undefined,
  createdAtMs: 0,
  expiresAtMs: undefined,
  revokedAtMs: undefined,
};

function setUp(settings: { firstKey?: string; adminKey?: string } = {}) {
  const clock = fixedClock();
  const keys = memoryApiKeys();
  const cache = new KeyCache();
  const deps = testDeps({ clock, keys, settings });
  return {
    clock,
    keys,
    store: async (fields: Partial<ApiKey> = {}) => keys.insert({ ...KEY, ...fields }, await sha256Hex(TOKEN)),
    enter: (token = TOKEN) => authenticate(deps, cache, token),
    /** The same service with other settings, in an isolate of its own. */
    enterWith: (changed: { firstKey?: string | undefined; adminKey?: string | undefined }, token: string) =>
      authenticate(testDeps({ clock, keys, settings: changed }), new KeyCache(), token),
  };
}

describe("a token", () => {
  test("lets its key in", async () => {
    const { store, enter } = setUp();
    await store();
    expect((await enter()).key).toEqual(KEY);
  });

  test("may be written as a UUID with dashes", async () => {
    const { store, enter } = setUp();
    await store();
    const dashed = "22222222-2222-2222-2222-222222222222";
    expect((await enter(dashed)).key.id).toBe(KEY.id);
  });

  test.each(["undefined", "null", "fc-", "fc-123", `fc-${"G".repeat(32)}`, `FC-${"2".repeat(32)}`, "x".repeat(10_000)])(
    "that is no key is refused without a look at the store: %s",
    async (token) => {
      const { keys, enter } = setUp();
      await expect(enter(token)).rejects.toMatchObject({ code: "TOKEN_INVALID" });
      expect(keys.reads).toBe(0);
    },
  );

  test("of nobody is refused", async () => {
    await expect(setUp().enter()).rejects.toMatchObject({ code: "TOKEN_INVALID" });
  });

  test("of a revoked key is refused", async () => {
    const { store, enter } = setUp();
    await store({ revokedAtMs: 1 });
    await expect(enter()).rejects.toMatchObject({ code: "TOKEN_INVALID" });
  });

  test("is refused from the moment in which its key expires, cached or not", async () => {
    const { clock, store, enter } = setUp();
    await store({ expiresAtMs: clock.now() + 1000 });
    clock.advance(999);
    await expect(enter()).resolves.toBeDefined();
    clock.advance(1);
    await expect(enter()).rejects.toMatchObject({ code: "TOKEN_INVALID" });
  });
});

describe("a key's record", () => {
  test("is read once for as long as the isolate keeps it, which is less than 30 seconds", async () => {
    expect(KEY_CACHE_MS).toBeLessThanOrEqual(30_000);
    const { clock, keys, store, enter } = setUp();
    await store();
    await enter();
    clock.advance(KEY_CACHE_MS - 1);
    await enter();
    expect(keys.reads).toBe(1);
    clock.advance(1);
    await enter();
    expect(keys.reads).toBe(2);
  });

  test("shows within 30 seconds that the key was revoked", async () => {
    const { clock, keys, store, enter } = setUp();
    await store();
    await enter();
    await keys.revoke(KEY.id, clock.now());
    await expect(enter()).resolves.toBeDefined();
    clock.advance(30_000);
    await expect(enter()).rejects.toMatchObject({ code: "TOKEN_INVALID" });
  });

  test("that is missing is looked for again soon, not at once", async () => {
    const { clock, keys, store, enter } = setUp();
    await expect(enter()).rejects.toMatchObject({ code: "TOKEN_INVALID" });
    await expect(enter()).rejects.toMatchObject({ code: "TOKEN_INVALID" });
    expect(keys.reads).toBe(1);
    await store();
    clock.advance(MISS_CACHE_MS);
    await expect(enter()).resolves.toBeDefined();
  });

  test("stays cached while others guess at keys", async () => {
    const { keys, store, enter } = setUp();
    await store();
    await enter();
    for (let guess = 0; guess < 1200; guess++) {
      await expect(enter(`fc-${guess.toString(16).padStart(32, "0")}`)).rejects.toMatchObject({
        code: "TOKEN_INVALID",
      });
    }
    keys.reads = 0;
    await enter();
    expect(keys.reads).toBe(0);
  });
});

describe("the keys of the settings", () => {
  test.each([
    { token: FIRST_KEY, name: "first key", admin: false },
    { token: ADMIN_KEY, name: "admin key", admin: true },
  ])("get a row when first used: $name", async ({ token, name, admin }) => {
    const { keys, enter } = setUp();
    const { key } = await enter(token);
    expect(key).toMatchObject({ name, teamId: DEFAULT_TEAM_ID, scopes: { admin }, prefix: token.slice(0, 9) });
    expect(await keys.listAll()).toEqual([key]);
  });

  test("have the same id in every isolate, so that their counters are one", async () => {
    const ids = await Promise.all([setUp().enter(FIRST_KEY), setUp().enter(FIRST_KEY)]);
    expect(ids[0].key.id).toBe(ids[1].key.id);
    expect(ids[0].key.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  test("can be revoked like any other", async () => {
    const { clock, keys, enter } = setUp();
    const { key } = await enter(FIRST_KEY);
    await keys.revoke(key.id, clock.now());
    clock.advance(30_000);
    await expect(enter(FIRST_KEY)).rejects.toMatchObject({ code: "TOKEN_INVALID" });
  });

  test("stop when the settings name another key, although their row stays", async () => {
    const { keys, enter, enterWith } = setUp();
    await enter(ADMIN_KEY);
    await expect(enterWith({ adminKey: TOKEN }, ADMIN_KEY)).rejects.toMatchObject({ code: "TOKEN_INVALID" });
    await expect(enterWith({ adminKey: undefined }, ADMIN_KEY)).rejects.toMatchObject({ code: "TOKEN_INVALID" });
    expect(await keys.listAll()).toHaveLength(1);
  });

  test("have the rights that the settings give them now", async () => {
    const { enter, enterWith } = setUp();
    await enter(FIRST_KEY);
    expect((await enterWith({ adminKey: FIRST_KEY }, FIRST_KEY)).key.scopes.admin).toBe(true);
    await enter(ADMIN_KEY);
    const demoted = await enterWith({ firstKey: ADMIN_KEY, adminKey: undefined }, ADMIN_KEY);
    expect(demoted.key.scopes.admin).toBe(false);
  });
});
