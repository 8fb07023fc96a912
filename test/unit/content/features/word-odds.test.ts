import { expect, test } from "vitest";
import { classWords, nameKey, summarizeOdds, textWords } from "../../../../src/content/features/word-odds.ts";
import { ElementNode } from "../../../../src/content/tree.ts";

test("the words of an element come from tag, class, id, role and the like", () => {
  const element = new ElementNode("div", { class: "postBody  main-text_2", id: "Content", role: "main" }, undefined);
  expect([...classWords(nameKey(element))]).toEqual(["div", "post", "body", "main", "text", "#content", "r=main"]);
});

test("words of a text are distinct, lower-case, and numbers are alike", () => {
  expect([...textWords("Read more: 12 of 40, READ")]).toEqual(["read", "more", "0", "of"]);
});

test("a summary names the extremes, the sum and how many words are known", () => {
  const table = new Map([
    ["a", 2],
    ["b", -1],
    ["c", 0.5],
  ]);
  expect(summarizeOdds(["a", "b", "c", "unknown"], table)).toEqual({ highest: 2, lowest: -1, sum: 1.5, known: 3 });
  expect(summarizeOdds(["unknown"], table)).toEqual({ highest: 0, lowest: 0, sum: 0, known: 0 });
});
