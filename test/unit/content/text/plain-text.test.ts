import { expect, test } from "vitest";
import { plainText } from "../../../../src/content/text/plain-text.ts";

test.each([
  { markdown: 'See [the bell](https://a.example/b_(c) "Title") now.', text: "See the bell now." },
  { markdown: "![A bell](bell.png) rings", text: "A bell rings" },
  { markdown: "**Bold** and `code` and ~~gone~~", text: "Bold and code and gone" },
  { markdown: "| a | b |\n| --- | :-: |\n| 1 | 2 |", text: "| a | b |\n\n| 1 | 2 |" },
  { markdown: "```js\nlet x = 1;\n```", text: "let x = 1;" },
  { markdown: "1 \\* 2 \\_ 3", text: "1 * 2 _ 3" },
  { markdown: "# Heading\n\n\n\nText", text: "# Heading\n\nText" },
])("$markdown", ({ markdown, text }) => {
  expect(plainText(markdown)).toBe(text);
});
