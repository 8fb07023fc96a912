import fc from "fast-check";
import { expect, test } from "vitest";
import { HashTable, hashWord } from "../../../../../../src/content/main-content/features/words/word-hash.ts";
import {
  classWords,
  hashClassWords,
  summarizeOdds,
  textWords,
} from "../../../../../../src/content/main-content/features/words/word-odds.ts";
import { ElementNode } from "../../../../../../src/content/html/tree/tree.ts";

const elementOf = (attributes: Record<string, string>) => new ElementNode("div", attributes, undefined);

test("the words of an element come from tag, class, id, role and the like", () => {
  const element = elementOf({ class: "postBody  main-text_2", id: "Content", role: "main" });
  expect(classWords(element)).toEqual(["div", "post", "body", "main", "text", "#content", "r=main"]);
});

test("an element's words are hashed as they are learned", () => {
  const name = fc.string({ unit: fc.constantFrom(..."abYZ01 -_#=:é"), maxLength: 40 });
  fc.assert(
    fc.property(name, name, (classes, id) => {
      const element = elementOf({ class: classes, id });
      const words = new Int32Array(64);
      const hashes = [...words.subarray(0, hashClassWords(element, words))];
      expect(hashes).toEqual(classWords(element).map(hashWord));
    }),
  );
});

test("words of a text are distinct, lower-case, and numbers are alike", () => {
  expect(textWords("Read more: 12 of 40, READ", 24)).toEqual(["read", "more", "0", "of"]);
  expect(textWords("a b c", 2)).toEqual(["a", "b"]);
});

test("a summary names the extremes, the sum and how many words are known", () => {
  const table = new HashTable(3);
  table.set(hashWord("a"), 2);
  table.set(hashWord("b"), -1);
  table.set(hashWord("c"), 0.5);
  const words = Int32Array.from(["unknown", "a", "b", "c", "other"], hashWord);
  expect(summarizeOdds(words, 0, 5, table)).toEqual({ highest: 2, lowest: -1, sum: 1.5, known: 3 });
  expect(summarizeOdds(words, 0, 1, table)).toEqual({ highest: 0, lowest: 0, sum: 0, known: 0 });
});
