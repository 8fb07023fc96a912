import { describe, expect, test } from "vitest";
import { quotedAnswer } from "../../../../src/jobs/research/quoted-answer.ts";
import { PagesBudget, type ReadPage } from "../../../../src/jobs/research/read-page.ts";

const page = (number: number, markdown: string, links: string[] = []): ReadPage => ({
  url: `https://a.example/${number}`,
  askedUrl: `https://a.example/${number}`,
  title: `Page ${number}`,
  description: "",
  favicon: undefined,
  markdown,
  links,
  value: undefined,
  evidence: [],
});

describe("the pages of a run", () => {
  test.each([
    { of: "Latin", sign: "a", bytes: 1 },
    { of: "Chinese", sign: "海", bytes: 2 },
  ])("take a bounded memory together, though each is large: $of", ({ sign, bytes }) => {
    const budget = new PagesBudget();
    const large = sign.repeat(1_000_000);
    const kept = Array.from({ length: 96 }, (_, number) => budget.fit(page(number, large)));
    const chars = kept.map(({ markdown }) => markdown.length);
    expect(chars.reduce((sum, length) => sum + length, 0) * bytes).toBeLessThan(18_000_000);
    expect(chars[0]).toBe(1_000_000);
    expect(Math.min(...chars)).toBeGreaterThanOrEqual(10_000);
    expect(kept[95]?.note).toMatch(
      /^https:\/\/a.example\/95 is large: only the first \d+ characters of its text were used/,
    );
  });

  test("are whole when they are as large as pages are", () => {
    const budget = new PagesBudget();
    const links = Array.from({ length: 200 }, (_, number) => `https://a.example/${number}`);
    const pages = Array.from({ length: 96 }, (_, number) => page(number, "a".repeat(60_000), links));
    for (const each of pages) expect(budget.fit(each)).toBe(each);
  });

  test("take a bounded memory with their links", () => {
    const budget = new PagesBudget();
    const links = Array.from({ length: 1_000 }, (_, number) => `https://a.example/${"x".repeat(900)}${number}`);
    const kept = Array.from({ length: 96 }, (_, number) => budget.fit(page(number, "", links)));
    const chars = kept.flatMap((each) => each.links).reduce((sum, link) => sum + link.length, 0);
    expect(chars).toBeLessThan(18_000_000);
  });
});

test("the best passages of many long pages are quoted, each with its source", async () => {
  const waves = `${"The waves roll on the shore all day and all night. ".repeat(20)}\n\n`.repeat(300);
  const pages = Array.from({ length: 8 }, (_, number) => page(number, waves));
  pages[5] = page(5, `${waves}The lighthouse keeper of Skagen is called Ane Jensen.\n\n${waves}`);
  const { text, sources } = await quotedAnswer(pages, "lighthouse keeper of Skagen");
  expect(text).toContain("The lighthouse keeper of Skagen is called Ane Jensen. [1]");
  expect(sources[0]).toBe("https://a.example/5");
});
