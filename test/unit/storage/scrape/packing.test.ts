import { expect, test } from "vitest";
import {
  packBytesInTurns,
  packText,
  packTextInTurns,
  toPacked,
  unpackBytesInTurns,
  unpackText,
  unpackTextInTurns,
} from "../../../../src/storage/scrape/packing.ts";

const LONG = Array.from({ length: 500_000 }, (_, index) => `word${(index * 7919) % 20_011}`).join(" ");

async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  await work();
  clearInterval(timer);
  return turns;
}

test("a long text is compressed in turns, and comes back whole", async () => {
  const packed = await packTextInTurns(LONG);
  expect(packed).toBeInstanceOf(Uint8Array);
  expect(packed.length).toBeLessThan(LONG.length / 2);
  expect(unpackText(toPacked(packed as Uint8Array)) === LONG).toBe(true);
  expect(await turnsDuring(() => packTextInTurns(LONG))).toBeGreaterThan(4);
});

test("long bytes are compressed in turns, and come back whole", async () => {
  const bytes = crypto.getRandomValues(new Uint8Array(60_000));
  const long = new Uint8Array(Buffer.concat(Array.from({ length: 50 }, () => bytes)));
  expect(Buffer.compare(await unpackBytesInTurns(await packBytesInTurns(long)), long)).toBe(0);
  expect(await turnsDuring(() => packBytesInTurns(long))).toBeGreaterThan(4);
});

test("a long text is unpacked in turns", async () => {
  const packed = await packTextInTurns(LONG);
  expect((await unpackTextInTurns(packed)) === LONG).toBe(true);
  expect(await turnsDuring(() => unpackTextInTurns(packed))).toBeGreaterThan(4);
});

test("what is not compressed as a whole cannot be unpacked", async () => {
  const packed = await packBytesInTurns(crypto.getRandomValues(new Uint8Array(60_000)));
  const long = new Uint8Array(Buffer.concat([packed.subarray(0, -30), new Uint8Array(400_000)]));
  await expect(unpackBytesInTurns(long)).rejects.toThrow();
});

test.each([0, 7_999, 8_000, 100_000])("a text of %i characters is packed as at once", async (length) => {
  expect(await packTextInTurns(LONG.slice(0, length))).toEqual(packText(LONG.slice(0, length)));
});
