import { describe, expect, test } from "vitest";
import { CollectedItems } from "../../../../src/core/scrape/collected-items.ts";

const keyless = (text: string) => [...text].map((content) => ({ html: content, key: "", content }));
const keyed = (...keys: string[]) => keys.map((key) => ({ html: `<i>${key}</i>`, key, content: "the same" }));
const collect = (...parts: Parameters<CollectedItems["add"]>[0][]): string => {
  const items = new CollectedItems(1_000);
  for (const part of parts) items.add(part);
  return items.html.join("");
};

describe("parts without keys", () => {
  test.each([
    { what: "that overlap", parts: ["abcd", "cdef", "fg"], all: "abcdefg" },
    { what: "that grow", parts: ["ab", "abcd", "abcde"], all: "abcde" },
    { what: "that stay", parts: ["abc", "abc", "abc"], all: "abc" },
    { what: "that follow each other", parts: ["abc", "def", "g"], all: "abcdefg" },
    { what: "with equal items", parts: ["aab", "abaab", "aabaa"], all: "aabaabaa" },
    { what: "of which an item has changed", parts: ["abcd", "aBcdef"], all: "abcdBef" },
    { what: "that are empty for a moment", parts: ["ab", "", "ab"], all: "ab" },
  ])("$what", ({ parts, all }) => expect(collect(...parts.map(keyless))).toBe(all));
});

test("items with keys are taken once each, whatever they show", () => {
  expect(collect(keyed("1", "2"), keyed("2", "3"), keyed("1", "4"))).toBe("<i>1</i><i>2</i><i>3</i><i>4</i>");
});

test("a key that two items share identifies neither", () => {
  const cart = (text: string) => [...text].map((content) => ({ html: content, key: "href=/cart", content }));
  expect(collect(cart("abc"), cart("bcd"))).toBe("abcd");
});

test("no more items are taken than asked", () => {
  const items = new CollectedItems(3);
  expect(items.add(keyless("ab"))).toBe(true);
  expect(items.add(keyless("bcdef"))).toBe(true);
  expect(items.html.join("")).toBe("abc");
  expect(items.isFull).toBe(true);
});

test("items that are too large together are cut, and say so", () => {
  const items = new CollectedItems(1_000);
  const large = (content: string) => [{ html: content.repeat(9_000_000), key: content, content }];
  items.add(large("a"));
  items.add(large("b"));
  items.add(large("c"));
  expect(items.size).toBe(2);
  expect(items.isCut).toBe(true);
});

test("items that are too large for one message in JSON are cut, and say so", () => {
  const items = new CollectedItems(1_000);
  const large = (content: string) => [{ html: content.repeat(5_500_000), key: content, content }];
  items.add(large("港"));
  items.add(large("船"));
  expect(items.size).toBe(1);
  expect(items.isCut).toBe(true);
});

test("keys that begin anew on the next page identify nothing", () => {
  const numbered = (text: string) =>
    [...text].map((content, index) => ({ html: content, key: `data-index=${index}`, content }));
  expect(collect(numbered("abc"), numbered("def"), numbered("gh"))).toBe("abcdefgh");
});
