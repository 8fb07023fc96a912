import { beforeEach, describe, expect, test } from "vitest";
import { Meter } from "../../../src/core/account/meter.ts";
import { json } from "../../../src/formats/json.ts";
import { createLanguageModel } from "../../../src/platform/language-model/language-model.ts";
import type { ModelRequest } from "../../../src/ports/language-model.ts";
import { aiError, scriptedAi, sse, type ScriptedResponse } from "../../fakes/upstream/scripted-ai.ts";
import { contextFor, pageOf } from "../formats/page.ts";

const LARGE = "@cf/meta/llama-3.3-70b-instruct-fp8-fast";
const SMALL = "@cf/meta/llama-3.1-8b-instruct";
const USAGE = { prompt_tokens: 90, completion_tokens: 10, total_tokens: 100 };

let waits: number[];
let meter: Meter;
let suffix = 0;
beforeEach(() => {
  waits = [];
  meter = new Meter();
});

function modelFor(...script: ScriptedResponse[]) {
  const { ai, seen } = scriptedAi(script);
  // What a model has shown of itself is remembered by its name.
  const large = `${LARGE}-${++suffix}`;
  const model = createLanguageModel({
    server: { kind: "workers", ai },
    names: { large, small: SMALL },
    contextTokens: 24_000,
    fetcher: () => Promise.reject(new Error("The binding needs no way out")),
    clock: { now: () => Date.now() },
    meter,
    sleep: async (ms) => void waits.push(ms),
  });
  return { model, seen, large };
}

const ask = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  system: "You help.",
  messages: [{ role: "user", text: "Say hello" }],
  deadlineMs: Date.now() + 10_000,
  ...more,
});
const SCHEMA = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
const TOOL = { name: "search", description: "Search the web", inputSchema: { type: "object", properties: {} } };

describe("Workers AI", () => {
  test.each([
    { shape: "of its own", answer: { response: "hello", usage: USAGE } },
    { shape: "of OpenAI", answer: { choices: [{ message: { content: "hello" } }], usage: USAGE } },
  ])("answers in text in the shape $shape, and counts its tokens", async ({ answer }) => {
    const { model, seen, large } = modelFor(answer);
    expect(await model.generateText(ask())).toEqual({ text: "hello", usage: { inputTokens: 90, outputTokens: 10 } });
    expect(seen).toMatchObject([
      {
        model: large,
        inputs: {
          messages: [
            { role: "system", content: "You help." },
            { role: "user", content: "Say hello" },
          ],
          temperature: 0,
        },
      },
    ]);
    expect(meter.counts).toMatchObject({ modelCalls: 1, modelInputTokens: 90, modelOutputTokens: 10 });
  });

  test("streams when somebody listens", async () => {
    const pieces: string[] = [];
    const { model, seen } = modelFor(
      sse([{ response: "hel" }, { response: "lo" }, { response: "", usage: USAGE }, "[DONE]"]),
    );
    const { text } = await model.generateText(ask({ onText: (piece) => void pieces.push(piece) }));
    expect([text, pieces.join("")]).toEqual(["hello", "hello"]);
    expect(seen[0]?.inputs.stream).toBe(true);
  });

  test("leaves small steps to the small model", async () => {
    const { model, seen } = modelFor({ response: "hello" });
    await model.generateText(ask({ size: "small" }));
    expect(seen[0]?.model).toBe(SMALL);
  });

  test.each([
    { how: "as an object", response: { name: "Ann" } },
    { how: "as a text", response: '{"name":"Ann"}' },
    { how: "broken", response: "Sure: ```json\n{name: 'Ann',}\n```" },
  ])("gives objects by a schema $how", async ({ response }) => {
    const { model, seen } = modelFor({ response, usage: USAGE });
    expect((await model.generateObject({ ...ask(), schema: SCHEMA })).value).toEqual({ name: "Ann" });
    expect(seen[0]?.inputs.response_format).toEqual({ type: "json_schema", json_schema: SCHEMA });
  });

  test("is asked again with what is wrong when an object does not fit", async () => {
    const { model, seen } = modelFor({ response: { age: 3 } }, { response: { name: "Ann" } });
    expect((await model.generateObject({ ...ask(), schema: SCHEMA })).value).toEqual({ name: "Ann" });
    expect(JSON.stringify(seen[1]?.inputs.messages)).toContain("cannot be used");
  });

  test.each([
    { why: "takes no schema", error: aiError(5004, "Invalid data") },
    { why: "does not manage it", error: new Error("JSON Mode couldn't be met") },
  ])("is asked in words when its model $why, and so from then on", async ({ error }) => {
    const { model, seen } = modelFor(error, { response: '{"name":"Ann"}' });
    for (let time = 0; time < 2; time++) {
      expect((await model.generateObject({ ...ask(), schema: SCHEMA })).value).toEqual({ name: "Ann" });
    }
    expect(seen.map(({ inputs }) => inputs.response_format?.type)).toEqual(["json_schema", undefined, undefined]);
    expect(JSON.stringify(seen[1]?.inputs.messages)).toContain("valid against this JSON Schema");
  });

  test.each([
    { shape: "of its own", calls: [{ name: "search", arguments: { query: "ferry" } }] },
    {
      shape: "of OpenAI",
      calls: [{ id: "c1", type: "function", function: { name: "search", arguments: '{"query":"ferry"}' } }],
    },
  ])("asks for tools in the shape $shape, and is told what they answered", async ({ calls }) => {
    const { model, seen } = modelFor({ response: null, tool_calls: calls, usage: USAGE }, { response: "At nine." });
    const { toolCalls } = await model.step({ ...ask(), tools: [TOOL] });
    expect(toolCalls).toEqual([{ id: expect.any(String), toolName: "search", input: { query: "ferry" } }]);
    expect(seen[0]?.inputs.tools?.map(({ function: { name } }) => name)).toEqual(["search"]);
    const [{ id } = { id: "" }] = toolCalls;
    const { text } = await model.step({
      ...ask({
        messages: [
          { role: "user", text: "When?" },
          { role: "assistant", text: "", toolCalls },
          { role: "tool", callId: id, toolName: "search", text: "The ferry leaves at nine." },
        ],
      }),
      tools: [TOOL],
    });
    expect(text).toBe("At nine.");
    expect(JSON.stringify(seen[1]?.inputs.messages)).toContain("leaves at nine");
  });
});

describe("Workers AI in trouble", () => {
  test.each([
    { what: "has no room just now", error: aiError(3040, "Capacity temporarily exceeded") },
    { what: "took too long by itself", error: aiError(3007, "Request timeout") },
    { what: "cannot be reached", error: new Error("Network connection lost.") },
  ])("that $what is asked again", async ({ error }) => {
    const { model } = modelFor(error, { response: "hello" });
    expect((await model.generateText(ask())).text).toBe("hello");
    expect(waits).toHaveLength(1);
  });

  test.each([
    { what: "never has any room", script: [aiError(3040, "No more data centers")], code: "MODEL_UNAVAILABLE", calls: 4 },
    { what: "has used up the day's allowance", script: [aiError(3036, "daily free allocation")], code: "MODEL_UNAVAILABLE", calls: 1 },
    { what: "knows no such model", script: [aiError(5007, "No such model")], code: "MODEL_UNAVAILABLE", calls: 1 },
    { what: "does not serve the account", script: [aiError(5016, "Model agreement")], code: "MODEL_UNAVAILABLE", calls: 1 },
    { what: "says nothing", script: [{ response: "" }], code: "MODEL_REFUSED", calls: 1 },
  ])("that $what gives $code after $calls call(s)", async ({ script, code, calls }) => {
    const { model, seen } = modelFor(...script);
    await expect(model.generateText(ask())).rejects.toMatchObject({ code });
    expect(seen).toHaveLength(calls);
  }); // prettier-ignore

  test("that never answers ends with the deadline, and with its caller", async () => {
    const late = modelFor("hangs").model.generateText(ask({ deadlineMs: Date.now() + 100 }));
    await expect(late).rejects.toMatchObject({ code: "MODEL_TIMEOUT" });
    const controller = new AbortController();
    const left = modelFor("hangs").model.generateText(ask({ signal: controller.signal }));
    controller.abort(new Error("gone"));
    await expect(left).rejects.toThrow("gone");
  });

  test("never tells in its errors what was asked", async () => {
    const { model } = modelFor(aiError(5004, "bad input: SECRET"));
    const error: unknown = await model.generateText(ask()).catch((reason: unknown) => reason);
    expect(JSON.stringify([String(error), error, (error as Error).cause])).not.toContain("SECRET");
  });

  test("leaves a format to its rules, which say so", async () => {
    const { model } = modelFor(aiError(3036, "daily free allocation"));
    const context = contextFor(model);
    const page = await pageOf(
      "<title>Kettle</title><main><table><tr><th>Capacity</th><td>2 litres</td></tr></table></main>",
    );
    const schema = { type: "object", properties: { capacity: { type: "string" } } };
    const { json: value } = await json.derive(page, { type: "json", schema }, context);
    expect(value).toEqual({ capacity: "2 litres" });
    expect(context.warnings).toEqual([
      expect.stringMatching(/^json: The language model did not answer.*429.* by rules\.$/),
    ]);
  });
});
