import { describe, expect, test } from "vitest";
import { quotedAnswer } from "../../../../src/jobs/research/quoted-answer.ts";
import { fitData, type FoundData } from "../../../../src/jobs/research/fit-data.ts";
import { leavesOf } from "../../../../src/content/structured-data/evidence/provenance.ts";
import { fieldName } from "../../../../src/core/scrape/evidence.ts";
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
    for (const each of pages) expect(budget.fit(each)).toEqual(each);
  });

  test("take a bounded memory with their links", () => {
    const budget = new PagesBudget();
    const links = Array.from({ length: 1_000 }, (_, number) => `https://a.example/${"x".repeat(900)}${number}`);
    const kept = Array.from({ length: 96 }, (_, number) => budget.fit(page(number, "", links)));
    const chars = kept.flatMap((each) => each.links).reduce((sum, link) => sum + link.length, 0);
    expect(chars).toBeLessThan(18_000_000);
  });
});

describe("the data of the pages of a run", () => {
  const items = (count: number, chars: number) =>
    Array.from({ length: count }, (_, at) => ({ name: `Item ${at}`, about: `${at} `.padEnd(chars, "x"), price: at }));
  const withData = (number: number, value: unknown): ReadPage => ({
    ...page(number, "short"),
    value,
    evidence: leavesOf(value).map(({ path, value: leaf }) => {
      return { field: fieldName(path), url: `https://a.example/${number}`, quote: String(leaf), from: "json-ld" };
    }),
  });
  const sizeOf = ({ value, evidence }: FoundData): number => JSON.stringify([value, evidence]).length;

  test("take a bounded memory together with their evidence, and are cut behind whole items", () => {
    const budget = new PagesBudget(200_000);
    const kept = Array.from({ length: 12 }, (_, at) => budget.fit(withData(at, { title: "T", items: items(40, 500) })));
    expect(kept.reduce((sum, each) => sum + sizeOf(each), 0)).toBeLessThan(330_000);
    for (const { value, evidence, note } of kept) {
      const fields = new Set(leavesOf(value).map(({ path }) => fieldName(path)));
      const { items: list } = value as { items: ReturnType<typeof items> };
      expect(list).toEqual(items(40, 500).slice(0, list.length));
      expect(list.length).toBeGreaterThan(2);
      expect(evidence.every(({ field }) => fields.has(field))).toBe(true);
      expect(note).toMatch(/is large: only the first \d+ bytes of its data were used\.$/);
    }
  });

  test("are whole when they are as large as data are", () => {
    const budget = new PagesBudget();
    for (let at = 0; at < 96; at++) {
      const read = withData(at, { items: items(20, 60) });
      const { evidence, ...fitted } = budget.fit(read);
      expect({ ...fitted, evidence }).toEqual(read);
      // A quote of its own, which does not keep its page in memory.
      expect(evidence[1]).not.toBe(read.evidence[1]);
    }
  });

  test("have a part of what does not fit as a whole, and no part of a text", () => {
    const { data, isCut } = fitData(
      { value: { long: "x".repeat(5_000), inner: [{ deep: ["y".repeat(900), "z".repeat(900)] }] }, evidence: [] },
      1_500,
    );
    expect(isCut).toBe(true);
    expect(data.value).toEqual({ inner: [{ deep: ["y".repeat(900)] }] });
    expect(fitData({ value: "x".repeat(5_000), evidence: [] }, 1_000).data.value).toBeUndefined();
  });

  test("may take all of the room when no other page is to come", () => {
    const budget = new PagesBudget(100_000);
    expect(budget.fitData({ value: items(30, 1_000), evidence: [] }, 2).isCut).toBe(false);
    expect(budget.fitData({ value: items(50, 1_000), evidence: [] }, 1).isCut).toBe(false);
    expect(budget.fitData({ value: items(60, 1_000), evidence: [] }, 1).isCut).toBe(true);
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
