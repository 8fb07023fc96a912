import { describe, expect, test } from "vitest";
import { leastProcessorMs } from "../../../../processor-time.ts";
import { readDocument } from "../../../../../src/content/documents/read-document.ts";

const source = { contentType: undefined, url: "https://example.com/files/x.rtf" };

async function read(body: string): Promise<string> {
  const styles = String.raw`{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 Heading 1;}{\s9 Footnote;}}`;
  const text = String.raw`{\rtf1\ansi\deff0${styles}${body}}`;
  return (await readDocument("rtf", new TextEncoder().encode(text), source)).markdown;
}

describe("rich text", () => {
  test("keeps the style of a paragraph whose number or note has paragraphs of its own", async () => {
    const heading = String.raw`\pard\plain\s1\outlinelevel0{\listtext\pard\plain 1.\tab}\ls1 Growing\par`;
    const note = String.raw`\pard\plain\s1 Soil{\super\chftn{\*\footnote\pard\plain\s9 Loam is best.\par More.}}\par`;
    expect(await read(heading + note)).toBe("# Growing\n\n# Soil[1]\n\n1. Loam is best.\n\n   More.");
  });

  test("takes levels of lists, and counts of substitutes, that are below 0 for 0", async () => {
    const items = String.raw`\pard\ls1\ilvl-2 One\par\pard\ls1\ilvl1 Two\par`;
    expect(await read(items)).toBe("- One\n  - Two");
    expect(await read(String.raw`\pard\uc-3\u8364 hello\par`)).toBe("€hello");
  });

  test("reads text boxes, drawn text and drawings of old versions, each behind the paragraph that holds it", async () => {
    const box = String.raw`{\shp{\*\shpinst\shpleft1{\sp{\sn shapeType}{\sv 202}}{\shptxt\pard\plain Boxed\par}}{\shprslt{\*\do{\dptxbx{\dptxbxtext Boxed\par}}}}}`;
    const drawn = String.raw`{\shp{\*\shpinst{\sp{\sn gtextUNICODE}{\sv Drawn & done}}{\sp{\sn gtextFont}{\sv Serif}}}}`;
    const old = String.raw`{\*\do\dobxcolumn{\dptxbx{\dptxbxtext\pard Old box\par}}}`;
    const markdown = await read(String.raw`\pard Be${box}fore\par\pard Next${drawn}\par\pard Last${old}\par`);
    expect(markdown).toBe("Before\n\nBoxed\n\nNext\n\nDrawn & done\n\nLast\n\nOld box");
  });

  test("reads comments, and leaves out what a tracked change has removed", async () => {
    const comment = String.raw`{\*\atnid A}{\*\atnauthor Ada}\chatn{\*\annotation{\*\atndate 1}Really?}`;
    const markdown = await read(String.raw`\pard Twelve${comment} {\deleted old }{\revised new }trees\par`);
    expect(markdown).toContain("Twelve[C1] new trees");
    expect(markdown).toContain("Comment [C1]");
    expect(markdown).toContain("Really?");
    expect(markdown).not.toMatch(/old|Ada/);
  });

  test("repeats cells that are merged across and down", async () => {
    const across = String.raw`\trowd\cellx1000\cellx3000\pard\intbl Name\cell Count\cell\row`;
    const start = String.raw`\trowd\clvmgf\cellx1000\cellx2000\cellx3000\pard\intbl Apples\cell 1\cell 2\cell\row`;
    const rest = String.raw`\trowd\clvmrg\cellx1000\clmgf\cellx2000\clmrg\cellx3000\pard\intbl\cell 3\cell\cell\row`;
    expect(await read(`${across}${start}${rest}\\pard Done\\par`)).toBe(
      "| Name | Count | Count |\n| --- | --- | --- |\n| Apples | 1 | 2 |\n| Apples | 3 | 3 |\n\nDone",
    );
  });

  test("does not take cells for merged when rows differ by some twips alone", async () => {
    const row = (edge: number, text: string): string =>
      String.raw`\trowd\cellx${edge}\cellx3000\pard\intbl ${text}\cell ${text}\cell\row`;
    const whole = String.raw`\trowd\cellx1000\cellx2000\cellx3000\pard\intbl a\cell b\cell c\cell\row`;
    expect(await read(`${row(1_000, "x")}${row(1_400, "y")}\\pard\\par`)).toBe("| x | x |\n| --- | --- |\n| y | y |");
    expect(await read(`${whole}${row(1_040, "z")}`)).toContain("| z | z | z |");
  });

  test("reads tables and lists within cells", async () => {
    const inner = String.raw`\pard\intbl\itap2 in one\nestcell in two\nestcell{\*\nesttableprops\trowd\cellx500\cellx900\nestrow}{\nonesttables\par}`;
    const list = String.raw`\pard\intbl{\listtext\'b7\tab}\ls1 Pears\par{\listtext\'b7\tab}\ls1 Plums\par`;
    const markdown = await read(
      String.raw`\trowd\cellx1000\cellx2000\pard\intbl A\cell B\cell\row\trowd\cellx1000\cellx2000${inner}\pard\intbl\itap1 behind\cell${list}\cell\row`,
    );
    expect(markdown).toMatch(/^\| A \| B \|$/m);
    expect(markdown).toMatch(/^\|.*in one.*in two.*behind.* \|.*Pears.*Plums.*\|$/m);
  });

  test("marks raised text in one piece, and text of other scripts by its own emphasis", async () => {
    const markdown = await read(
      String.raw`\pard x{\super a\u228?b}{\sub n} {\rtlch\ab\b0 \u1488?\u1489?}{\ltrch\ab fine} {\rtlch\ab\ltrch\dbch\ab\dbch \u26481?}\par`,
    );
    expect(markdown).toBe("x<sup>aäb</sup><sub>n</sub> **אב**fine **東**");
  });

  test("leaves out no text for a number of substitutes below zero", async () => {
    expect(await read(String.raw`\pard\uc-3 a\u228 text\par`)).toBe("aätext");
  });

  test("reads on behind control words with the names of what all objects have", async () => {
    expect(await read(String.raw`\pard One\constructor  two\toString  three\valueOf  four\par`)).toBe(
      "One two three four",
    );
  });

  test("reads the instruction of a field once, however many results follow", async () => {
    const address = "https://example.com/b";
    const results = "{\\fldrslt b}".repeat(20_000);
    const field = `{\\field{\\*\\fldinst ${"HYPERLINK ".repeat(10_000)}}${results}}`;
    let markdown = "";
    const work = async (): Promise<void> => {
      markdown = await read(`\\pard ${field}{\\field{\\*\\fldinst HYPERLINK "${address}"}{\\fldrslt c}}\\par`);
    };
    expect(await leastProcessorMs(work, 2_000)).toBeLessThan(2_000);
    expect(markdown.endsWith(`b[c](${address})`)).toBe(true);
  });

  test.each([
    ["932", String.raw`\'83e\'83X\'83g.`, "テスト."],
    ["936", String.raw`\'81@a`, "丂a"],
    ["932", String.raw`\'95\\a`, "表a"],
    ["1252", String.raw`\'e9e`, "ée"],
  ])("reads characters of code page %s whose second byte is a plain letter", async (page, text, expected) => {
    expect(await read(String.raw`\ansicpg${page}\pard ${text}\par`)).toContain(expected);
  });

  test("gives no link to a place within the document", async () => {
    const inner = String.raw`{\field{\*\fldinst HYPERLINK \\l "_Toc1"}{\fldrslt Soil}}`;
    const outer = String.raw`{\field{\*\fldinst HYPERLINK \\n "https://example.com/a"}{\fldrslt site}}`;
    expect(await read(String.raw`\pard ${inner} and ${outer}\par`)).toBe("Soil and [site](https://example.com/a)");
  });
});
