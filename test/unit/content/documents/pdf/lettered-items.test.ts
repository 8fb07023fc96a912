import { describe, expect, test } from "vitest";
import { layoutBlocks } from "../../../../../src/content/documents/pdf/layout-blocks.ts";
import { readPdf } from "../../../../../src/content/documents/pdf/pdf.ts";
import { WorkBudget } from "../../../../../src/core/work-budget.ts";
import { leastProcessorMs } from "../../../../processor-time.ts";
import { type MadeText, madePdf, paragraph } from "./made-pdf.ts";

const PROSE = "The orchard bore more in that year than in the ten before it, and nobody knew why it did. ";
const INTRO = "The keeper of the orchard writes down:";

/** Reads lines below an introduction, each at its own left edge. */
async function read(...lines: readonly (string | { text: string; x: number })[]): Promise<string> {
  const texts: MadeText[] = [...paragraph(PROSE.repeat(4), 72, 60, 468), { text: INTRO, x: 72, y: 150 }];
  for (const [at, line] of lines.entries()) {
    const { text, x } = typeof line === "string" ? { text: line, x: 72 } : line;
    texts.push({ text, x, y: 164 + at * 12 });
  }
  const { markdown } = await readPdf(madePdf([{ texts }]), "https://example.com/a.pdf");
  return markdown.slice(markdown.indexOf(INTRO) + INTRO.length).trim();
}

describe("items with letters", () => {
  test.each([
    { form: "in brackets", lines: ["(a) the weight of the apples", "(b) the colour of the pears", "(c) the bees"] },
    { form: "before a bracket", lines: ["a) the weight of the apples", "b) the colour of the pears"] },
    { form: "in capitals", lines: ["A. the weight of the apples", "B. the colour of the pears"] },
    { form: "as Roman numerals", lines: ["i. the apples", "ii. the pears", "iii. the bees", "iv. the hives"] },
    { form: "from another place", lines: ["(d) the weight of the apples", "(e) the colour of the pears"] },
  ])("$form are items, with their letters", async ({ lines }) => {
    expect(await read(...lines)).toBe(lines.map((line) => `- ${line}`).join("\n"));
  });

  test("have lines that are indented, and items within them", async () => {
    const inner = [
      { text: "(i) of the early kinds", x: 90 },
      { text: "(ii) of the late kinds", x: 90 },
    ];
    const rest = { text: "and of those that fell from the trees in the wind before the harvest began", x: 86 };
    const first = "(a) the weight of all apples that were picked in the orchard by the ladders and the nets,";
    expect(await read(first, rest, ...inner, "(b) the colour of the pears")).toBe(
      [
        `- ${first} ${rest.text}`,
        "  - (i) of the early kinds",
        "  - (ii) of the late kinds",
        "- (b) the colour of the pears",
      ].join("\n"),
    );
  });

  test("are no items where one letter is alone, as an initial at the start of a line", async () => {
    expect(
      await read("was written by the two keepers of the orchard and its bees, of whom", "A. Miller knew more"),
    ).toBe("was written by the two keepers of the orchard and its bees, of whom A. Miller knew more");
  });

  test("are no items in the middle of a sentence, although the next letter begins a line too", async () => {
    const lines = ["and in the ledger that was kept by both keepers of the orchard, among them", "A. Miller and the others who came from the valley in that year, and also", "B. Smith, who left"]; // prettier-ignore
    expect(await read(...lines)).toBe(lines.join(" "));
  });
});

test("numbers of items stay as they are printed, where one is left out and where a list begins with another", async () => {
  expect(await read("1. apples", "2. pears", "4. bees", "7. hives")).toBe("1. apples\n2. pears\n4. bees\n7. hives");
  expect(await read("5. apples", "6. pears", "10. bees")).toBe("5. apples\n6. pears\n10. bees");
});

test("items each further to the left than the one before are laid out in linear time", async () => {
  const lines = Array.from({ length: 8_000 }, (_, at) => {
    const place = { left: (8_000 - at) * 6, right: (8_000 - at) * 6 + 100, baseline: at * 12, size: 10 };
    const style = { isBold: false, isItalic: false, isMonospaced: false, isSmallCaps: false };
    const box = { ...place, top: at * 12 - 8, bottom: at * 12 + 2 };
    const run = { ...place, ...style, text: "- pear", isRightToLeft: false, href: undefined };
    return { ...box, ...style, text: "- pear", segments: [{ ...box, runs: [run] }] };
  });
  const read = (): void => {
    const scale = { bodySize: 10, headingSizes: [] };
    const [list] = layoutBlocks(lines, scale, new WorkBudget(), { hasTables: false });
    expect(list?.type === "list" && list.items.length).toBe(8_000);
  };
  expect(await leastProcessorMs(read, 150)).toBeLessThan(150);
});
