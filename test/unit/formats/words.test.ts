import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { highlights } from "../../../src/formats/highlights.ts";
import { cleanContent } from "../../../src/formats/model/clean-content.ts";
import { pageTextOf } from "../../../src/formats/model/page-text.ts";
import { query } from "../../../src/formats/query.ts";
import { question } from "../../../src/formats/question.ts";
import { summary } from "../../../src/formats/summary.ts";
import { startScriptedModel, type Script, type ScriptedModel } from "../../fakes/scripted-model.ts";
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
    expect(answer).toBe("");
    expect(context.warnings.join(" ")).toContain("no passage of the page has any of the question's words");
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
