import { expect, test } from "vitest";
import { PlaceIndex } from "../../../src/core/place-index.ts";

test("an index of places has all that was set, whatever the hashes, and the last of each", () => {
  const index = new PlaceIndex();
  const placed = (at: number) => ({ place: at, text: 0xffff_ffff - at, depth: at });
  const hashes = [0, 1, 2 ** 53 - 1, ...Array.from({ length: 5_000 }, (_, at) => at * 2 ** 32 + (at % 3))];
  const distinct = [...new Set(hashes)];
  for (const [at, hash] of distinct.entries()) index.set(hash, placed(at));
  expect(index.size).toBe(distinct.length);
  expect(distinct.every((hash, at) => index.get(hash)?.text === 0xffff_ffff - at)).toBe(true);
  expect(index.get(12_345)).toBeUndefined();
  index.set(1, { place: 2 ** 32 - 1, text: 5, depth: 100_000 });
  expect(index.get(1)).toEqual({ place: 2 ** 32 - 1, text: 5, depth: 65_535 });
  expect(index.size).toBe(distinct.length);
});
