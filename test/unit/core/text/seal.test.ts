import { expect, test } from "vitest";
import { seal, unseal } from "../../../../src/core/text/seal.ts";

const KEY = "0f".repeat(32);
const text = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes);
const bytes = (value: string): Uint8Array => new TextEncoder().encode(value);

test("what is sealed can be opened with its key and for its purpose alone", async () => {
  const sealed = await seal(KEY, bytes("a cookie, a cookie, a cookie"), "profile of a");
  expect(text(sealed)).not.toContain("cookie");
  expect(text(await unseal(KEY, sealed, "profile of a"))).toBe("a cookie, a cookie, a cookie");
  expect(await unseal("1f".repeat(32), sealed, "profile of a")).toBeUndefined();
  expect(await unseal(KEY, sealed, "profile of b")).toBeUndefined();
});

test("what was changed, cut off or of another kind cannot be opened", async () => {
  const sealed = await seal(KEY, bytes("state"), "x");
  const changed = sealed.slice();
  changed[20] = (changed[20] ?? 0) ^ 1;
  expect(await unseal(KEY, changed, "x")).toBeUndefined();
  expect(await unseal(KEY, sealed.subarray(0, -1), "x")).toBeUndefined();
  expect(await unseal(KEY, Uint8Array.of(9, ...sealed), "x")).toBeUndefined();
  expect(await unseal(KEY, new Uint8Array(), "x")).toBeUndefined();
});

test("the same text is never sealed alike", async () => {
  const [one, other] = await Promise.all([seal(KEY, bytes("state"), "x"), seal(KEY, bytes("state"), "x")]);
  expect(one).not.toEqual(other);
});
