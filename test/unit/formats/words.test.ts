import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { highlights } from "../../../src/formats/highlights.ts";
import { cleanContent } from "../../../src/formats/model/clean-content.ts";
import { pageTextOf } from "../../../src/formats/model/page-text.ts";
import { query } from "../../../src/formats/query.ts";
import { question } from "../../../src/formats/question.ts";
import { summary } from "../../../src/formats/summary.ts";
import { startScriptedModel, type Script, type ScriptedModel } from "../../fakes/upstream/scripted-model.ts";
import { contextFor, modelAt, pageOf } from "./page.ts";

const FERRY = `<html lang="en"><head><title>The ferry of Harrow Bay</title></head><body><main><h1>The ferry of Harrow Bay</h1>
<p>The ferry of Harrow Bay has crossed the bay since 1911. It carries forty passengers and eight cars on each crossing.</p>
<p>In winter the ferry leaves the harbour at eight in the morning and comes back at six. The crossing takes twenty minutes when the sea is calm.</p>
<p>A ticket for the ferry costs four pounds for grown-ups, and nothing for children under five years of age.</p>
<p>The harbour café next to the ferry sells soup, bread and strong tea to those who wait for the boat.</p></main></body></html>`;

let server: ScriptedModel;
beforeAll(async () => {
  server = await startScriptedModel(["ok"]);
});
afterAll(() => server.close());

async function setting(script?: Script) {
  if (script !== undefined) server.script(script);
  server.requests.length = 0;
  const context = contextFor(script === undefined ? undefined : modelAt(server));
  const page = await pageOf(FERRY);
  return { page, context, text: page.markdown({ removeBase64Images: true }) };
}

describe("without a model", () => {
  test("a question is answered by quotes", async () => {
    const { page, context, text } = await setting();
    const { answer = "" } = await question.derive(
      page,
      { type: "question", question: "What does a ticket cost?" },
      context,
    );
    expect(answer.split("\n\n")[0]).toContain("four pounds");
    for (const quote of answer.split("\n\n")) expect(text).toContain(quote);
    expect(context.warnings).toEqual([expect.stringContaining("no language model is configured")]);
  });

  test("a question about something else has no answer, and a warning", async () => {
    const { page, context } = await setting();
    const { answer } = await question.derive(page, { type: "question", question: "quantum entanglement?" }, context);
    expect(answer).toBe("Not found: the page does not state an answer to this question.");
    expect(context.warnings.join(" ")).toContain("question: the page does not answer the question");
    expect(context.refunds).toEqual([4]);
  });

  test.each([
    ["What is this page about?", "has crossed the bay since 1911"],
    ["How many passengers does it carry?", "forty passengers"],
    ["Since when has the ferry crossed the bay?", "1911"],
  ])("%s is answered by what the page states", async (asked, part) => {
    const { page, context } = await setting();
    const { answer } = await question.derive(page, { type: "question", question: asked }, context);
    expect(answer).toContain(part);
    expect(context.refunds).toEqual([]);
  });

  test.each([
    ["What is the phone number?", "a telephone number"],
    ["Who is the captain?", "a name"],
    ["When was the café founded?", "a date"],
  ])("%s has no answer, which costs nothing", async (asked, value) => {
    const { page, context } = await setting();
    const { answer } = await query.derive(page, { type: "query", prompt: asked, mode: "freeform" }, context);
    expect(answer).toBe(`Not found: the page does not state ${value} that answers this question.`);
    expect(context.refunds).toEqual([4]);
  });

  test("structured data answers before text does, with the currency", async () => {
    const page =
      await pageOf(`<title>Kettle | Shop</title><script type="application/ld+json">{"@type":"Product","name":"Kettle",
      "offers":{"price":"49.90","priceCurrency":"EUR"}}</script><h1>Kettle</h1><p>Shipping costs €4.50.</p>`);
    const context = contextFor();
    const { answer } = await question.derive(page, { type: "question", question: "What is the price?" }, context);
    expect(answer).toBe("49.90 EUR");
  });

  test("highlights have no pictures alone and no text twice", async () => {
    const text = "The harbour opens at six every morning of the week.";
    const page = await pageOf(
      `<title>Harbour</title><main><h1>Harbour</h1><p><img src="/harbour.jpg" alt="harbour opens"></p><p>${text}</p>
      <p>Something else is here.</p><p>${text}</p><p>The harbour closes at nine in the evening.</p></main>`,
    );
    const context = contextFor();
    const { highlights: found = "" } = await highlights.derive(
      page,
      { type: "highlights", query: "harbour opens" },
      context,
    );
    expect(found.split(text)).toHaveLength(2);
    expect(found).not.toContain("![");
    const nothing = await highlights.derive(page, { type: "highlights", query: "quantum entanglement" }, context);
    expect(nothing).toEqual({ highlights: "" });
    expect(context.refunds).toEqual([4]);
  });

  test("highlights and direct quotes are the page's own words", async () => {
    const { page, context, text } = await setting();
    const { highlights: found = "" } = await highlights.derive(
      page,
      { type: "highlights", query: "ticket cost" },
      context,
    );
    const { answer = "" } = await query.derive(
      page,
      { type: "query", prompt: "winter crossing", mode: "directQuote" },
      context,
    );
    expect(found).toContain("four pounds");
    expect(answer).toContain("eight in the morning");
    for (const quote of `${found}\n\n${answer}`.split("\n\n")) expect(text).toContain(quote);
  });

  test("a summary quotes what the page comes back to, in its order", async () => {
    const { page, context, text } = await setting();
    const { summary: found = "" } = await summary.derive(page, { type: "summary" }, context);
    const quotes = found.split("\n\n");
    const places = quotes.map((quote) => text.indexOf(quote));
    expect(quotes.length).toBeGreaterThan(1);
    expect(Math.min(...places)).toBeGreaterThanOrEqual(0);
    expect(places).toEqual(places.toSorted((left, right) => left - right));
    expect(found.length).toBeLessThan(text.length);
  });
});

test("a model that cleans markdown takes blocks out, and puts nothing in", async () => {
  const { page, context, text } = await setting([{ json: { drop: [1, 99] } }]);
  const model = context.llm;
  if (model === undefined) throw new Error("This test has a model");
  const blocks = text.split("\n\n");
  const cleaned = await cleanContent(model, pageTextOf(page, context), Date.now() + 10_000);
  expect(cleaned).toBe(blocks.slice(1).join("\n\n"));
  server.script([{ json: { drop: blocks.map((_, index) => index + 1) } }]);
  expect(await cleanContent(model, pageTextOf(page, context), Date.now() + 10_000)).toBe(text);
});

describe("with a model", () => {
  test("a question gets its answer", async () => {
    const { page, context } = await setting(["Four pounds."]);
    expect(await question.derive(page, { type: "question", question: "What does it cost?" }, context)).toEqual({
      answer: "Four pounds.",
    });
    expect(context.warnings).toEqual([]);
    expect(server.requests[0]?.said).toContain("costs four pounds");
  });

  test("highlights are chosen by number, so that nothing can be made up", async () => {
    const { page, context, text } = await setting([{ json: { passages: [2, 99, 2] } }]);
    const { highlights: found = "" } = await highlights.derive(
      page,
      { type: "highlights", query: "ferry harbour ticket" },
      context,
    );
    expect(text).toContain(found);
    expect(found).not.toBe("");
    expect(server.requests[0]?.said).toContain("[1] ");
  });

  test("a summary is the model's", async () => {
    const { page, context } = await setting(["A ferry crosses the bay."]);
    expect(await summary.derive(page, { type: "summary" }, context)).toEqual({ summary: "A ferry crosses the bay." });
  });
});
