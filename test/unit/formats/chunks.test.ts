import { describe, expect, test } from "vitest";
import type { Chunk } from "../../../src/core/scrape/chunk.ts";
import { Formats, formatFor } from "../../../src/formats/index.ts";
import { given } from "../../fakes/given.ts";
import { contextFor, pageOf } from "./page.ts";

const PARAGRAPH = "<p>The ferry leaves Harrow Bay at ten past six and is back by eight, when the tide allows it.</p>";
const PAGE = `<h1>Ferries</h1>${PARAGRAPH}<h2>Fares</h2><p>A ticket is £4.</p>${PARAGRAPH.repeat(3)}<h2>Dogs</h2>${PARAGRAPH}`;

async function chunksOf(html: string, options: object = {}, url?: string): Promise<Chunk[]> {
  const [request] = Formats.parse([{ type: "chunks", ...options }]);
  if (request === undefined) throw new Error("No format");
  const { chunks = [] } = await formatFor("chunks").derive(await pageOf(html, url), request, contextFor());
  return chunks;
}

describe("chunks", () => {
  test("are parts of the markdown under their headings", async () => {
    const page = await pageOf(PAGE);
    const markdown = page.markdown({ removeBase64Images: true });
    const chunks = await chunksOf(PAGE);
    expect(chunks.map(({ headings }) => headings)).toEqual([["Ferries"], ["Ferries", "Fares"], ["Ferries", "Dogs"]]);
    for (const { text, start, end } of chunks) expect(markdown.slice(start, end)).toBe(text);
    expect(chunks.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(new Set(chunks.map(({ fingerprint }) => fingerprint)).size).toBe(1);
  });

  test("keep their ids when other parts of the page change", async () => {
    const before = await chunksOf(PAGE);
    const after = await chunksOf(PAGE.replace("£4", "£5"));
    expect(after.map(({ id }, index) => id === before[index]?.id)).toEqual([true, false, true]);
    expect(after[0]?.fingerprint).not.toBe(before[0]?.fingerprint);
    const elsewhere = await chunksOf(PAGE, {}, "https://other.example/");
    expect(elsewhere.map(({ id }) => id)).not.toContain(before[0]?.id);
  });

  test("with the same text under the same headings have ids of their own", async () => {
    const chunks = await chunksOf(
      `<h1>Log</h1>${"<h2>Today</h2><p>Nothing to report from the harbour today.</p>".repeat(3)}`,
    );
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(chunks.length);
  });

  test("are as long as asked, and overlap as asked", async () => {
    const chunks = await chunksOf(PAGE, { maxTokens: 60, overlapTokens: 30 });
    for (const { tokens } of chunks) expect(tokens).toBeLessThanOrEqual(60);
    expect(chunks.some(({ start }, index) => start < (chunks[index - 1]?.end ?? 0))).toBe(true);
  });

  test("of a page with very many headings are cut, with a warning", async () => {
    const context = contextFor();
    const [request] = Formats.parse(["chunks"]);
    if (request === undefined) throw new Error("No format");
    const page = await pageOf("<h2>a</h2><p>Text below.</p>".repeat(10_001));
    const markdown = "## a\n\nText below.\n\n".repeat(10_001);
    const { chunks = [] } = await formatFor("chunks").derive({ ...page, markdown: () => markdown }, request, context);
    expect(chunks).toHaveLength(10_000);
    expect(context.warnings.join()).toContain("the page has 10001 chunks");
  });

  test("are made by a task on the text, which takes no time of the service for a large page", async () => {
    const context = contextFor();
    const tasks: string[] = [];
    const task: typeof context.task = (name, ...rest) => {
      tasks.push(name);
      return context.task(name, ...rest);
    };
    await formatFor("chunks").derive(await pageOf(PAGE), given(Formats.parse(["chunks"])[0]), { ...context, task });
    expect(tasks).toEqual(["chunks"]);
  });

  test.each([{ maxTokens: 19 }, { maxTokens: 8_001 }, { maxTokens: 100, overlapTokens: 51 }, { tokenizer: "o200k" }])(
    "are refused with %j",
    (options) => expect(() => Formats.parse([{ type: "chunks", ...options }])).toThrow(),
  );
});
