import { describe, expect, test } from "vitest";
import { readPdf } from "../../../../../src/content/documents/pdf/pdf.ts";
import { inReadingOrder } from "../../../../../src/content/documents/pdf/direction/line-direction.ts";
import type { TextRun } from "../../../../../src/content/documents/pdf/text-run.ts";
import { leastProcessorMs } from "../../../../processor-time.ts";
import { type MadeRule, type MadeText, madePdf, widthOf } from "./made-pdf.ts";

const read = async (texts: readonly MadeText[], rules: readonly MadeRule[] = []): Promise<string> => {
  const { markdown } = await readPdf(madePdf([{ texts, rules }]), "https://example.com/a.pdf");
  return markdown;
};

/** Returns pieces of one line from left to right, as pages draw them: each word from left to right. */
const drawn = (pieces: readonly string[], y = 100): MadeText[] => {
  let x = 100;
  return pieces.map((piece) => {
    const text = /[\u0590-\u06ff]/.test(piece) ? [...piece].toReversed().join("") : piece;
    const placed = { text, x, y };
    x += widthOf(piece) + (piece === "." || piece === "," || piece === ")" || piece === "(" ? 0 : 7);
    return placed;
  });
};

describe("lines from right to left", () => {
  test("have their signs behind the words, with a space to the next word", async () => {
    expect(await read(drawn(["העיר", ".", "אונייה", "גשר"]))).toBe("גשר אונייה. העיר");
  });

  test("have brackets that open before they close", async () => {
    const x = 100;
    const markdown = await read([
      { text: "(", x, y: 100 },
      { text: "kg", x: x + 5, y: 100 },
      { text: ")", x: x + 15, y: 100 },
      { text: [..."משקל"].toReversed().join(""), x: x + 24, y: 100 },
    ]);
    expect(markdown).toBe("משקל (kg)");
  });

  test("have brackets around a number and a word that are drawn with the number", async () => {
    const word = (text: string, x: number): MadeText => ({ text: [...text].toReversed().join(""), x, y: 100 });
    const markdown = await read([
      word("במגדלור", 100),
      word("לירות(", 142),
      { text: "24.50)", x: 179, y: 100 },
      word("אגרת", 216),
    ]);
    expect(markdown).toBe("אגרת (24.50 לירות) במגדלור");
  });

  test("end with the signs that are drawn with a number or a word", async () => {
    const word = (text: string, x: number, y: number): MadeText => ({ text: [...text].toReversed().join(""), x, y });
    const markdown = await read([
      { text: ".2020", x: 100, y: 100 },
      word("בשנת", 132, 100),
      { text: ".(2020", x: 100, y: 112 },
      word("בשנת", 137, 112),
      { text: ")", x: 157, y: 112 },
      word("הגשר", 169, 112),
      { text: ".(", x: 100, y: 124 },
      word("בעבר", 110, 124),
      { text: ")", x: 130, y: 124 },
      word("הגשר", 142, 124),
      { text: ".(LTS) js", x: 100, y: 136 },
      word("גרסה", 152, 136),
    ]);
    expect(markdown).toBe("בשנת 2020. הגשר (בשנת 2020).\n\nהגשר (בעבר). גרסה (LTS) js.");
  });

  test("have numbers with hyphens that are drawn piece by piece, and signs next to them", async () => {
    const word = (text: string, x: number): MadeText => ({ text: [...text].toReversed().join(""), x, y: 100 });
    const markdown = await read([
      { text: "%", x: 90, y: 100 },
      { text: "10", x: 80, y: 100 },
      word("של", 63),
      { text: "050", x: 102, y: 100 },
      { text: "-", x: 117, y: 100 },
      { text: "1234567", x: 122, y: 100 },
      word("טלפון", 164),
    ]);
    expect(markdown).toBe("טלפון 050-1234567 10% של");
  });

  test("have Arabic numbers with hyphens in the order of their parts", async () => {
    expect(await read(drawn(["1234567-050", "الهاتف"]))).toBe("الهاتف 050-1234567");
  });

  test("have numbers before their units, and signs before their numbers", async () => {
    expect(await read(drawn(["kg", "4.18−", "משקל"]))).toBe("משקל −4.18 kg");
  });

  test("have words of other scripts in their own order", async () => {
    const words = ["Storm", "Lantern", "של", "מחיר"];
    expect(await read([...drawn(words), ...drawn(["העיר", "אונייה", "גשר", "מועצה"], 200)])).toBe(
      "מחיר של Storm Lantern\n\nמועצה גשר אונייה העיר",
    );
  });
});

test("words from right to left within a line from left to right are in their order", async () => {
  expect(await read(drawn(["The", "report", "on", "הער", "גשר", "was", "written"]))).toBe(
    "The report on גשר הער was written",
  );
});

describe("tables from right to left", () => {
  const cells = [
    ["שיטה", "לחץ", "נפח"],
    ["העיר", "12.5", "40"],
    ["הנהר", "13.1", "41"],
    ["הגשר", "9.7", "38"],
  ];
  const expected =
    "| שיטה | לחץ | נפח |\n| --- | --- | --- |\n| העיר | 12.5 | 40 |\n| הנהר | 13.1 | 41 |\n| הגשר | 9.7 | 38 |";
  const texts = cells.flatMap((row, at) =>
    row.map((cell, column) => ({
      text: /\d/.test(cell) ? cell : [...cell].toReversed().join(""),
      x: 420 - column * 120,
      y: 200 + at * 20,
    })),
  );

  test("begin with their right column", async () => {
    expect(await read(texts)).toBe(expected);
  });

  test("begin with their right column within drawn lines", async () => {
    const across = [0, 1, 2, 3, 4].map((at): MadeRule => [160, 187 + at * 20, 480, 187 + at * 20]);
    const down = [160, 280, 400, 480].map((x): MadeRule => [x, 187, x, 267]);
    expect(await read(texts, [...across, ...down])).toBe(expected);
  });

  test("whose cells are close to the lines between them", async () => {
    const narrow = cells.flatMap((row, at) =>
      row.map((cell, column) => {
        const text = /\d/.test(cell) ? cell : [...cell].toReversed().join("");
        return { text, x: 178 - column * 26 - widthOf(text), y: 200 + at * 14 };
      }),
    );
    const lines = [100, 126, 152, 180].flatMap((x) =>
      cells.map((_, at): MadeRule => [x, 190 + at * 14, x, 202 + at * 14]),
    );
    const across = [0, 1, 2, 3, 4].map((at): MadeRule => [100, 189 + at * 14, 180, 189 + at * 14]);
    expect(await read(narrow, [...lines, ...across])).toBe(expected);
  });

  test("among text from left to right begin with their right column, but not where words are at the left", async () => {
    const english = Array.from({ length: 6 }, (_, at) => ({
      text: "The English report tells of a table that has fewer letters than its prose",
      x: 100,
      y: 60 + at * 12,
    }));
    const fromRight = cells.flatMap((row, at) =>
      row.map((cell, column) => {
        const text = /\d/.test(cell) ? cell : [...cell].toReversed().join("");
        return { text, x: 470 - column * 120 - widthOf(text), y: 200 + at * 20 };
      }),
    );
    expect(await read([...english, ...fromRight])).toContain(expected);
    const words = ["Term", "bridge", "old river", "harbour"];
    const glossary = cells.flatMap(([name = ""], at) => [
      { text: words[at] ?? "", x: 100, y: 200 + at * 20 },
      { text: [...name].toReversed().join(""), x: 300 - widthOf(name), y: 200 + at * 20 },
    ]);
    expect(await read([...english, ...glossary])).toContain("| Term | שיטה |");
  });
});

describe("a number is parted from the signs around it", () => {
  const run = (text: string): TextRun => {
    const style = { isBold: false, isItalic: false, isMonospaced: false, isRightToLeft: false, href: undefined };
    return { text, left: 0, right: text.length, baseline: 0, size: 10, ...style };
  };
  const pieces = (text: string): string[] => inReadingOrder([run(text)], true).map((piece) => piece.text);

  test("and a run as long as a sentence is not", () => {
    expect(pieces(".(2020").length).toBeGreaterThan(1);
    const long = `.${"1.".repeat(5_000)}x.`;
    expect(pieces(long)).toEqual([long]);
  });

  test("where equal signs in a row, as leader dots, are one piece", () => {
    expect(pieces("12.........")).toEqual([".........", "12"]);
    expect(pieces(".,".repeat(90))).toEqual([".,".repeat(90)]);
  });

  test("in linear time", async () => {
    const brackets = "(".repeat(99);
    const runs = Array.from({ length: 200 }, () => run(`${brackets}1${brackets}`));
    expect(await leastProcessorMs(() => inReadingOrder(runs, true), 150)).toBeLessThan(150);
  });
});
