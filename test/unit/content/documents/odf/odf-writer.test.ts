import { strToU8, zipSync } from "fflate";
import { expect, test } from "vitest";
import type { XmlElement } from "../../../../../src/content/documents/containers/xml-tree.ts";
import { odfRows } from "../../../../../src/content/documents/odf/odf-rows.ts";
import { readOdt } from "../../../../../src/content/documents/odf/odt.ts";
import { WorkBudget } from "../../../../../src/core/work-budget.ts";
import { readDocument } from "../../../../../src/content/documents/read-document.ts";

const ODF = ["office", "text", "style", "drawing"]
  .map((name) => `xmlns:${name === "drawing" ? "draw" : name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
  .join(" ");
const level = (kind: string, at: number, attributes = ""): string =>
  `<text:list-level-style-${kind} text:level="${at}" ${attributes}/>`;
const position = (name: string, value: string): string =>
  `<style:style style:name="${name}"><style:text-properties style:text-position="${value}"/></style:style>`;
const STYLES = `<office:automatic-styles>
<text:list-style style:name="Numbers">${level("number", 1, 'style:num-format="1"')}${level("bullet", 2)}</text:list-style>
<text:list-style style:name="FromFour">${level("number", 1, 'style:num-format="1" text:start-value="4"')}</text:list-style>
<style:style style:name="Gone"><style:text-properties text:display="none"/></style:style>
<style:style style:name="GoneToo" style:parent-style-name="Gone"/>
${position("Up", "super 58%")}${position("Down", "-33% 58%")}${position("On", "0% 100%")}</office:automatic-styles>`;

async function read(body: string): Promise<string> {
  const content = `<office:document-content ${ODF}>${STYLES}<office:body><office:text>${body}</office:text></office:body></office:document-content>`;
  const bytes = zipSync({ "content.xml": strToU8(content) });
  return (await readDocument("odt", bytes, { contentType: undefined, url: "https://example.com/a.odt" })).markdown;
}

const item = (inside: string, attributes = ""): string => `<text:list-item ${attributes}>${inside}</text:list-item>`;
const words = (text: string): string => `<text:p>${text}</text:p>`;
const list = (style: string, inside: string, attributes = ""): string =>
  `<text:list text:style-name="${style}" ${attributes}>${inside}</text:list>`;
const inner = (inside: string): string => `<text:list>${inside}</text:list>`;

test("an item that only holds a list is a level of it", async () => {
  const deep = inner(item(words("bark")) + item(words("leaf")));
  const only = item(deep);
  expect(await read(list("Numbers", item(words("oak")) + only + item(words("elm"))))).toBe(
    "1. oak\n   - bark\n   - leaf\n2. elm",
  );
  expect(await read(list("Numbers", only))).toBe("- bark\n- leaf");
});

test("numbers go on, begin and are skipped as the list says", async () => {
  const markdown = await read(
    list("Numbers", item(words("oak")) + item(words("elm"))) +
      words("In between.") +
      list("Numbers", item(words("ash")), 'text:continue-numbering="true"') +
      words("Anew.") +
      list("Numbers", item(words("yew")) + item(words("fir"), 'text:start-value="9"') + item(words("box"))) +
      words("From four.") +
      list("FromFour", item(words("bay"))),
  );
  expect(markdown.split("\n\n")).toEqual([
    "1. oak\n2. elm",
    "In between.",
    "3. ash",
    "Anew.",
    "1. yew\n9. fir\n10. box",
    "From four.",
    "4. bay",
  ]);
});

test("lists without a paragraph are not searched for one at each level", async () => {
  const stepsOf = async (elements: number): Promise<number> => {
    const deep = "<text:list><text:list-item>".repeat(150);
    const end = "</text:list-item></text:list>".repeat(150);
    const body = deep + "<text:section/>".repeat(elements) + end;
    const content = `<office:document-content ${ODF}>${STYLES}<office:body><office:text>${body}</office:text></office:body></office:document-content>`;
    const budget = new WorkBudget();
    readOdt(zipSync({ "content.xml": strToU8(content) }), budget);
    return budget.steps;
  };
  const [few, many] = [await stepsOf(500), await stepsOf(10_000)];
  // The search counts once for each element, besides reading and writing it.
  expect(few).toBeGreaterThan(5 * 500);
  expect(many).toBeLessThan(8 * 10_000);
});

test("repeated cells of many rows stay within the limit of a table", () => {
  const attributes = { "table:number-columns-repeated": "100" };
  const cell: XmlElement = { name: "table:table-cell", attributes, children: ["x"] };
  const row: XmlElement = { name: "table:table-row", attributes: {}, children: [cell, cell] };
  const budget = new WorkBudget();
  const children = Array.from({ length: 3_000 }, () => row);
  const { rows } = odfRows({ name: "table:table", attributes: {}, children }, budget);
  expect(rows).toHaveLength(3_000);
  // Each cell is there once at least.
  expect(rows.flat().length).toBeLessThan(20_000 + 2 * 3_000);
  expect(budget.warning).toContain("cells of a table");
});

test("repeated rows and cells beyond the limits are named, empty ones are not", () => {
  const warningOf = (attributes: string, cell: string): string | undefined => {
    const table = `<table:table xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"><table:table-row ${attributes}>${cell}</table:table-row></table:table>`;
    const content = `<office:document-content ${ODF}>${STYLES}<office:body><office:text>${table}</office:text></office:body></office:document-content>`;
    const budget = new WorkBudget();
    readOdt(zipSync({ "content.xml": strToU8(content) }), budget);
    return budget.warning;
  };
  const repeated = (times: number, inside: string): string =>
    `<table:table-cell table:number-columns-repeated="${times}">${inside}</table:table-cell>`;
  expect(warningOf('table:number-rows-repeated="101"', repeated(1, words("x")))).toContain("cells of a table");
  expect(warningOf("", repeated(101, words("x")))).toContain("cells of a table");
  expect(warningOf('table:number-rows-repeated="100"', repeated(100, words("x")))).toBeUndefined();
  expect(warningOf('table:number-rows-repeated="1000"', repeated(16_000, ""))).toBeUndefined();
  expect(warningOf("", repeated(101, "") + repeated(1, words("x")))).toContain("cells of a table");
});

test("raised and lowered text is marked", async () => {
  const span = (style: string, text: string): string => `<text:span text:style-name="${style}">${text}</text:span>`;
  expect(await read(words(`x${span("Up", "2")}, H${span("Down", "2")}O${span("On", "!")}`))).toBe(
    "x<sup>2</sup>, H<sub>2</sub>O!",
  );
});

test("comments are behind the text, without their authors", async () => {
  const comment = (text: string): string =>
    `<office:annotation><dc:creator xmlns:dc="http://purl.org/dc/elements/1.1/">Ada</dc:creator><text:p>${text}</text:p></office:annotation>`;
  expect(await read(words(`Oak${comment("Which?")} is hard${comment("")}.`))).toBe(
    "Oak[C1] is hard.\n\n**Comment [C1]**  \nWhich?",
  );
});

test("an empty item is left out, and those after it keep their numbers", async () => {
  const items = item(words("oak")) + item(words("")) + item(words("elm")) + item(words("ash"));
  expect(await read(list("Numbers", items))).toBe("1. oak\n3. elm\n4. ash");
});

test("text boxes and shapes follow the paragraph that holds them, also within other text", async () => {
  const box = `<draw:frame><draw:text-box>${words("boxed")}${words("twice")}</draw:text-box></draw:frame>`;
  const shape = `<draw:g><draw:custom-shape>${words("shaped")}</draw:custom-shape><draw:rect>${words("square")}</draw:rect></draw:g>`;
  expect(await read(`<text:p>one${box} line<text:span>${shape}</text:span></text:p>${words("next")}`)).toBe(
    "one line\n\nboxed\n\ntwice\n\nshaped\n\nsquare\n\nnext",
  );
});

test("hidden text is left out, and links within the document are text", async () => {
  const hidden = `<text:span text:style-name="Gone">secret</text:span>`;
  const place = `<text:a xlink:href="#soil" xmlns:xlink="http://www.w3.org/1999/xlink">soil</text:a>`;
  expect(await read(`<text:p>seen ${hidden}${place}</text:p><text:p text:style-name="GoneToo">secret</text:p>`)).toBe(
    "seen soil",
  );
});

test("ruby is its base text", async () => {
  const ruby = "<text:ruby><text:ruby-base>漢字</text:ruby-base><text:ruby-text>かんじ</text:ruby-text></text:ruby>";
  expect(await read(words(`前${ruby}後`))).toBe("前漢字後");
});

test.each(["-5", "0", "x", "1e400", ""])("spaces and levels of a count %j are read", async (count) => {
  const title = `<text:h text:outline-level="${count}">Trees</text:h>`;
  expect(await read(`${title}<text:p>oak<text:s text:c="${count}"/>elm</text:p>`)).toMatch(/^# Trees\n\noak ?elm$/);
});
