import { expect, test } from "vitest";
import { snippetText } from "../../../../src/content/text/snippet-text.ts";

test.each([
  ["# Heading\n\n- one\n- two", "Heading one two"],
  ["1. first\n2) second", "first second"],
  ["See [the page](https://a.example/x(1)) now", "See the page now"],
  ["![A bell](/bell.png) rings", "A bell rings"],
  ["**Bold** and *soft* and _low_ and ~~gone~~", "Bold and soft and low and gone"],
  ["> quoted\n> > twice", "quoted twice"],
  ["| a | b |\n| --- | :-: |\n| 1 | 2 |", "a b 1 2"],
  ["```js\nrun()\n```", "run()"],
  ["Use `npm test` \\*now\\*", "Use npm test *now*"],
  ["Intro ## Usage text", "Intro Usage text"],
])("%j reads %j", (markdown, text) => {
  expect(snippetText(markdown)).toBe(text);
});

test.each([
  "C# and F# in 2 * 3 * 4 days",
  "snake_case, __init__ and *.ts or *.js",
  "a [note] (aside) -- 5 > 3 | x",
  "Sale: -20 % #1",
])("%j stays as it is", (text) => {
  expect(snippetText(text)).toBe(text);
});

test("takes linear time for marks without an end", () => {
  for (const mark of ["*a", "_a", "`a", "[a", "**a", "|", "~~a", "> "]) {
    const text = mark.repeat(10_000);
    expect(snippetText(text).length).toBeLessThanOrEqual(10_000);
  }
});
