import { describe, expect, test } from "vitest";
import { checkReading } from "../../../../../src/content/documents/vision/check-reading.ts";
import { toPageHtml, toSafeMarkdown } from "../../../../../src/content/documents/vision/vision-text.ts";
import { WorkBudget } from "../../../../../src/core/work-budget.ts";

function line(text: string, confidence: number) {
  const words = text.split(" ").map((word) => ({ text: word, left: 0, right: 10, confidence }));
  return { top: 0, bottom: 10, baseline: 8, size: 10, words };
}

function check(
  markdown: string,
  { ocr = [], layer = [], confidence = 0.5 }: { ocr?: string[]; layer?: string[]; confidence?: number },
) {
  const lines = ocr.map((text) => line(text, confidence));
  return checkReading({ markdown }, { ocr: { lines }, textLayer: layer }, new WorkBudget());
}

describe("a vision model's text", () => {
  test.each([
    {
      why: "the same words",
      markdown: "**Mayor** Harrow paid 1,250.00 on 12.03.1987.",
      ocr: ["Mayor Harrow paid 1,250.00 on 12.03.1987."],
    },
    { why: "letters of OCR in place of digits", markdown: "Paid 1984 to 50 men", ocr: ["Paid l9B4 to 5O men"] },
    { why: "a letter of a name that OCR misread", markdown: "Mr Warburton", ocr: ["Mr Warbunton"] },
    { why: "digits that OCR parted", markdown: "Tel. 5550142", ocr: ["Tel. 555 01 42"] },
    { why: "groups of three digits", markdown: "in all 12 500 000", ocr: ["in all 12.500.000"] },
    { why: "a word that the end of a line parts", markdown: "Wiederaufbau", ocr: ["der Wieder-", "aufbau"] },
    { why: "the text layer", markdown: "Quay 4711 of Harrow", layer: ["Quay 4711 of Harrow"] },
    {
      why: "the cells of a table",
      markdown: "| Name | Sum |\n|---|---|\n| Miller | 310 |",
      ocr: ["Name Sum", "Miller 310"],
    },
  ])("is confirmed by $why", ({ markdown, ...known }) => {
    expect(check(markdown, known)).toEqual({ isUsable: true, isChecked: true, unconfirmed: [] });
  });

  test("has numbers and names that neither OCR nor the text layer has", () => {
    const { unconfirmed } = check("Mayor Hutchinson paid 9,400 to Harrow in 1987 and 23", {
      ocr: ["the mayor paid 1,250 to Harnow in 1987"],
      layer: ["and 24"],
    });
    expect(unconfirmed).toEqual(["9,400", "23", "Hutchinson"]);
  });

  test("is not checked without words to compare with", () => {
    expect(check("海は広い", {})).toMatchObject({ isUsable: true, isChecked: false });
  });

  test("cannot be used when it lacks the words that OCR is sure of", () => {
    const ocr = ["council gives notice that the inner harbour will close from November until March while quays rest"];
    expect(check("I cannot help with this picture.", { ocr, confidence: 0.95 }).isUsable).toBe(false);
    expect(check(`# ${ocr[0]}`, { ocr, confidence: 0.95 }).isUsable).toBe(true);
  });

  test.each([
    {
      why: "words",
      layer: ["The inner harbour will be closed", "by the town from May to July of that year, and no ship may land."],
    },
    { why: "letters without spaces", layer: ["港は五月から七月まで町により閉鎖される"] },
  ])("cannot be used when it lacks the $why of a short text layer, unless OCR speaks for it", ({ layer }) => {
    const invented = "A poster of a concert: the band plays on Saturday evening in the old theatre.";
    expect(check(invented, { layer }).isUsable).toBe(false);
    expect(check(`# ${layer.join(" ")}`, { layer }).isUsable).toBe(true);
    expect(check(invented, { layer: layer.map((text) => text.slice(0, 6)) }).isUsable).toBe(true);
    const ocr = ["poster concert band plays Saturday evening theatre inner shown above below among these people"];
    expect(check(`${invented} ${ocr[0]}`, { layer, ocr, confidence: 0.95 }).isUsable).toBe(true);
  });

  test.each([
    { why: "noise", ocr: ["rn il o", "vvx qwe"] },
    { why: "hardly any word", ocr: ["the xqv"] },
  ])("that OCR has $why of counts as not checked, also without numbers and names", ({ ocr }) => {
    const markdown = "a small boat lies beside a wooden pier while people carry heavy baskets over wet planks";
    expect(check(markdown, { ocr })).toMatchObject({ isUsable: true, isChecked: false });
    expect(check(markdown, { ocr: ["boat lies beside wooden pxqv"] }).isChecked).toBe(true);
  });

  test("of many words ends within its budget, and then counts as not checked", () => {
    const words = (start: string): string =>
      Array.from(
        { length: 4_000 },
        (_, at) => start + at.toString().replace(/\d/g, (digit) => "abcdefghij"[Number(digit)] ?? ""),
      ).join(" ");
    const budget = new WorkBudget({ steps: 1_000 });
    const ocr = { lines: [line(words("quay"), 0.5)] };
    const checked = checkReading({ markdown: words("Xylo") }, { ocr, textLayer: [] }, budget);
    expect(budget.isSpent).toBe(true);
    expect(checked.isChecked).toBe(false);
  });
});

describe("its markdown", () => {
  test("keeps tables, formulas and links, and nothing that runs or loads", () => {
    const markdown = toSafeMarkdown(
      '# A <b onclick="x()">b</b>\n<table class="x"><tr><td colspan="2" onclick="y()">1</td></tr></table>\n<script>z()</script> ![seen](https://evil.example/?q=1) [a](javascript:alert(1)) [b](https://example.com/) $a < b$',
    );
    expect(markdown).toBe(
      '# A \\<b onclick="x()">b\\</b>\n<table><tr><td colspan="2">1</td></tr></table>\n\\<script>z()\\</script> seen a) [b](https://example.com/) $a < b$',
    );
    const html = toPageHtml(markdown, "https://example.com/x");
    expect(html).toContain('<td colspan="2">1</td>');
    expect(html).not.toContain("<script");
    expect(html).not.toContain("<b ");
  });
});
