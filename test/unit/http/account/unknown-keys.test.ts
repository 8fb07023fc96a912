import { expect, test } from "vitest";
import { hasCheckDigits, KEY_BYTES, keyOf } from "../../../../src/core/account/api-key.ts";
import { sha256Hex } from "../../../../src/core/text/hash.ts";
import { UNKNOWN_KEYS_A_MINUTE } from "../../../../src/services/account/unknown-keys.ts";
import { makeKey } from "../../../../src/tools/setup/kept-keys.ts";
import { fixedClock } from "../../../fakes/fixed-clock.ts";
import { memoryApiKeys } from "../../../fakes/memory/memory-api-keys.ts";
import { testApp } from "../../../fakes/services/test-app.ts";
import { ADMIN_KEY, FIRST_KEY, testDeps } from "../../../fakes/services/test-deps.ts";

const PATH = "/v2/team/credit-usage";
const newKey = (): string => keyOf(crypto.getRandomValues(new Uint8Array(KEY_BYTES)));

/** The service with a count of the look-ups in its database. */
function service(settings: { acceptsOldKeys?: boolean } = {}) {
  const keys = memoryApiKeys();
  let lookUps = 0;
  const findByHash = async (hash: string) => {
    lookUps++;
    return await keys.findByHash(hash);
  };
  const clock = fixedClock();
  const app = testApp(testDeps({ keys: { ...keys, findByHash }, settings, clock }));
  const ask = async (key: string, address?: string) =>
    (await app.ask(PATH, { key, ...(address === undefined ? {} : { headers: { "CF-Connecting-IP": address } }) }))
      .status;
  return { ...app, keys, clock, ask, lookUps: () => lookUps };
}

test("keys have check digits, which find changed digits", () => {
  const key = newKey();
  expect(key).toMatch(/^fc-[0-9a-f]{32}$/);
  expect(hasCheckDigits(key)).toBe(true);
  expect(hasCheckDigits(makeKey())).toBe(true);
  for (let place = 3; place < key.length; place++) {
    const other = key[place] === "0" ? "1" : "0";
    expect(hasCheckDigits(key.slice(0, place) + other + key.slice(place + 1))).toBe(false);
  }
});

test("a created key has check digits and works", async () => {
  const { post, ask } = service();
  const created = await post("/v2/team/keys", { name: "new" }, { key: ADMIN_KEY });
  const { data } = (await created.json()) as { data: { key: string } };
  expect(hasCheckDigits(data.key)).toBe(true);
  expect(await ask(data.key)).toBe(200);
});

test("a text without check digits costs no look-up when old keys are not accepted; keys of the settings still work", async () => {
  const { ask, lookUps } = service({ acceptsOldKeys: false });
  expect(await ask(`fc-${"9".repeat(32)}`)).toBe(401);
  expect(lookUps()).toBe(0);
  expect(await ask(FIRST_KEY)).toBe(200);
});

test("an address that sends many unknown keys has none looked up for a minute, with or without check digits", async () => {
  const { ask, keys, clock, lookUps } = service();
  const address = "2001:db8:1:2::7";
  for (let guess = 0; guess < UNKNOWN_KEYS_A_MINUTE; guess++) expect(await ask(newKey(), address)).toBe(401);
  expect(lookUps()).toBe(UNKNOWN_KEYS_A_MINUTE);
  expect(await ask(newKey(), "2001:db8:1:2:aaaa::8")).toBe(429);
  expect(await ask(`fc-${"9".repeat(32)}`, address)).toBe(429);
  expect(lookUps()).toBe(UNKNOWN_KEYS_A_MINUTE);
  // Another network, a key of the settings, and the same address after a minute.
  expect(await ask(newKey(), "2001:db8:1:3::7")).toBe(401);
  expect(await ask(FIRST_KEY, address)).toBe(200);
  const stored = newKey();
  const [row] = await keys.listAll();
  if (row === undefined) throw new Error("The first key has no row");
  await keys.insert({ ...row, id: "stored" }, await sha256Hex(stored));
  expect(await ask(stored, address)).toBe(429);
  clock.advance(60_000);
  expect(await ask(stored, address)).toBe(200);
});

test("one unknown key that is sent again and again refuses no other, and a key that was valid is always looked up", async () => {
  const { ask, keys, clock } = service();
  const address = "192.0.2.7";
  const stale = newKey();
  for (let second = 0; second < 300; second++) {
    expect(await ask(stale, address)).toBe(401);
    clock.advance(1_000);
  }
  expect(await ask(FIRST_KEY, address)).toBe(200);
  const [row] = await keys.listAll();
  if (row === undefined) throw new Error("The first key has no row");
  const stored = newKey();
  await keys.insert({ ...row, id: "stored" }, await sha256Hex(stored));
  expect(await ask(stored, address)).toBe(200);
  clock.advance(30_000);
  for (let guess = 0; guess < UNKNOWN_KEYS_A_MINUTE; guess++) await ask(newKey(), address);
  expect(await ask(newKey(), address)).toBe(429);
  expect(await ask(stored, address)).toBe(200);
});
