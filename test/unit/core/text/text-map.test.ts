import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { TextMap, TextSet } from "../../../../src/core/text/text-map.ts";

const texts = fc.array(fc.oneof(fc.string({ maxLength: 3 }), fc.string({ unit: "binary" })), { maxLength: 200 });

test("it holds what a set holds, in its order", () => {
  fc.assert(
    fc.property(texts, texts, (added, asked) => {
      const set = new TextSet();
      const model = new Set<string>();
      for (const text of added) {
        expect(set.add(text)).toBe(!model.has(text));
        model.add(text);
        expect(set.size).toBe(model.size);
      }
      for (const text of [...added, ...asked]) expect(set.has(text)).toBe(model.has(text));
      expect(set.values).toEqual([...model]);
    }),
  );
});

test("it holds what a map holds, with the last value of each text in the place of the first", () => {
  fc.assert(
    fc.property(texts, (added) => {
      const map = new TextMap<number>();
      const model = new Map<string, number>();
      for (const [place, text] of added.entries()) {
        map.set(text, place);
        model.set(text, place);
      }
      for (const text of [...added, "another"]) expect(map.get(text)).toBe(model.get(text));
      expect(map.values).toEqual([...model.values()]);
      expect(map.size).toBe(model.size);
    }),
  );
});

test("it keeps thousands of texts apart, also those that are made of other texts", () => {
  const set = new TextSet();
  const page = "http://site.test/list?page=";
  const numbers = Array.from({ length: 20_000 }, (_, number) => number);
  expect(numbers.every((number) => set.add(page + String(number)))).toBe(true);
  expect(numbers.every((number) => set.has(`${page}${number}`))).toBe(true);
  expect(numbers.some((number) => set.has(page + String(20_000 + number)))).toBe(false);
});

test("a set that was cleared has none of its texts, and takes them again", () => {
  const set = new TextSet();
  const texts = Array.from({ length: 1_000 }, (_, number) => `text ${number}`);
  for (const text of texts) set.add(text);
  set.clear();
  expect([set.size, texts.some((text) => set.has(text))]).toEqual([0, false]);
  expect(texts.every((text) => set.add(text))).toBe(true);
  expect(set.values).toEqual(texts);
});

test("two texts of one hash are two texts", async () => {
  vi.resetModules();
  vi.doMock("../../../../src/core/text/hash.ts", () => ({ hash53: () => 7 }));
  try {
    const { TextSet: Colliding } = await import("../../../../src/core/text/text-map.ts");
    const set = new Colliding();
    for (let number = 0; number < 100; number++) expect(set.add(`text ${number}`)).toBe(true);
    for (let number = 0; number < 100; number++) expect(set.add(`text ${number}`)).toBe(false);
    expect(set.has("text 100")).toBe(false);
    expect(set.size).toBe(100);
  } finally {
    vi.doUnmock("../../../../src/core/text/hash.ts");
  }
});
