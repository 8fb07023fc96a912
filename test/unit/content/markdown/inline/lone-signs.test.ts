import fc from "fast-check";
import type { Root } from "mdast";
import { expect, test, vi } from "vitest";
import { relaxSigns } from "../../../../../src/content/markdown/inline/lone-signs.ts";
import { read } from "../render.ts";
import { sampleCount } from "../../../../sample.ts";

test.each([
  { why: "none to part with", text: "a \\_ b", relaxed: "a \\_ b" },
  { why: "one star", text: "a\\* b", relaxed: "a* b" },
  { why: "two stars that could be a mark", text: "\\*a\\*", relaxed: "\\*a\\*" },
  { why: "two stars that only end", text: "a\\* b\\*", relaxed: "a* b*" },
  { why: "stars and a tilde", text: "\\*a\\* (\\~5)", relaxed: "\\*a\\* (~5)" },
  { why: "an item's mark", text: "\\* a", relaxed: "\\* a" },
  { why: "a rule", text: "a  \n\\*\\*\\*", relaxed: "a  \n\\*\\*\\*" },
  { why: "TeX commands", text: "$a \\* b$ c\\*", relaxed: "$a \\* b$ c\\*" },
  { why: "prices", text: "$5\\* or $6", relaxed: "$5* or $6" },
  { why: "a backslash in front", text: "\\\\\\*", relaxed: "\\\\*" },
])("signs without backslashes: $why", ({ text, relaxed }) => {
  expect(relaxSigns(text)).toBe(relaxed);
});

const PIECES = [
  ..."ab  .,(!é。",
  ..."* * ** *** ~ ~~ _ \\ ` [ <".split(" ").map((signs) => signs.replace(/./g, "\\$&")),
  ..." ~a|**b**|*c*|_d_|~~e~~|**f *g* h**|`*`|[i\\*](/x*y_(z))|[**j** \\~](/k)|![\\*](/l)|x<sup>2</sup>|  \n|😀".split(
    "|",
  ),
];
/** No line of a block begins with a space. */
const block = fc
  .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 12 })
  .map((pieces) => pieces.join("").replace(/(^|\n)\s+/g, "$1"));
const shape = (tree: Root): string =>
  JSON.stringify(tree, (key, value: unknown) => (key === "position" ? undefined : value));

vi.setConfig({ testTimeout: 120_000 });

test("signs without a backslash read as they did with one", () => {
  fc.assert(
    fc.property(block, (text) => {
      expect(shape(read(relaxSigns(text)))).toBe(shape(read(text)));
    }),
    { numRuns: sampleCount(1000, 300, 3000), seed: 20_261_122 },
  );
});
