import { describe, expect, test } from "vitest";
import { readPdf } from "../../../../../src/content/documents/pdf/pdf.ts";
import { type MadeText, madePdf, paragraph } from "./made-pdf.ts";

const read = async (texts: readonly MadeText[]): Promise<string> => {
  const { markdown } = await readPdf(madePdf([{ texts }]), "https://example.com/a.pdf");
  return markdown;
};
const PROSE = "The orchard bore more in that year than in the ten before it, and nobody knew why it did. ";

describe("fixed-width fonts", () => {
  test("a typewritten page is text", async () => {
    const markdown = await read(paragraph(PROSE.repeat(10), 72, 120, 468, { font: "mono" }));
    expect(markdown).toBe(PROSE.repeat(10).trim());
  });

  test("a listing among text is code", async () => {
    const markdown = await read([
      ...paragraph(PROSE.repeat(6), 72, 120, 468),
      { text: "function pick(tree) {", x: 72, y: 250, font: "mono" },
      { text: "return tree.fruit;", x: 90, y: 262, font: "mono" },
      { text: "}", x: 72, y: 274, font: "mono" },
    ]);
    expect(markdown).toContain("```\nfunction pick(tree) {");
  });
});

describe("names of fonts", () => {
  test("with the name of a foundry or another word in them tell no style", async () => {
    const markdown = await read([
      ...paragraph("They are read aloud in the hall. ".repeat(6), 72, 60, 400, { font: "corsiva" }),
      ...paragraph(PROSE.repeat(8), 72, 130, 468),
      ...paragraph("The letters of a name. ".repeat(6), 72, 300, 400, { font: "digital" }),
    ]);
    expect(markdown).not.toMatch(/`|\*|_/);
    expect(markdown).toContain("They are read aloud");
  });

  test("of East Asia whose letters are all as wide tell no code, and comments in them are a part of it", async () => {
    const prose = "这是一个用等宽宋体排印的段落文字它应当是正文而不是代码块共有24行";
    const own = [0, 1].map((at): MadeText => ({ text: prose, x: 72, y: 60 + at * 12, font: "mono" }));
    expect(await read([...own, ...paragraph(PROSE.repeat(6), 72, 130, 468)])).toContain(`${prose}${prose}\n`);
    const code: MadeText[] = [
      { text: "function pick(tree) {", x: 72, y: 250, font: "mono" },
      { text: "// ", x: 90, y: 262, font: "mono" },
      { text: "树上的水果", x: 105, y: 262 },
      { text: "return tree.fruit; }", x: 90, y: 274, font: "mono" },
    ];
    const markdown = await read([...paragraph(PROSE.repeat(6), 72, 130, 468), ...code]);
    expect(markdown).toMatch(/```\nfunction pick\(tree\) \{\n {3}\/\/ 树上的水果\n {3}return/);
  });
});

test("code far to the right, or of no size, has a bounded indent", async () => {
  const line = (text: string, x: number, y: number, size: number): MadeText => ({ text, x, y, size, font: "mono" });
  for (const size of [0.1, 0]) {
    const code = [
      line("a { b", 1, 250, size),
      line("c } d", 590, 250 + size, size),
      line("e", 1, 250 + 2 * size, size),
    ];
    const markdown = await read([...paragraph(PROSE.repeat(6), 72, 60, 468), ...code]);
    expect(markdown.length).toBeLessThan(PROSE.length * 6 + 400);
  }
});

test("the width of text is in the unit of its page", async () => {
  const line = [0, 1, 2, 3].map((at): MadeText => ({
    text: ["The bees came ", "late that year, ", "and early apples ", "were few on trees "][at] ?? "",
    x: 72 + ([0, 70, 145, 230][at] ?? 0),
    y: 60,
    font: at % 2 === 0 ? "plain" : "bold",
  }));
  const texts = [0, 1, 2, 3, 4, 5].flatMap((row) => line.map((each) => ({ ...each, y: 60 + row * 12 })));
  const pages = [undefined, 2, 10].map((unit) => ({ texts, ...(unit === undefined ? {} : { unit }) }));
  const read = (page: (typeof pages)[number]) => readPdf(madePdf([page]), "https://example.com/a.pdf");
  const [plain, double, large] = await Promise.all(pages.map(read));
  expect(plain?.markdown).not.toContain("|");
  expect(double?.markdown).toBe(plain?.markdown);
  expect(large?.markdown).toBe(plain?.markdown);
});

describe("headings", () => {
  test("a lead of several sentences in large letters is a paragraph, and a title is not", async () => {
    const lead = "The bees came late. The early apples were few, and the pears were many more than before.";
    const markdown = await read([
      { text: "Harvest of the year", x: 72, y: 110, size: 20 },
      ...paragraph(lead, 72, 150, 300, { size: 13 }),
      ...paragraph(PROSE.repeat(8), 72, 230, 468),
    ]);
    expect(markdown).toContain("# Harvest of the year\n\nThe bees came late.");
    expect(markdown).not.toMatch(/^#+ The bees/m);
  });

  test("a short line in italics directly above a paragraph is one, and the first words of a paragraph are none", async () => {
    const titled = await read([
      { text: "Early Apples", x: 72, y: 110, font: "italic" },
      ...paragraph(PROSE.repeat(6), 72, 122, 468),
    ]);
    expect(titled).toMatch(/^#+ Early Apples\n\nThe orchard bore/);
    const unfinished = await read([
      { text: "In that year,", x: 72, y: 110, font: "italic" },
      ...paragraph(PROSE.repeat(6), 72, 122, 468),
    ]);
    expect(unfinished).toMatch(/^_In that year,_ The orchard/);
  });
});

test("a note at the foot of a page stays at its end", async () => {
  const markdown = await read([
    ...paragraph(PROSE.repeat(8), 72, 120, 468),
    { text: "2", x: 72, y: 727, size: 5 },
    { text: "The bees were counted by hand.", x: 75, y: 730, size: 8 },
  ]);
  expect(markdown).toMatch(/why it did\.\n\n² The bees were counted by hand\.$/);
});

describe("bullets that are drawn", () => {
  const items = ["Pears of the old wall", "Quinces by the gate", "Medlars", "Apples for the cellar"];
  const texts = [
    ...paragraph(PROSE.repeat(4), 72, 120, 468),
    ...items.map((text, at) => ({ text, x: at === 2 ? 130 : 100, y: 200 + at * 14 })),
    ...paragraph(PROSE.repeat(4), 72, 280, 468),
  ];
  const readDrawn = async (boxes: readonly (readonly [number, number, number, number])[]): Promise<string> => {
    return (await readPdf(madePdf([{ texts, boxes }]), "https://example.com/a.pdf")).markdown;
  };
  const bullet = (left: number, baseline: number) => [left, baseline - 5, left + 4, baseline - 1] as const;

  test("begin items of a list, also of one within it", async () => {
    const markdown = await readDrawn(items.map((_, at) => bullet(at === 2 ? 120 : 90, 200 + at * 14)));
    expect(markdown).toContain(
      "- Pears of the old wall\n- Quinces by the gate\n  - Medlars\n- Apples for the cellar\n\nThe orchard",
    );
  });

  test("are not the points of a chart beside their labels", async () => {
    expect(await readDrawn(items.map((_, at) => bullet(81 + at * 3.4, 200 + at * 14)))).not.toMatch(/^- /m);
  });

  test("are not a single point of a figure beside its label", async () => {
    expect(await readDrawn([bullet(90, 200)])).not.toMatch(/^- /m);
  });

  test("are not shapes between two words of a line", async () => {
    const words = [72, 110].flatMap((x) =>
      items.map((text, at) => ({ text: x === 72 ? "Row" : text, x, y: 200 + at * 14 })),
    );
    const boxes = items.map((_, at) => bullet(98, 200 + at * 14));
    const { markdown } = await readPdf(madePdf([{ texts: words, boxes }]), "https://example.com/a.pdf");
    expect(markdown).toContain("Pears");
    expect(markdown).not.toMatch(/• |^- /m);
  });
});

describe("scripts without capitals", () => {
  const lines = (texts: readonly string[], y: number): MadeText[] =>
    texts.map((text, at) => ({ text, x: 72, y: y + at * 12 }));

  test("have paragraphs after short lines that end a sentence, and items behind a colon as wide as a letter", async () => {
    const full = "委员会的成员在市政厅开会讨论来年的各项工作安排以及有关预算的问题";
    const markdown = await read([
      ...lines([full, "并且达成一致。", "预算获得通过。", "“主席已经选出。”", "「事项」如下："], 60),
      ...lines(["1、年度预算。", "2．选举主席。", "（3）其他事项。", full], 120),
    ]);
    expect(markdown).toBe(
      `${full}并且达成一致。\n\n预算获得通过。\n\n“主席已经选出。”\n\n「事项」如下：\n\n` +
        `1. 年度预算。\n2. 选举主席。\n3. 其他事项。\n\n${full}`,
    );
  });

  test("of India have them behind a danda", async () => {
    const full = "समिति के सदस्य नगर भवन में अगले वर्ष के विषयों पर चर्चा करने के लिए मिले";
    const markdown = await read(lines([full, "वे सहमत हुए।", "बजट पारित हुआ।", "1. बजट", "2. चुनाव", full], 60));
    expect(markdown).toBe(`${full} वे सहमत हुए।\n\nबजट पारित हुआ।\n\n1. बजट\n2. चुनाव\n\n${full}`);
  });

  test("keep a number at the start of a line within a sentence", async () => {
    const full = "委员会的成员在市政厅开会讨论来年的各项工作安排以及有关预算的问题";
    expect(await read(lines([full, "3．5万元的预算", "3、4月份再谈"], 60))).toBe(`${full} 3．5万元的预算 3、4月份再谈`);
  });
});
