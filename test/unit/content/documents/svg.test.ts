import { describe, expect, test } from "vitest";
import { openPage, type PageView } from "../../../../src/content/page-view.ts";
import { isSvg, readSvg } from "../../../../src/content/documents/svg.ts";
import { WorkBudget } from "../../../../src/core/work-budget.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const svg = (inner: string): Uint8Array =>
  bytesOf(
    `<?xml version="1.0"?><!-- made --><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 300">${inner}</svg>`,
  );

function open(body: Uint8Array, pictures: boolean): Promise<PageView> {
  const clean = { onlyMainContent: true, includeTags: [], excludeTags: [] };
  return openPage(
    {
      engine: "fetch",
      url: "https://example.com/a.svg",
      statusCode: 200,
      headers: {},
      contentType: "image/svg+xml",
      body,
      warnings: [],
    },
    { clean, pdf: undefined, bytesOnly: false, pictures },
  );
}

const markdownOf = async (body: Uint8Array, pictures = true): Promise<string> =>
  (await open(body, pictures)).markdown({ removeBase64Images: true });

describe("SVG", () => {
  test("is read by the place of its text, with transforms, and its title", async () => {
    const body = svg(`<title>Harbour plan</title><defs><text x="0" y="10">hidden</text></defs>
      <g transform="translate(20 100)"><text y="0">Second <tspan font-weight="bold">line</tspan></text></g>
      <text x="20" y="40" style="font-size:28px">First line</text>
      <text transform="matrix(1 0 0 1 20 160)" font-size="16"><tspan x="0" dy="0">Third</tspan><tspan x="0" dy="40">Fourth</tspan></text>`);
    const view = await open(body, true);
    expect(view.markdown({ removeBase64Images: true })).toBe("# First line\n\nSecond **line**\n\nThird\n\nFourth");
    expect(view.metadata()).toMatchObject({ title: "Harbour plan" });
  });

  test("is XML without the parser for pictures, and other XML stays XML", async () => {
    expect(await markdownOf(svg("<text>Quay</text>"), false)).toContain("```xml");
    expect(await markdownOf(bytesOf("<?xml version='1.0'?><note><svg/>Quay</note>"))).toContain("```xml");
    expect(isSvg(bytesOf('<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x.dtd" [<!ENTITY a "b">]><svg:svg/>'))).toBe(
      true,
    );
  });

  test("without text says so", async () => {
    const { document } = await open(svg('<path d="M0 0L10 10"/>'), true);
    expect(document).toMatchObject({ markdown: "", warning: "The picture has no words." });
  });

  test("of deep nesting and much text ends within its budget", () => {
    const deep = svg("<g>".repeat(5_000) + "<text>deep</text>" + "</g>".repeat(5_000));
    const wide = svg(Array.from({ length: 30_000 }, (_, at) => `<text x="${at % 50}" y="${at}">w</text>`).join(""));
    for (const body of [deep, wide]) {
      const budget = new WorkBudget({ steps: 3_000_000 });
      expect(() => readSvg(body, { contentType: undefined, url: "https://example.com/", budget })).not.toThrow();
    }
  });

  test("takes steps for the styles and transforms of groups and text, not for those of shapes", () => {
    const stepsOf = (inner: string): number => {
      const budget = new WorkBudget();
      readSvg(svg(inner.repeat(50)), { contentType: undefined, url: "https://example.com/", budget });
      return budget.steps;
    };
    const style = `style="${";font-size:2px".repeat(140)}" transform="${"a".repeat(2_000)}"`;
    const [group, text, shape] = [`<g ${style}><g/></g>`, `<text ${style}>a</text>`, `<path ${style}/>`].map(stepsOf);
    expect(group).toBeGreaterThan(20_000);
    expect(text).toBeGreaterThan(20_000);
    expect(shape).toBeLessThan(10_000);
  });

  test("beyond its steps names what is missing", () => {
    const budget = new WorkBudget({ steps: 5_000 });
    const groups = `<g style="${";font-size:2px".repeat(2_000)}"><g/></g>`.repeat(4);
    readSvg(svg(`${groups}<text>Quay</text>`), { contentType: undefined, url: "https://example.com/", budget });
    expect(budget.warning).toContain("the text of the picture");
  });
});
