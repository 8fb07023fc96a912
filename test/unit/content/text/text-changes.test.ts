import { expect, test } from "vitest";
import { diffTexts, isSameText, mostComparisons } from "../../../../src/content/text/text-changes.ts";
import { WorkBudget } from "../../../../src/core/work-budget.ts";

test.each([
  ["equal", "a b c", "a b c", true],
  ["spaced otherwise", "a b\n\nc", "ab  c\n", true],
  ["in another order", "one\ntwo", "two\none", true],
  ["longer", "abc", "abcc", false],
  ["shorter", "abcc", "abc", false],
  ["other", "price 10", "price 11", false],
])("texts that are %s", (_what, previous, current, same) => {
  expect(isSameText(previous, current)).toBe(same);
});

test("a changed line stands with three lines around, as a patch and as data", () => {
  const lines = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];
  const { text, json } = diffTexts(lines.join("\n"), lines.with(4, "five").join("\n")).diff;
  expect(text).toBe("--- previous.md\n+++ current.md\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
  const [file] = json.files;
  expect(file).toMatchObject({ from: "previous.md", to: "current.md", additions: 1, deletions: 1 });
  expect(file?.chunks[0]?.content).toBe("@@ -2,7 +2,7 @@");
  expect(file?.chunks[0]?.changes.slice(2, 6)).toEqual([
    { type: "normal", normal: true, ln1: 4, ln2: 4, content: " 4" },
    { type: "del", del: true, ln: 5, content: "-5" },
    { type: "add", add: true, ln: 5, content: "+five" },
    { type: "normal", normal: true, ln1: 6, ln2: 6, content: " 6" },
  ]);
});

test("a page that had no text begins at line nought", () => {
  expect(diffTexts("", "new").diff.text).toBe("--- previous.md\n+++ current.md\n@@ -0,0 +1 @@\n+new\n");
});

test("texts that have nothing in common are replaced as a whole", () => {
  const text = (word: string) => Array.from({ length: 3000 }, (_, line) => `${word} ${line}`).join("\n");
  const [file] = diffTexts(text("old"), text("new")).diff.json.files;
  expect(file).toMatchObject({ additions: 3000, deletions: 3000 });
  expect(file?.chunks).toHaveLength(1);
});

test("a long diff ends after its first lines, and says so; its counts are those of the whole", () => {
  const lines = (word: string): string => Array.from({ length: 15_000 }, (_, line) => `${word} ${line}`).join("\n");
  const { diff, isCut } = diffTexts(lines("old"), lines("new"));
  const [file] = diff.json.files;
  expect(isCut).toBe(true);
  expect(file).toMatchObject({ additions: 15_000, deletions: 15_000 });
  expect(file?.chunks.map(({ oldLines, newLines }) => [oldLines, newLines])).toEqual([[15_000, 5_000]]);
  expect(diff.text.split("\n")).toHaveLength(20_004);
  expect(diffTexts("one", "two").isCut).toBe(false);
});

/** Lines of two kinds in an order without a pattern. */
function twoKinds(count: number, seed: number): string {
  let state = seed;
  const next = (): number => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31);
  return Array.from({ length: count }, () => (next() % 1_000 < 300 ? "x" : "y")).join("\n");
}

test("the comparisons of lines are counted, and long texts of two lines that repeat end at a limit", () => {
  const budget = new WorkBudget();
  const [file] = diffTexts(twoKinds(12_000, 1), twoKinds(12_000, 2), budget).diff.json.files;
  expect(file).toMatchObject({ additions: 12_000, deletions: 12_000 });
  expect(budget.steps).toBeGreaterThan(100_000);
  expect(budget.steps).toBeLessThanOrEqual(2_000_000);
});

test("texts are replaced as a whole where the budget ends, and compared in little work where few lines differ", () => {
  const lines = Array.from({ length: 600 }, (_, line) => `line ${line}`);
  const changed = lines.map((line, index) => (index % 3 === 0 ? `new ${line}` : line));
  const diff = (budget: WorkBudget) => diffTexts(lines.join("\n"), changed.join("\n"), budget).diff.json.files[0];
  expect(diff(new WorkBudget({ steps: 2_000 }))).toMatchObject({ additions: 600, deletions: 600 });
  expect(diff(new WorkBudget())).toMatchObject({ additions: 200, deletions: 200 });
  expect(mostComparisons(lines.join("\n"), changed.join("\n"))).toBeGreaterThan(300_000);
  expect(mostComparisons(lines.join("\n"), lines.with(300, "new").join("\n"))).toBeLessThan(1_000);
  expect(mostComparisons("a", "a")).toBeLessThan(10);
  const blank = "\n".repeat(20_000);
  expect(mostComparisons(`${twoKinds(300, 1)}${blank}`, `${twoKinds(300, 2)}${blank}`)).toBe(2_000_000);
});
