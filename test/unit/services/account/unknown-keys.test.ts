import { expect, test } from "vitest";
import { UNKNOWN_KEYS_A_MINUTE, UnknownKeys } from "../../../../src/services/account/unknown-keys.ts";
import { sha256Hex } from "../../../../src/core/text/hash.ts";

const HASHES = await Promise.all(Array.from({ length: UNKNOWN_KEYS_A_MINUTE }, (_, at) => sha256Hex(`key ${at}`)));

test("of more addresses than are counted, the one that began first is forgotten, and no other", () => {
  const keys = new UnknownKeys();
  const guess = (address: string) => HASHES.forEach((hash) => keys.note(address, hash, 0));
  guess("192.0.2.1");
  guess("192.0.2.2");
  expect(keys.waitSeconds("192.0.2.1", 0)).toBe(60);
  for (let at = 0; at < 9_999; at++) keys.note(`10.0.${at >> 8}.${at & 255}`, HASHES[0] ?? "", 0);
  expect(keys.waitSeconds("192.0.2.1", 0)).toBe(0);
  expect(keys.waitSeconds("192.0.2.2", 0)).toBe(60);
});

test("a minute later an address is counted anew, in the order of its new minute", () => {
  const keys = new UnknownKeys();
  keys.note("192.0.2.1", HASHES[0] ?? "", 0);
  keys.note("192.0.2.2", HASHES[0] ?? "", 1);
  for (const hash of HASHES) keys.note("192.0.2.1", hash, 60_000);
  for (let at = 0; at < 9_999; at++) keys.note(`10.0.${at >> 8}.${at & 255}`, HASHES[0] ?? "", 60_000);
  expect(keys.waitSeconds("192.0.2.1", 60_000)).toBe(60);
});
