import { expect, test } from "vitest";
import { measurePage } from "../../../../src/content/main-content/features/page-measures.ts";
import { scoreBlocks } from "../../../../src/content/main-content/score-blocks.ts";
import { parseHtml } from "../../../../src/content/html/tree/tree.ts";

const SMALL =
  "<nav><a href=/>Home</a></nav><main><h1>Bridge</h1><p>The old bridge is to be repaired, they said.</p></main>";

function score(html: string): number[] {
  return [...scoreBlocks(measurePage(parseHtml(html), "https://example.com/"))];
}

test("what a page before left in memory does not count", () => {
  const alone = score(SMALL);
  score("<p>Some words of another page, <b>with a bold one</b>.</p>".repeat(50));
  expect(score(SMALL)).toEqual(alone);
});

test("a page of more rows than are held at a time is scored to its end", () => {
  const scores = score(`<main>${"<p>The old bridge is to be repaired, they said on Tuesday.</p>".repeat(2100)}</main>`);
  expect(scores).toHaveLength(2100);
  expect(Math.min(...scores.slice(-10))).toBeGreaterThan(0);
});
