import { describe, expect, test } from "vitest";
import { strToU8, zipSync } from "fflate";
import { readDocument } from "../../../../../src/content/documents/read-document.ts";
import { readDocx } from "../../../../../src/content/documents/docx/docx.ts";
import { findElement, parseXml } from "../../../../../src/content/documents/containers/xml-tree.ts";
import { ommlToMathml } from "../../../../../src/content/documents/drawings/omml.ts";
import { WorkBudget } from "../../../../../src/core/work-budget.ts";
import { leastProcessorMs } from "../../../../processor-time.ts";
import { docxOf } from "../../../../hostile/hostile-office.ts";

const source = { contentType: undefined, url: "https://example.com/a" };
const RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships";
const CHART =
  '<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Apples</a:t></a:r><a:br/><a:r><a:t>a ye</a:t></a:r>\n<a:r><a:t>ar</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart>' +
  ["North", "South"]
    .map(
      (name, at) =>
        `<c:ser><c:tx><c:strRef><c:strCache><c:pt idx="0"><c:v>${name}</c:v></c:pt></c:strCache></c:strRef></c:tx><c:cat><c:strRef><c:strCache><c:pt idx="0"><c:v>2023</c:v></c:pt><c:pt idx="1"><c:v>2024</c:v></c:pt></c:strCache></c:strRef></c:cat><c:val><c:numRef><c:numCache><c:pt idx="0"><c:v>${12 + at}</c:v></c:pt><c:pt idx="1"><c:v>${["8.1999999999999993", "8"][at]}</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser>`,
    )
    .join("") +
  "</c:barChart></c:plotArea></c:chart></c:chartSpace>";
const CHART_TEXT = "Apples a year\n\n|  | North | South |\n| --- | --- | --- |\n| 2023 | 12 | 13 |\n| 2024 | 8.2 | 8 |";
const run = (text: string): string => `<m:r><m:t>${text}</m:t></m:r>`;

async function wordMarkdown(body: string, parts: Record<string, string> = {}): Promise<string> {
  return (await readDocument("docx", docxOf(body, "", parts), source)).markdown;
}

describe("formulas of Word", () => {
  test.each([
    [
      "a label under a brace",
      `<m:limLow><m:e><m:groupChr><m:groupChrPr><m:chr m:val="⏟"/></m:groupChrPr><m:e>${run("a+b")}</m:e></m:groupChr></m:e><m:lim>${run("two")}${run(" small")}${run(" terms")}</m:lim></m:limLow>`,
      String.raw`\underbrace{a+b}_{\text{two small terms}}`,
    ],
    [
      "a label over a brace",
      `<m:limUpp><m:e><m:groupChr><m:groupChrPr><m:chr m:val="⏞"/><m:pos m:val="top"/></m:groupChrPr><m:e>${run("a")}</m:e></m:groupChr></m:e><m:lim>${run("n")}</m:lim></m:limUpp>`,
      String.raw`\overbrace{a}^{n}`,
    ],
    [
      "a pair without a line",
      `<m:f><m:fPr><m:type m:val="noBar"/></m:fPr><m:num>${run("n")}</m:num><m:den>${run("k")}</m:den></m:f>`,
      String.raw`\genfrac{}{}{0pt}{}{n}{k}`,
    ],
    ["a number behind a command", run("2×3≤7"), String.raw`2\times 3\le 7`],
    [
      "a large operator",
      `<m:nary><m:naryPr><m:chr m:val="⋃"/></m:naryPr><m:sub>${run("n")}</m:sub><m:sup>${run("m")}</m:sup><m:e>${run("A")}</m:e></m:nary>`,
      String.raw`\bigcup_{n}^{m}A`,
    ],
    ["a fraction", `<m:f><m:num>${run("1")}</m:num><m:den>${run("2")}</m:den></m:f>`, String.raw`\frac{1}{2}`],
    ["a power", `<m:sSup><m:e>${run("x")}</m:e><m:sup>${run("2")}</m:sup></m:sSup>`, "x^{2}"],
    ["a root", `<m:rad><m:radPr><m:degHide/></m:radPr><m:deg/><m:e>${run("x")}</m:e></m:rad>`, String.raw`\sqrt{x}`],
    ["a cube root", `<m:rad><m:deg>${run("3")}</m:deg><m:e>${run("x")}</m:e></m:rad>`, String.raw`\sqrt[3]{x}`],
    [
      "brackets",
      `<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr><m:e>${run("a+b")}</m:e></m:d>`,
      "[a+b]",
    ],
    [
      "a sum",
      `<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>${run("n=1")}</m:sub><m:sup>${run("k")}</m:sup><m:e>${run("n")}</m:e></m:nary>`,
      String.raw`\sum_{n=1}^{k}n`,
    ],
  ])("%s becomes TeX", async (_name, formula, tex) => {
    expect(await wordMarkdown(`<w:p><w:r><w:t>So </w:t></w:r><m:oMath>${formula}</m:oMath></w:p>`)).toBe(`So $${tex}$`);
  });

  test("formulas beside one another are apart", async () => {
    const formula = (text: string): string => `<m:oMath>${run(text)}</m:oMath>`;
    expect(await wordMarkdown(`<w:p>${formula("a=b")}${formula("c=d")}</w:p>`)).toBe("$a=b$ $c=d$");
  });

  test("a formula in a paragraph of its own is on display", async () => {
    const body = `<w:p><m:oMathPara><m:oMath>${run("E=m")}</m:oMath></m:oMathPara></w:p>`;
    expect(await wordMarkdown(body)).toBe("$$\nE=m\n$$");
  });
});

test("a formula of many runs is joined in linear time, its words kept", async () => {
  const runs = parseXml(`<m:oMath xmlns:m="m">${run("a").repeat(20_000)}${run(" b")}</m:oMath>`);
  const formula = findElement(runs, "m:oMath");
  let html = "";
  const write = (): void => void (html = formula === undefined ? "" : ommlToMathml(formula));
  expect(await leastProcessorMs(write, 1_500)).toBeLessThan(1_500);
  expect(html.match(/<mi>a<\/mi>/g)).toHaveLength(20_000);
});

describe("drawings of Word", () => {
  const drawing = (content: string): string =>
    `<w:p><w:r><w:t>Before</w:t></w:r><w:r><w:drawing>${content}</w:drawing></w:r></w:p>`;

  test("a chart becomes its title and a table", async () => {
    const parts = {
      "word/_rels/document.xml.rels": `<Relationships xmlns="${RELATIONS}"><Relationship Id="r9" Type="a/chart" Target="charts/chart1.xml"/></Relationships>`,
      "word/charts/chart1.xml": CHART,
    };
    const chart = '<a:graphic><a:graphicData><c:chart xmlns:c="c" xmlns:r="r" r:id="r9"/></a:graphicData></a:graphic>';
    expect(await wordMarkdown(drawing(chart.replace("<a:graphic>", '<a:graphic xmlns:a="a">')), parts)).toBe(
      `Before\n\n${CHART_TEXT}`,
    );
  });

  test("a chart that is drawn many times ends at a limit for all drawings, and the text is kept", async () => {
    const long = CHART.replace("North", "long name ".repeat(100_000));
    const parts = {
      "word/_rels/document.xml.rels": `<Relationships xmlns="${RELATIONS}"><Relationship Id="r9" Type="a/chart" Target="charts/chart1.xml"/></Relationships>`,
      "word/charts/chart1.xml": long,
    };
    const body = drawing('<a:graphic xmlns:a="a"><c:chart xmlns:c="c" xmlns:r="r" r:id="r9"/></a:graphic>').repeat(40);
    const budget = new WorkBudget();
    const { html } = await readDocx(docxOf(`${body}<w:p><w:r><w:t>The end</w:t></w:r></w:p>`, "", parts), budget);
    expect(html.length).toBeGreaterThan(2_000_000);
    expect(html.length).toBeLessThan(12_000_000);
    expect(html).toContain("The end");
    expect(budget.warning).toBeDefined();
  });

  test.each(["", "alternative"])("the text of a text box without an older form is kept %s", async (kind) => {
    const box =
      '<wps:txbx xmlns:wps="wps"><w:txbxContent><w:p><w:r><w:t>In the box</w:t></w:r></w:p></w:txbxContent></wps:txbx>';
    const body = drawing(box);
    const wrapped = body
      .replace(
        "<w:drawing>",
        '<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><mc:Choice Requires="wps"><w:drawing>',
      )
      .replace("</w:drawing>", "</w:drawing></mc:Choice></mc:AlternateContent>");
    expect(await wordMarkdown(kind === "" ? body : wrapped)).toBe("Before\n\nIn the box");
  });
});

test("charts, diagrams and formulas of a presentation are read", async () => {
  const names =
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"';
  const relations = (entries: string): Uint8Array =>
    strToU8(`<Relationships xmlns="${RELATIONS}">${entries}</Relationships>`);
  const frame = (inside: string): string =>
    `<p:graphicFrame><a:graphic><a:graphicData>${inside}</a:graphicData></a:graphic></p:graphicFrame>`;
  const shapes = [
    frame('<c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" r:id="r1"/>'),
    frame('<dgm:relIds xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" r:dm="r2"/>'),
    `<mc:AlternateContent><mc:Choice><p:sp><p:txBody><a:p><a14:m><m:oMath>${run("a=b")}</m:oMath></a14:m></a:p></p:txBody></p:sp></mc:Choice></mc:AlternateContent>`,
  ];
  const bytes = zipSync({
    "ppt/presentation.xml": strToU8(
      `<p:presentation ${names}><p:sldIdLst><p:sldId r:id="r1"/></p:sldIdLst></p:presentation>`,
    ),
    "ppt/_rels/presentation.xml.rels": relations('<Relationship Id="r1" Type="a/slide" Target="slides/slide1.xml"/>'),
    "ppt/slides/slide1.xml": strToU8(
      `<p:sld ${names}><p:cSld><p:spTree>${shapes.join("")}</p:spTree></p:cSld></p:sld>`,
    ),
    "ppt/slides/_rels/slide1.xml.rels": relations(
      '<Relationship Id="r1" Type="a/chart" Target="../charts/chart1.xml"/><Relationship Id="r2" Type="a/diagramData" Target="../diagrams/data1.xml"/>',
    ),
    "ppt/charts/chart1.xml": strToU8(CHART),
    "ppt/diagrams/data1.xml": strToU8(
      `<dgm:dataModel ${names}><a:p><a:r><a:t>Plan</a:t></a:r></a:p><a:p><a:r><a:t>Dig</a:t></a:r><a:br/><a:r><a:t>deep</a:t></a:r></a:p></dgm:dataModel>`,
    ),
  });
  expect((await readDocument("pptx", bytes, source)).markdown).toBe(
    `## Slide 1\n\n${CHART_TEXT}\n\n- Plan\n- Dig deep\n\n$a=b$`,
  );
});
