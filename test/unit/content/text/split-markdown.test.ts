import { describe, expect, test } from "vitest";
import { countTokens } from "../../../../src/content/text/count-tokens.ts";
import { splitMarkdown } from "../../../../src/content/text/split-markdown.ts";

const OPTIONS = { maxTokens: 30, overlapTokens: 0, tokenizer: "characters" } as const;
const split = (markdown: string, options: Partial<Parameters<typeof splitMarkdown>[1]> = {}) =>
  splitMarkdown(markdown, { ...OPTIONS, ...options }).map((passage) => ({
    ...passage,
    text: markdown.slice(passage.start, passage.end),
  }));
const texts = (...words: Parameters<typeof split>) => split(...words).map(({ text }) => text);

describe("sections", () => {
  test("passages name the headings above them, and do not cross a heading", () => {
    const markdown = "Start.\n\n# Boats\n\nA dinghy.\n\n## Sails\n\nA jib.\n\n## Oars\n\nTwo.\n\n# Nets\n\nOne.";
    expect(split(markdown).map(({ headings, text }) => [headings, text])).toEqual([
      [[], "Start."],
      [["Boats"], "# Boats\n\nA dinghy."],
      [["Boats", "Sails"], "## Sails\n\nA jib."],
      [["Boats", "Oars"], "## Oars\n\nTwo."],
      [["Nets"], "# Nets\n\nOne."],
    ]);
  });

  test("a heading without text of its own stands with the section below it", () => {
    expect(texts("# Boats\n\n## Sails\n\nA jib.")).toEqual(["# Boats\n\n## Sails\n\nA jib."]);
  });

  test("headings are named without marks", () => {
    expect(split("## The *new* [boat](https://a.example/b) `x` \\#1\n\nHere.")[0]?.headings).toEqual([
      "The new boat x #1",
    ]);
  });

  test("a number sign in a block of code is no heading", () => {
    const markdown = "# Shell\n\n```sh\n# a comment\n\nls\n```\n\nEnd.";
    expect(split(markdown, { maxTokens: 100 })).toMatchObject([{ headings: ["Shell"], text: markdown }]);
  });
});

describe("long blocks", () => {
  test("paragraphs are joined up to the limit", () => {
    expect(texts("One two three.\n\nFour five six.\n\nSeven eight nine.")).toEqual([
      "One two three.\n\nFour five six.",
      "Seven eight nine.",
    ]);
  });

  test("are divided after sentences, else between words, else anywhere, and never inside a character", () => {
    expect(texts("One two three four. Five six seven. Eight nine.")).toEqual([
      "One two three four.",
      "Five six seven. Eight nine.",
    ]);
    expect(texts("one two three four five six seven eight nine")).toEqual([
      "one two three four five six",
      "seven eight nine",
    ]);
    expect(texts("x".repeat(70))).toEqual(["x".repeat(30), "x".repeat(30), "x".repeat(10)]);
    expect(texts(`x${"😀".repeat(30)}`).join("")).toBe(`x${"😀".repeat(30)}`);
    for (const text of texts(`x${"😀".repeat(30)}`)) expect(text.isWellFormed()).toBe(true);
    expect(texts("海の朝は早い。".repeat(8))).toEqual(["海の朝は早い。".repeat(4), "海の朝は早い。".repeat(4)]);
  });

  test("tables are divided between rows", () => {
    expect(texts("| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |\n| 5 | 6 |")).toEqual([
      "| a | b |\n| --- | --- |",
      "| 1 | 2 |\n| 3 | 4 |\n| 5 | 6 |",
    ]);
  });
});

test("an overlap repeats whole blocks of the same section, up to its limit", () => {
  const markdown = "aaaa\n\nbbbb\n\ncccc\n\ndddd\n\n# N\n\neeee";
  expect(texts(markdown, { maxTokens: 16, overlapTokens: 5 })).toEqual([
    "aaaa\n\nbbbb\n\ncccc",
    "cccc\n\ndddd",
    "# N\n\neeee",
  ]);
});

test.each(["estimate", "characters", "bytes"] as const)(
  "no passage has more tokens than the limit: %s",
  (tokenizer) => {
    const markdown = ["# Übersicht", "Die Häfen — siehe §3 — öffnen um 6:30 Uhr. ".repeat(40), "港町の朝は早い。".repeat(60), "😀🎉".repeat(80), "```\ncode\n```"].join("\n\n"); // prettier-ignore
    const passages = split(markdown, { tokenizer, maxTokens: 40 });
    expect(passages.length).toBeGreaterThan(10);
    for (const { text, tokens } of passages) {
      expect(tokens).toBe(Math.ceil(countTokens(text, tokenizer)));
      expect(tokens).toBeLessThanOrEqual(40);
    }
  },
);

test("every character but white space stands in a passage, in order", () => {
  const markdown =
    "# A\n\nText one.\n- item\n- item two\n\n> quote\n\n| a |\n| - |\n| b |\n\n~~~\n# no\n~~~\n\n###### F\n";
  const bare = (text: string) => text.replace(/\s/g, "");
  for (const maxTokens of [20, 25, 60, 1_000]) {
    expect(bare(texts(markdown, { maxTokens }).join(""))).toBe(bare(markdown));
  }
});

test("steps grow with the length of the text, not faster", () => {
  for (const line of ["a\n\n", "# a\n\n", "a ", "```\n", "| a |\n", "aaaa"]) {
    const passages = split(line.repeat(100_000), { maxTokens: 8_000, overlapTokens: 4_000 });
    expect(passages.length).toBeGreaterThan(0);
  }
});

test("headings end at number signs, and at the line ends of Windows", () => {
  expect(split("# Boats ##\r\n\r\nA dinghy.\r\n\r\n## Sails\r\n\r\nA jib.").map(({ headings }) => headings)).toEqual([
    ["Boats"],
    ["Boats", "Sails"],
  ]);
});

test("a block of code in a list item ends where it ends", () => {
  const markdown = "# T\n\n- ```\n  # code\n  ```\n\n## B\n\nText.\n\n1. ~~~js\n   ```\n   ~~~\n\n## C\n\nMore.";
  expect(split(markdown, { maxTokens: 100 }).map(({ headings }) => headings)).toEqual([["T"], ["T", "B"], ["T", "C"]]);
});

test("a heading of number signs and spaces takes no more steps than its length", () => {
  for (const line of [
    `## ${"#".repeat(200_000)}x`,
    `# ${" ".repeat(200_000)}Title\r`,
    `# ${"# ".repeat(100_000)}\u2028`,
  ]) {
    expect(split(line, { maxTokens: 8_000 }).length).toBeGreaterThan(0);
  }
});
