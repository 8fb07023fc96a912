import { describe, expect, test } from "vitest";
import { checkAssertion } from "../../bench/documents/check-assertion.ts";
import { plainText, scoreGold } from "../../bench/documents/markdown-parts.ts";

const MARKDOWN = `# Report

First “quoted” words, then the _second_ part.

| Name | Words |
| --- | --- |
| Oak | 3.32T |
| Elm | 11.8B |`;

describe("checkAssertion", () => {
  test.each([
    [{ type: "present", text: 'First "quoted" words' }, true],
    [{ type: "present", text: "report", case_sensitive: false, first_n: 8 }, true],
    [{ type: "present", text: "Report", last_n: 8 }, false],
    [{ type: "present", text: "Frist quoted", max_diffs: 4 }, true],
    [{ type: "absent", text: "second part" }, false],
    [{ type: "order", before: "First", after: "second" }, true],
    [{ type: "order", before: "second", after: "First" }, false],
    [{ type: "table", cell: "3.32T", left: "Oak", down: "11.8B", top_heading: "Words" }, true],
    [{ type: "table", cell: "3.32T", left: "Elm" }, false],
    [{ type: "words", text: "oak elm ash", minRecall: 0.6 }, true],
    [{ type: "bounded" }, undefined],
  ])("%j", (assertion, expected) => {
    expect(checkAssertion(assertion, MARKDOWN, "")).toBe(expected);
  });
});

test("scoreGold compares words, rows and headings, and the order of words", () => {
  expect(scoreGold(MARKDOWN, MARKDOWN)).toEqual({ words: 1, rows: 1, headings: 1, order: 1 });
  const other = scoreGold("second part the then, words First quoted\n\n# Other", MARKDOWN);
  expect(other.headings).toBe(0);
  expect(other.rows).toBe(0);
  expect(other.order).toBeLessThan(0.3);
});

test("plainText has what a reader sees of comments, character references and inline tags", () => {
  expect(plainText("Before <!-- image --> after, &lt;tag&gt; a&#124;b H<sub>2</sub>O<br> <!-- no end")).toBe(
    "Before after, <tag> a b H2O <!-- no end",
  );
});
