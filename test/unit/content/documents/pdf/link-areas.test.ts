import { expect, test } from "vitest";
import { type LinkArea, splitAtLinks } from "../../../../../src/content/documents/pdf/pages/link-areas.ts";
import { WorkBudget } from "../../../../../src/core/work-budget.ts";
import { leastProcessorMs } from "../../../../processor-time.ts";

const run = (text: string) => ({
  text, left: 0, right: text.length * 5, baseline: 100, size: 10, isBold: false, isItalic: false, isMonospaced: false,
  isRightToLeft: false, href: undefined,
}); // prettier-ignore
/** A link over characters of a run. */
const area = (from: number, to: number, href = `https://a.example/${from}`): LinkArea => ({
  href,
  left: from * 5,
  right: to * 5,
  top: 90,
  bottom: 102,
});
const split = (text: string, areas: readonly LinkArea[], budget = new WorkBudget()) =>
  splitAtLinks(run(text), areas, budget).map((piece) => [piece.text, piece.href?.at(-1)]);

test("a run is parted at the edges of words that are nearest to the links over it", () => {
  const text = "See one site, and (another) there.";
  expect(split(text, [area(18.2, 26.9), area(4.3, 11.8)])).toEqual([
    ["See ", undefined],
    ["one site", "3"],
    [", and ", undefined],
    ["(another)", "2"],
    [" there.", undefined],
  ]);
  expect(split("whole", [area(-1, 9)])).toEqual([["whole", "1"]]);
  expect(split("whole", [{ ...area(0, 5), top: 200, bottom: 210 }])).toEqual([["whole", undefined]]);
  // The link covers no more than a part of a word.
  expect(split("one wonderful word", [area(5, 6)])).toEqual([["one wonderful word", undefined]]);
});

test("a run of a script without spaces between words is parted at letters", () => {
  const text = "更多信息请参阅帮助中心页面";
  expect(split(text, [area(7, 11)])).toEqual([
    ["更多信息请参阅", undefined],
    ["帮助中心", "7"],
    ["页面", undefined],
  ]);
  expect(split("อ่านคู่มือที่นี่", [area(4, 10)])).toEqual([
    ["อ่าน", undefined],
    ["คู่มือ", "4"],
    ["ที่นี่", undefined],
  ]);
  // Two letters of East Asia, nine others and a space, which are half as wide.
  const mixed = { ...run("参阅 docs.html"), right: 65 };
  const link = { href: "https://a.example/1", left: 0, right: 20, top: 90, bottom: 102 };
  expect(splitAtLinks(mixed, [link], new WorkBudget()).map((piece) => piece.text)).toEqual(["参阅", " docs.html"]);
});

test("many links over a long run end with the budget, in linear time for a short word", async () => {
  const text = "a word ".repeat(2_000);
  const areas = Array.from({ length: 2_000 }, (_, at) => area(at * 7 + 2, at * 7 + 6));
  const read = (): void => {
    expect(split(text, areas, new WorkBudget({ steps: 20_000_000 })).length).toBe(4_001);
  };
  expect(await leastProcessorMs(read, 2_000)).toBeLessThan(2_000);
  const budget = new WorkBudget({ steps: 10_000 });
  const pieces = split(text, areas, budget);
  expect(pieces.length).toBeLessThan(100);
  expect(pieces.map(([piece]) => piece).join("")).toBe(text);
});
