import { describe, expect, test } from "vitest";
import { readPdf } from "../../../../../src/content/documents/pdf/pdf.ts";
import { type MadePage, type MadeRule, type MadeText, madePdf, paragraph, widthOf } from "./made-pdf.ts";

const readPages = async (pages: readonly MadePage[]): Promise<string> => {
  const { markdown } = await readPdf(madePdf(pages), "https://example.com/a.pdf");
  return markdown;
};
const read = (texts: readonly MadeText[]): Promise<string> => readPages([{ texts }]);

/** A paragraph of sentences that tell its name and their number. */
const sentences = (name: string, count: number): string =>
  Array.from({ length: count }, (_, at) => `The ${name} part tells its sentence number ${at + 1} to the reader.`).join(
    " ",
  );

/** Two columns of prose at 60 and 320. */
const columns = (): MadeText[] => [
  ...paragraph(sentences("left", 8), 60, 120, 230),
  ...paragraph(sentences("right", 8), 320, 126, 230),
];

const row = (cells: readonly string[], xs: readonly number[], y: number): MadeText[] =>
  cells.map((text, at) => ({ text, x: xs[at] ?? 0, y }));

describe("a table below two columns", () => {
  test("whose numbers end near the gutter does not hide it", async () => {
    const xs = [60, 150, 285, 340, 440];
    const rows = [0, 1, 2, 3].map((at) => row(["Quay", "stone", `714${at}`, `9${at}.5`, "wide"], xs, 420 + at * 22));
    const markdown = await read([...columns(), ...rows.flat()]);
    expect(markdown.startsWith(`${sentences("left", 8)}\n\n${sentences("right", 8)}`)).toBe(true);
    expect(markdown).toContain("| Quay | stone | 7140 | 90.5 | wide |");
  });

  test("with a gap at the gutter stays whole", async () => {
    const xs = [60, 140, 220, 320, 420];
    const rows = [0, 1, 2, 3].map((at) => row(["Quay", `1${at}`, `2${at}`, `3${at}`, `4${at}`], xs, 420 + at * 22));
    const markdown = await read([...columns(), ...rows.flat()]);
    expect(markdown).toContain(sentences("right", 8));
    expect(markdown).toContain(
      "| Quay | 10 | 20 | 30 | 40 |\n| --- | --- | --- | --- | --- |\n| Quay | 11 | 21 | 31 | 41 |",
    );
  });
});

test("columns between the line below a running head and that above the notes are no table", async () => {
  const texts = [...columns(), ...paragraph(sentences("note", 3), 60, 700, 480, { size: 8 })];
  const rules: MadeRule[] = [60, 690].map((y) => [60, y, 550, y]);
  const markdown = await readPages([{ texts, rules }]);
  expect(markdown).toContain(`${sentences("left", 8)}\n\n${sentences("right", 8)}`);
});

test("three columns are found above a ruled table over two of them", async () => {
  const names = ["first", "second", "third"];
  const xs = [60, 150, 250];
  const rows = [0, 1, 2, 3, 4, 5].map((at) => row(["Quay", `1${at}`, `2${at}`], xs, 460 + at * 20));
  const rules = [0, 1, 2, 3, 4, 5, 6].map((at): MadeRule => [60, 447 + at * 20, 350, 447 + at * 20]);
  const texts = names.flatMap((name, at) => paragraph(sentences(name, 6), 60 + at * 170, 120 + at * 4, 150));
  const markdown = await readPages([{ texts: [...texts, ...rows.flat()], rules }]);
  for (const name of names) expect(markdown).toContain(sentences(name, 6));
  expect(markdown).toContain("| Quay | 10 | 20 |");
});

test("a list beside a paragraph of the other column is no table", async () => {
  const items = ["Keep the lamp dry", "Trim the wick", "Clean the glass", "Fill the well", "Bank the fire"];
  const markdown = await read([
    ...paragraph(sentences("left", 12), 60, 120, 230),
    ...paragraph(sentences("right", 5), 320, 120, 230),
    ...items.map((text, at) => ({ text, x: 332, y: 258 + at * 12 })),
  ]);
  expect(markdown).toContain(sentences("left", 12));
  expect(markdown).not.toContain("|");
});

test("a hyphen that is a run of its own divides a word, and so does one behind a soft hyphen", async () => {
  const lines = ["They measured the engi", "neer of the water", "of the har", "bour and went"];
  const hyphen = (line: number, text: string): MadeText => ({
    text,
    x: 72 + widthOf(lines[line] ?? ""),
    y: 100 + line * 12,
    size: 9,
  });
  const markdown = await read([
    ...lines.map((text, at) => ({ text, x: 72, y: 100 + at * 12 })),
    hyphen(0, "\u2010"),
    hyphen(2, "\u00ad\u2010"),
  ]);
  expect(markdown).toBe("They measured the engineer of the water of the harbour and went");
});

test("marks of Indian scripts whose glyphs have a width do not part words", async () => {
  expect(await read([{ text: "सामान्यतः समिति", x: 72, y: 100 }])).toBe("सामान्यतः समिति");
});

test("lines of Korean that end with a word are joined with a space, and others without one", async () => {
  const markdown = await read([
    { text: "도시는 강이 관찰했다 겨울에", x: 72, y: 100 },
    { text: "다리를 평의회에서 도시는", x: 72, y: 112 },
    { text: "강이 겨울에 관찰", x: 72, y: 124 },
    { text: "했다 다리를 평의회에서", x: 72, y: 136 },
  ]);
  expect(markdown).toBe("도시는 강이 관찰했다 겨울에 다리를 평의회에서 도시는 강이 겨울에 관찰했다 다리를 평의회에서");
});

test("lines of scripts without spaces between words are joined without one", async () => {
  const thai = ["ภาษาไทยเป็นภาษาที่มีระดับเสียงของคำ", "เช่นเดียวกับภาษาจีน"];
  expect(await read(thai.map((text, at) => ({ text, x: 72, y: 100 + at * 12 })))).toBe(thai.join(""));
});

test("a page that is turned by its content keeps its links", async () => {
  const turned = { x: 100, y: 200, turns: 1 as const };
  const box = [95, 254, 112, 286] as const;
  const page = {
    texts: [{ text: "The report of the harbour", ...turned }],
    links: [{ href: "https://a.example/r", box }],
  };
  expect(await readPages([page])).toContain("[of the](https://a.example/r)");
});

test("a running head is left out on a last page with hardly any text too", async () => {
  const head: MadeText = { text: "Journal of Harbours, vol. 12", x: 72, y: 30, size: 8, font: "italic" };
  const markdown = await readPages([
    { texts: [head, ...paragraph(sentences("first", 8), 72, 120, 460)] },
    { texts: [head, ...paragraph(sentences("last", 1), 72, 120, 460)] },
  ]);
  expect(markdown).toContain(sentences("last", 1));
  expect(markdown).not.toContain("Journal of Harbours");
});

test("letters of East Asia that are drawn below each other are columns of vertical text, from right to left", async () => {
  const columns = ["川は静かに流れている", "春の朝に舟が出て行く", "港の人々は手を振った"];
  const markdown = await read(
    columns.flatMap((text, at) =>
      [...text].map((letter, place) => ({ text: letter, x: 500 - at * 18, y: 100 + place * 11 })),
    ),
  );
  expect(markdown).toBe(columns.join(""));
});

test("a running head across vertical text is left out", async () => {
  const letters = [..."川は静かに流れている春の朝に舟が出て行く港の人々は手を振った"];
  const markdown = await read([
    { text: "川の本 12", x: 280, y: 30, size: 8 },
    ...letters.map((text, at) => ({ text, x: 500 - Math.floor(at / 10) * 18, y: 100 + (at % 10) * 11 })),
  ]);
  expect(markdown).toBe(letters.join(""));
});

describe("vertical text that a browser prints", () => {
  /** Letters below each other; a piece of other letters is turned, and takes half of its size for each of them. */
  const column = (pieces: readonly string[], x: number, y: number): MadeText[] => {
    let top = y;
    return pieces.flatMap((piece) => {
      if (/^[\x20-\x7e]+$/.test(piece)) {
        const turned: MadeText = { text: piece, x: x + 1, y: top + 1, turns: 1 };
        top += widthOf(piece) + 1;
        return [turned];
      }
      return [...piece].map((text) => ({ text, x, y: (top += 10) - 1.2 }));
    });
  };

  test("has the marks of vertical writing as letters, and letters instead of radicals", async () => {
    const markdown = await read([
      ...column(["\u2F00\u2F47\uFE11川は静か\uFE12\uFE41船\uFE42は港を"], 500, 100),
      ...column(["出て\u2F8F\uFE12"], 482, 100),
    ]);
    expect(markdown).toBe("一日、川は静か。「船」は港を出て行。");
  });

  test("has the few letters between turned words of other scripts at their places", async () => {
    const markdown = await read(
      column(["遠くの川の町で二千二十四年の春の日に", "12", "月の", "Hello", "と", "(", "花", ")", "と言う"], 500, 100),
    );
    expect(markdown).toBe("遠くの川の町で二千二十四年の春の日に12月のHelloと(花)と言う");
  });

  test("has two columns above each other, and a sentence that goes on in the second", async () => {
    const lines = (text: string, length: number): string[] =>
      Array.from({ length: Math.ceil(text.length / length) }, (_, at) => text.slice(at * length, (at + 1) * length));
    const first = lines("川は静かに流れている春の朝に舟が出て行く港の人々は手を振った".repeat(4), 20);
    const second = lines("遠くの海へ向かう船は帆を上げて風を待っている夕方に町へ帰る", 20);
    const markdown = await read([
      ...first.slice(0, 6).flatMap((text, at) => column([text], 500 - at * 18, 60)),
      ...[...second, ...first.slice(0, 4)].flatMap((text, at) => column([text], 500 - at * 18, 300)),
    ]);
    expect(markdown).toBe([...first, ...second, ...first.slice(0, 4)].join(""));
  });
});
