import { describe, expect, test } from "vitest";
import { readPdf } from "../../../../../src/content/documents/pdf/pdf.ts";
import { type MadeText, madePdf, paragraph } from "./made-pdf.ts";

const read = async (texts: readonly MadeText[]): Promise<string> => {
  const { markdown } = await readPdf(madePdf([{ texts }]), "https://example.com/a.pdf");
  return markdown;
};

/** A paragraph of sentences that tell its name and their number. */
const sentences = (name: string, count: number): string =>
  Array.from({ length: count }, (_, at) => `The ${name} part tells its sentence number ${at + 1} to the reader.`).join(
    " ",
  );

const expectOrder = (markdown: string, parts: readonly string[]): void => {
  const flat = markdown.replace(/\s+/g, " ");
  const places = parts.map((part) => flat.indexOf(part));
  expect(places.every((place) => place >= 0)).toBe(true);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
};

describe("columns are read one after the other", () => {
  test("two columns with headings and formulas of their own", async () => {
    const column = (name: string, x: number): MadeText[] => [
      { text: `1. Law of the ${name}`, x, y: 120, size: 12, font: "bold" },
      { text: "a + b = c", x: x + 60, y: 145, size: 14 },
      ...paragraph(sentences(name, 3), x, 175, 220),
      { text: `2. Rule of the ${name}`, x, y: 300, size: 12, font: "bold" },
      { text: "x = y", x: x + 70, y: 325, size: 14 },
      ...paragraph(sentences(`${name} rule`, 3), x, 350, 220),
    ];
    const markdown = await read([...column("left", 60), ...column("right", 330)]);
    expectOrder(markdown, [
      "Law of the left",
      sentences("left", 3),
      "Rule of the left",
      sentences("left rule", 3),
      "Law of the right",
      sentences("right", 3),
      sentences("right rule", 3),
    ]);
    expect(markdown).not.toContain("|");
  });

  test("three columns", async () => {
    const names = ["first", "second", "third"];
    const markdown = await read(names.flatMap((name, at) => paragraph(sentences(name, 8), 50 + at * 175, 120, 155)));
    expectOrder(
      markdown,
      names.map((name) => sentences(name, 8)),
    );
    expect(markdown).not.toContain("|");
  });

  describe("three columns, above whose middle one", () => {
    const columns = (tops: readonly [number, number, number]): MadeText[] =>
      ["first", "second", "third"].flatMap((name, at) =>
        paragraph(sentences(name, 6), 50 + at * 180, tops[at] ?? 0, 150),
      );
    const texts = [sentences("first", 6), sentences("second", 6), sentences("third", 6)];

    test("a title and a name are no wider than it", async () => {
      const title: MadeText[] = [
        { text: "Harbour Notes", x: 247, y: 80, size: 18 },
        { text: "by Ada Marsh", x: 275, y: 98, font: "italic" },
      ];
      expectOrder(await read([...title, ...columns([130, 130, 130])]), ["Harbour Notes", "by Ada Marsh", ...texts]);
    });

    test("its own text begins", async () => {
      expectOrder(await read(columns([130, 106, 130])), texts);
    });
  });

  test("columns that change within a page", async () => {
    const markdown = await read([
      ...paragraph(sentences("opening", 4), 60, 100, 490),
      ...paragraph(sentences("left", 5), 60, 190, 230),
      ...paragraph(sentences("right", 5), 320, 190, 230),
      ...paragraph(sentences("middle", 4), 60, 360, 490),
      ...["one", "two", "three"].flatMap((name, at) => paragraph(sentences(name, 5), 60 + at * 170, 450, 150)),
    ]);
    const names: [string, number][] = [
      ["opening", 4],
      ["left", 5],
      ["right", 5],
      ["middle", 4],
      ["one", 5],
      ["two", 5],
      ["three", 5],
    ];
    expectOrder(
      markdown,
      names.map(([name, count]) => sentences(name, count)),
    );
  });

  test.each([
    [
      "Japanese",
      "果樹園は川の上の斜面にあり、七月の終わりから初霜まで実がなる。",
      "その年は蜂が遅く来たので、早生の林檎は少なく、梨は多かった。",
    ],
    [
      "Chinese",
      "果园位于河流上方的斜坡上，从七月底到初霜都有果实。",
      "那一年蜜蜂来得晚，所以早熟的苹果很少，而梨却比前五年都多。",
    ],
    [
      "Korean",
      "과수원은 강 위의 비탈에 있고 칠월 말부터 첫서리까지 열매를 맺는다. ",
      "그해에는 벌이 늦게 와서 이른 사과는 적었고 배는 더 많았다. ",
    ],
    [
      "Russian",
      "Сад лежит на склоне над рекой, и деревья плодоносят с июля до первых заморозков. ",
      "В тот год пчелы прилетели поздно, и ранних яблок было мало, а груш больше. ",
    ],
    [
      "Greek",
      "Ο κήπος βρίσκεται στην πλαγιά πάνω από το ποτάμι και δίνει καρπούς από τον Ιούλιο. ",
      "Εκείνη τη χρονιά οι μέλισσες ήρθαν αργά και τα πρώιμα μήλα ήταν λίγα. ",
    ],
    [
      "Hindi",
      "बगीचा नदी के ऊपर ढलान पर है और जुलाई से पाले तक फल देता है। ",
      "उस साल मधुमक्खियाँ देर से आईं इसलिए सेब कम और नाशपाती अधिक थे। ",
    ],
    [
      "Vietnamese",
      "Vườn cây nằm trên sườn đồi phía trên dòng sông và ra quả từ tháng bảy. ",
      "Năm ấy ong đến muộn nên táo sớm rất ít còn lê thì nhiều hơn. ",
    ],
    ["Thai", "สวนผลไม้อยู่บนเนินเหนือแม่น้ำ และออกผลตั้งแต่ปลายเดือนกรกฎาคม ", "ปีนั้นผึ้งมาช้า แอปเปิลต้นฤดูจึงมีน้อย แต่ลูกแพร์มีมากกว่า "],
  ])("%s in two columns", async (_, left, right) => {
    const markdown = await read([
      ...paragraph(left.repeat(6), 60, 120, 230),
      ...paragraph(right.repeat(6), 320, 120, 230),
    ]);
    const flat = markdown.replace(/\s+/g, "");
    expect(flat).toBe((left.repeat(6) + right.repeat(6)).replace(/\s+/g, ""));
  });

  test("Japanese from top to bottom, the right column first", async () => {
    const text =
      "果樹園は川の上の斜面にあり、七月の終わりから初霜まで実がなる。その年は蜂が遅く来たので、早生の林檎は少なかった。";
    const columns = text.match(/.{1,20}/gu) ?? [];
    const texts = columns.map((column, at): MadeText => ({
      text: column,
      x: 500 - at * 20,
      y: 100,
      size: 12,
      font: "vertical",
    }));
    expect((await read(texts)).trim()).toBe(text);
  });

  describe("Japanese from top to bottom", () => {
    const upper =
      "果樹園は川の上の斜面にあり、七月の終わりから初霜まで実がなる。その年は蜂が遅く来たので、早生の林檎は少なかった。";
    const lower = "港の事務所は湾へ入るすべての船の帳簿をつけている。船長は積荷を報告する。";
    const tier = (lines: readonly string[], y: number): MadeText[] =>
      lines.map((text, at) => ({ text, x: 500 - at * 20, y, size: 12, font: "vertical" }));
    const cut = (text: string, length: number): string[] => text.match(new RegExp(`.{1,${length}}`, "gu")) ?? [];

    test.each([
      ["three lines over two", 20, 20],
      ["five lines over three", 12, 13],
    ])("the upper tier first: %s", async (_, above, below) => {
      const markdown = await read([...tier(cut(upper, above), 100), ...tier(cut(lower, below), 390)]);
      expect(markdown.trim()).toBe(`${upper}\n\n${lower}`);
    });

    test("a name and a place in each line stay together", async () => {
      const names = ["果樹園組合", "港湾事務所", "船員組合"];
      const places = ["川の上の町", "湾の北の町", "岬の南の村"];
      const markdown = await read([...tier(names, 100), ...tier(places, 300)]);
      for (const [at, name] of names.entries()) expect(markdown).toMatch(new RegExp(`${name}[ |]+${places[at]}`, "u"));
    });
  });

  test("Arabic in two columns, the right one first", async () => {
    const [right, left] = ["البستان على المنحدر فوق النهر", "وفي تلك السنة جاء النحل متأخرا"];
    const lines = (text: string, x: number): MadeText[] =>
      Array.from({ length: 8 }, (_, at) => ({ text: [...`${text} ${at}`].toReversed().join(""), x, y: 120 + at * 12 }));
    const markdown = await read([...lines(left, 60), ...lines(right, 330)]);
    expect(markdown.indexOf(right)).toBeGreaterThanOrEqual(0);
    expect(markdown.indexOf(right)).toBeLessThan(markdown.indexOf(left));
  });
});
