import { describe, expect, test, vi } from "vitest";
import { leastProcessorMs } from "../../processor-time.ts";
import { cutMarkdown, cutText } from "../../../src/ui/parts/document/cut-text.ts";
import { markPiece, pieceAt, splitMarked } from "../../../src/ui/parts/document/mark-text.ts";
import { parseMarkdown } from "../../../src/ui/parts/document/parse-markdown.ts";
import { documentsIn } from "../../../src/ui/playground/response/documents.ts";
import { readParts, tabsOf } from "../../../src/ui/playground/response/response-parts.ts";
import { byField, evidenceOf, toCsv, toSections } from "../../../src/ui/playground/results/data-sections.ts";
import { markChanges } from "../../../src/ui/playground/results/mark-changes.ts";
import { dataIn } from "../../../src/ui/playground/results/result-shapes.ts";
import { stepsOf } from "../../../src/ui/playground/results/trace-steps.ts";
import { fileNameOf } from "../../../src/ui/parts/download/file-name.ts";

const tabNames = (body: unknown): string[] => tabsOf(readParts(body, 0)).map(({ name }) => name);

describe("a long text", () => {
  const lines = Array.from({ length: 500 }, (_, at) => `line ${at} ${"x".repeat(at % 40)}`).join("\n");

  test("is cut at line ends, and nothing is lost", () => {
    const pieces = cutText(lines, 1_000);
    expect(pieces.join("")).toBe(lines);
    for (const piece of pieces.slice(0, -1)) expect(piece).toMatch(/\n$/);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(1_000);
  });

  test("without line ends is cut between characters, not inside one", () => {
    const pieces = cutText("🙂".repeat(100), 33);
    expect(pieces.join("")).toBe("🙂".repeat(100));
    for (const piece of pieces) expect(piece.isWellFormed()).toBe(true);
  });
});

describe("long Markdown", () => {
  const paragraphs = Array.from({ length: 40 }, (_, at) => `Paragraph ${at} ${"word ".repeat(20)}\n\n`).join("");

  test("is cut between blocks at known offsets", () => {
    const pieces = cutMarkdown(paragraphs, 500);
    expect(pieces.length).toBeGreaterThan(5);
    expect(pieces.map(({ text }) => text).join("")).toBe(paragraphs);
    for (const { text, start } of pieces) {
      expect(text).toMatch(/^Paragraph/);
      expect(paragraphs.slice(start, start + text.length)).toBe(text);
    }
  });

  test("begins with a shorter part where that is asked for", () => {
    const pieces = cutMarkdown(paragraphs, 500, 100);
    expect(pieces.map(({ text }) => text).join("")).toBe(paragraphs);
    const [first = 0, ...others] = pieces.slice(0, -1).map(({ text }) => text.length);
    expect(first).toBeLessThan(300);
    expect(Math.min(...others)).toBeGreaterThanOrEqual(500);
  });

  test("keeps code blocks and lists together, and link references everywhere", () => {
    const code = `\`\`\`js\n${"a();\n\nb();\n".repeat(30)}\`\`\`\n\n`;
    const pieces = cutMarkdown(`${paragraphs}${code}[a]: https://a.example/\n\n${paragraphs}`, 200);
    expect(pieces.filter(({ text }) => text.includes("```js")).map(({ text }) => text.includes(code))).toEqual([true]);
    for (const { after } of pieces) expect(after).toContain("[a]: https://a.example/");
  });

  test("continues very long code blocks and tables in the next part", () => {
    const [first, second] = cutMarkdown(`~~~py\n${"x = 1\n".repeat(200)}~~~\n`, 100);
    expect(first?.after).toBe("\n~~~\n");
    expect(second?.before).toBe("~~~py\n");
    const table = cutMarkdown(`| a | b |\n|---|---|\n${"| 1 | 2 |\n".repeat(200)}`, 100);
    expect(table.at(1)?.before).toBe("| a | b |\n|---|---|\n");
    expect(table.map(({ text }) => text).join("")).toHaveLength(20 + 2_000);
  });

  test("looks for the end of a line in the piece alone", () => {
    const text = "a".repeat(200_000);
    let searched = 0;
    const search = vi.spyOn(String.prototype, "lastIndexOf").mockImplementation(function (this: string) {
      searched += this.length;
      return -1;
    });
    const pieces = cutText(text, 1_000);
    search.mockRestore();
    expect(pieces).toHaveLength(200);
    expect(searched).toBeLessThan(2 * text.length);
  });

  test("reads a long line that is nearly the rule of a table at once", async () => {
    const text = `a | b\n${"-".repeat(20_000)}x\n`;
    expect(await leastProcessorMs(() => cutMarkdown(text, 16_000), 50)).toBeLessThan(50);
  });

  test("of one block and of nothing has one piece", () => {
    expect(cutMarkdown("# A", 500)).toEqual([{ text: "# A", start: 0, before: "", after: "" }]);
    expect(cutMarkdown("", 500)).toHaveLength(1);
  });
});

test("Markdown that is nested too deeply to parse is plain text", () => {
  expect(parseMarkdown("> a")).toContain("<blockquote>");
  const quotes = `${">".repeat(5_000)} <b>&amp;`;
  expect(parseMarkdown(quotes)).toBe(`<pre>${quotes.replace("<b>&amp;", "&lt;b>&amp;amp;")}</pre>`);
});

describe("marked passages", () => {
  const piece = { text: "The price is 48.00 today", start: 100, before: "", after: "" };

  test("are found again in the text, the first of overlapping ones", () => {
    const marked = markPiece(piece, [
      { id: 7, start: 113, end: 118 },
      { id: 8, start: 115, end: 124 },
      { id: 9, start: 10, end: 20 },
    ]);
    expect(splitMarked(marked, undefined)).toEqual({
      parts: [
        { text: "The price is ", id: undefined },
        { text: "48.00", id: 7 },
        { text: " today", id: undefined },
      ],
      open: undefined,
    });
  });

  test("go on in the next text, and private characters of the page are no marks", () => {
    const own = { ...piece, text: "a\uE105b" };
    const marked = markPiece(own, [{ id: 0, start: 100, end: 103 }]);
    const first = splitMarked(marked.slice(0, 2), undefined);
    expect(first.open).toBe(0);
    expect(splitMarked(marked.slice(2), first.open).parts).toEqual([{ text: "\uFFFDb", id: 0 }]);
    expect(markPiece(own, [])).toBe("a\uE105b");
    expect(pieceAt([piece, { ...piece, start: 124 }], 130)).toBe(1);
  });
});

describe("structured data", () => {
  const value = {
    name: "Lantern",
    tags: ["brass", "new"],
    maker: { city: "Harrow" },
    offers: [{ price: 48 }, { price: 5, was: 9 }],
  };

  test("is a table of fields and one for each list of objects", () => {
    const [fields, offers] = toSections(value);
    expect(fields?.rows.map(([cell]) => cell)).toEqual([
      { path: "name", value: "Lantern" },
      { path: "tags", value: ["brass", "new"] },
      { path: "maker.city", value: "Harrow" },
    ]);
    expect(offers).toMatchObject({ path: "offers", columns: ["price", "was"] });
    expect(offers?.rows[1]).toEqual([
      { path: "offers[1].price", value: 5 },
      { path: "offers[1].was", value: 9 },
    ]);
    const [variants] = toSections([{ price: { amount: 48, currency: "GBP" } }, { price: 5 }]);
    expect(variants?.columns).toEqual(["price.amount", "price.currency", "price"]);
    expect(variants?.rows[0]?.[0]).toEqual({ path: "[0].price.amount", value: 48 });
    expect(toSections([{ a: 1 }])[0]?.rows[0]).toEqual([{ path: "[0].a", value: 1 }]);
    expect(toSections({})).toEqual([{ path: "", columns: undefined, rows: [[{ path: "", value: {} }]] }]);
  });

  test("has the evidence of a field and of the values below it", () => {
    const of = (field: string) => ({ field, url: "u", from: "json-ld" });
    const fields = byField([of("name"), of("tags[0]"), of("tags[1]"), of("namesake")]);
    expect(evidenceOf("name", fields)).toEqual([of("name")]);
    expect(evidenceOf("tags", fields)).toEqual([of("tags[0]"), of("tags[1]")]);
    expect(evidenceOf("maker", fields)).toEqual([]);
  });

  test("is saved as CSV that spreadsheets do not run", () => {
    const [, offers] = toSections({ a: 1, offers: [{ price: -5, text: '=1+1, "x"' }] });
    expect(offers && toCsv(offers)).toBe(`price,text\r\n-5,"'=1+1, ""x"""\r\n`);
  });
});

describe("the parts of a response", () => {
  const page = { markdown: "# Bay", metadata: { sourceURL: "https://a.example/" } };

  test.each([
    { what: "a scrape", body: { data: page }, first: "rendered" },
    { what: "a scrape with images", body: { data: { ...page, images: [{ url: "x" }] } }, first: "rendered" },
    { what: "a scrape with JSON", body: { data: { ...page, json: { a: 1 } } }, first: "data" },
    { what: "a scrape with an answer", body: { data: { ...page, answer: "Yes" } }, first: "answer" },
    { what: "a search", body: { data: { web: [{ url: "x", title: "X" }] } }, first: "results" },
    { what: "a search of v1", body: { success: true, data: [{ url: "x", title: "X" }] }, first: "results" },
    {
      what: "an agent",
      body: { id: "1", threadId: "1", status: "completed", data: { result: "Yes [1]", sources: ["u"] } },
      first: "answer",
    },
    {
      what: "an agent with a schema",
      body: { id: "1", threadId: "1", status: "completed", creditsUsed: 1, data: { a: 1 } },
      first: "data",
    },
    {
      what: "an extract",
      body: { status: "completed", creditsUsed: 5, data: { summary: "s", links: ["x"] } },
      first: "data",
    },
    {
      what: "a deep research",
      body: { status: "completed", data: { finalAnalysis: "A", activities: [{ type: "search", message: "m" }] } },
      first: "answer",
    },
    { what: "a map", body: { links: [{ url: "x" }] }, first: "links" },
    { what: "a list of keys", body: { success: true, data: [{ id: "1", name: "n" }] }, first: "json" },
    { what: "an error", body: { success: false, error: "no", data: { result: "x" } }, first: "json" },
    { what: "no JSON", body: undefined, first: "json" },
  ])("of $what begin with $first", ({ body, first }) => {
    expect(tabNames(body)[0]).toBe(first);
  });

  test("include the steps of an agent and of a research", () => {
    expect(tabNames({ id: "1", threadId: "1", status: "processing" })).toContain("steps");
    expect(tabNames({ data: { finalAnalysis: "A", activities: [{ type: "search" }] } })).toContain("steps");
    expect(tabNames({ data: page })).not.toContain("steps");
  });

  test("of structured data are read with their evidence", () => {
    const evidence = [{ field: "price", url: "u", from: "json-ld", quote: "48" }, { broken: true }];
    const [document] = documentsIn({ data: { ...page, json: { price: 48 }, evidence } });
    expect(dataIn({}, document)).toEqual({ value: { price: 48 }, evidence: [evidence[0]], sources: {} });
    expect(dataIn({ status: "completed", creditsUsed: 5, data: [{ a: 1 }] }, undefined)?.value).toEqual([{ a: 1 }]);
  });
});

test("the steps of an agent are its tool calls with time, credits and failure", () => {
  const call = (id: string, url: string) => ({
    type: "tool_call.started",
    toolCallId: id,
    toolName: "scrape",
    parameters: { url },
  });
  const steps = stepsOf([
    { type: "run.started" },
    call("1", "https://a.example/"),
    { type: "tool_call.finished", toolCallId: "1", result: { durationMs: 1_500, creditsUsed: 1 } },
    call("2", "https://b.example/"),
    {
      type: "tool_call.finished",
      toolCallId: "2",
      result: { durationMs: 20, error: { code: "X", message: "refused" } },
    },
    call("3", "https://c.example/"),
  ]);
  expect(steps).toEqual([
    { name: "Scrape", subject: "https://a.example/", facts: ["1.5 s", "1 credit"], hasFailed: false },
    { name: "Scrape", subject: "https://b.example/", facts: ["20 ms", "refused"], hasFailed: true },
    { name: "Scrape", subject: "https://c.example/", facts: ["running"], hasFailed: false },
  ]);
});

test("different pixels of two images are counted and marked, but not the noise of compression", () => {
  const first = Uint8ClampedArray.from([10, 10, 10, 255, 200, 200, 200, 255]);
  const second = Uint8ClampedArray.from([15, 10, 10, 255, 100, 200, 200, 255]);
  expect(markChanges(first, second)).toBe(1);
  expect([...second]).toEqual([15, 10, 10, 70, 220, 38, 38, 255]);
});

test("a file is named after its page", () => {
  expect(fileNameOf("https://a.example/shop/lantern?x=1", "md")).toBe("a.example-shop-lantern-x-1.md");
  expect(fileNameOf(undefined, "json")).toBe("result.json");
});
