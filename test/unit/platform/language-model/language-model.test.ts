import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Meter } from "../../../../src/core/account/meter.ts";
import { createOriginFetch } from "../../../../src/platform/outbound/guarded-fetch.ts";
import { createLanguageModel } from "../../../../src/platform/language-model/language-model.ts";
import type { ModelRequest } from "../../../../src/ports/language-model.ts";
import { startScriptedModel, type Script, type ScriptedModel } from "../../../fakes/upstream/scripted-model.ts";

let server: ScriptedModel;
let waits: number[];
let meter: Meter;
let models = 0;
beforeAll(async () => {
  server = await startScriptedModel(["hello"]);
});
afterAll(() => server.close());
beforeEach(() => {
  waits = [];
  meter = new Meter();
});

/** A model of a name of its own: what one server has shown of itself is remembered by name. */
function modelFor(script: Script, fetcher = createOriginFetch(server.url)) {
  server.script(script);
  server.requests.length = 0;
  return createLanguageModel({
    server: { kind: "openai", baseUrl: `${server.url}/`, apiKey: "sk-test" },
    names: { large: `big-${++models}`, small: `small-${models}` },
    contextTokens: 30_000,
    dollarsAMillion: { input: 2, output: 8 },
    fetcher,
    clock: { now: () => Date.now() },
    meter,
    sleep: async (ms) => void waits.push(ms),
  });
}

const ask = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  system: "You help.",
  messages: [{ role: "user", text: "Say hello" }],
  deadlineMs: Date.now() + 10_000,
  ...more,
});

const SCHEMA = {
  type: "object",
  properties: { name: { type: "string" }, age: { type: "integer" } },
  required: ["name"],
};

describe("a language model", () => {
  test("reads no answer that is longer than its tokens can be", async () => {
    const model = modelFor([{ text: "a".repeat(1_500_000) }]);
    const asking = model.generateText(ask({ maxOutputTokens: 100 }));
    await expect(asking).rejects.toMatchObject({
      code: "MODEL_BAD_OUTPUT",
      message: expect.stringContaining("longer"),
    });
    expect(server.requests).toHaveLength(1);
  });

  test("carries out fifty tool calls of a step at most", async () => {
    const toolCalls = Array.from({ length: 2000 }, () => ({ name: "look", input: {} }));
    const tools = [{ name: "look", description: "Looks", inputSchema: { type: "object" } }];
    expect((await modelFor([{ toolCalls }]).step({ ...ask(), tools })).toolCalls).toHaveLength(50);
  });

  test("is sent no half of a surrogate pair, in any text or JSON", async () => {
    const half = "\ud83d";
    const model = modelFor(["done", '{"name":"Ada"}']);
    const input = { query: `tools ${half}`, list: [half], [half]: 1 };
    const call = { id: "1", toolName: "look", input };
    const messages: ModelRequest["messages"] = [
      { role: "user", text: `Look ${half}` },
      { role: "user", text: half, pictures: [{ contentType: "image/png", bytes: new Uint8Array(2) }] },
      { role: "assistant", text: `I look ${half}`, toolCalls: [call] },
      { role: "tool", callId: "1", toolName: "look", text: `found ${half}` },
    ];
    const description = `Looks ${half}`;
    const tools = [{ name: "look", description: "Looks", inputSchema: { type: "object", description } }];
    await model.step({ ...ask({ system: `You help ${half}`, messages }), tools });
    await model.generateObject({ ...ask({ messages }), schema: { ...SCHEMA, description } });
    const sent = JSON.stringify(server.requests);
    expect(sent).not.toContain(String.raw`\ud83d`);
    expect(sent.split("\ufffd").length).toBeGreaterThan(15);
    expect(input.list).toEqual([half]);
  });

  test.each([1e308, -1e12, 1e9])("counts no tokens where the server reports %d", async (reported) => {
    const usage = { prompt_tokens: reported, completion_tokens: reported };
    await modelFor([{ text: "hello", usage }]).generateText(ask());
    expect(meter.counts).toMatchObject({
      modelCalls: 1,
      modelInputTokens: 0,
      modelOutputTokens: 0,
      modelNanoDollars: 0,
    });
  });

  test("answers in text, and counts its tokens", async () => {
    const model = modelFor(["hello"]);
    expect(await model.generateText(ask())).toEqual({ text: "hello", usage: { inputTokens: 100, outputTokens: 20 } });
    expect(server.requests[0]).toMatchObject({
      path: "/v1/chat/completions",
      authorization: "Bearer sk-test",
      model: model.names.large,
      stream: false,
    });
    expect(meter.counts).toMatchObject({ modelCalls: 1, modelInputTokens: 100, modelOutputTokens: 20 });
    expect(meter.counts.modelNanoDollars).toBe(100 * 2_000 + 20 * 8_000);
  });

  test("leaves small steps to the small model", async () => {
    const model = modelFor(["hello"]);
    await model.generateText(ask({ size: "small" }));
    expect(server.requests[0]?.model).toBe(model.names.small);
  });

  test("streams when somebody listens", async () => {
    const pieces: string[] = [];
    const answer = await modelFor(["a longer greeting"]).generateText(
      ask({ onText: (piece) => void pieces.push(piece) }),
    );
    expect(server.requests[0]?.stream).toBe(true);
    expect(answer).toEqual({ text: "a longer greeting", usage: { inputTokens: 100, outputTokens: 20 } });
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.join("")).toBe("a longer greeting");
  });

  test("gives MODEL_REFUSED for a refusal that is streamed", async () => {
    const request = ask({ onText: () => {} });
    await expect(modelFor([{ refusal: "I cannot" }]).generateText(request)).rejects.toMatchObject({
      code: "MODEL_REFUSED",
    });
    expect(server.requests[0]?.stream).toBe(true);
  });

  test("streams tool calls too", async () => {
    const model = modelFor([{ toolCalls: [{ name: "look", input: { at: "sky" } }] }]);
    const step = await model.step({ ...ask({ onText: () => {} }), tools: [LOOK] });
    expect(step.toolCalls).toEqual([{ id: "call_0_look", toolName: "look", input: { at: "sky" } }]);
  });

  test("asks for tools and takes their results, a step at a time", async () => {
    const model = modelFor([{ toolCalls: [{ name: "look", input: { at: "sky" } }] }, "It is blue."]);
    const first = await model.step({ ...ask(), tools: [LOOK] });
    expect(first).toMatchObject({ text: "", toolCalls: [{ toolName: "look", input: { at: "sky" } }] });
    const second = await model.step({
      ...ask({
        messages: [
          ...ask().messages,
          { role: "assistant", text: first.text, toolCalls: first.toolCalls },
          { role: "tool", callId: "call_0_look", toolName: "look", text: "blue" },
        ],
      }),
      tools: [LOOK],
    });
    expect(second).toMatchObject({ text: "It is blue.", toolCalls: [] });
    expect(server.requests[1]?.messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool"]);
  });

  test("repairs the broken input of a tool call", async () => {
    const model = modelFor([{ toolCalls: [{ name: "look", input: "{at: 'sky'" }] }]);
    const { toolCalls } = await model.step({ ...ask(), tools: [LOOK] });
    expect(toolCalls[0]?.input).toEqual({ at: "sky" });
  });
});

const LOOK = {
  name: "look",
  description: "Looks",
  inputSchema: { type: "object", properties: { at: { type: "string" } } },
};

describe("a language model's objects", () => {
  test.each([
    { how: "plain", text: '{"name":"Ann","age":3}' },
    {
      how: "in a code fence with words around it",
      text: 'Sure!\n```json\n{"name":"Ann","age":3}\n```\nAnything else?',
    },
    { how: "without quotes and commas", text: "{name: 'Ann' age: 3,}" },
    { how: "cut off", text: '{"name":"Ann","age":3' },
    { how: "after thoughts in marks", text: '<think>maybe {"name": 1}?</think>\n{"name":"Ann","age":3}' },
    { how: "after thinking aloud", text: 'The page says Ann. {"name":"Ann","age":3}' },
  ])("are read $how", async ({ text }) => {
    const { value } = await modelFor([text]).generateObject({ ...ask(), schema: SCHEMA });
    expect(value).toEqual({ name: "Ann", age: 3 });
    expect(server.requests[0]?.responseFormat).toBe("json_schema");
  });

  test("are asked for again, with what is wrong, until they fit", async () => {
    const model = modelFor([{ json: { age: "three" } }, "I am not sure", { json: { name: "Ann" } }]);
    const { value, usage } = await model.generateObject({ ...ask(), schema: SCHEMA });
    expect(value).toEqual({ name: "Ann" });
    expect(usage).toEqual({ inputTokens: 300, outputTokens: 60 });
    expect(server.requests[1]?.said).toMatch(/name/);
    expect(server.requests[2]?.said).toContain("no JSON was found");
  });

  test("are given up after three answers that do not fit", async () => {
    const given = modelFor([{ json: { age: "three" } }]).generateObject({ ...ask(), schema: SCHEMA });
    await expect(given).rejects.toMatchObject({ code: "MODEL_BAD_OUTPUT" });
    expect(server.requests).toHaveLength(3);
  });

  test("are asked for in a way that the server knows, and so from then on", async () => {
    const model = modelFor(({ responseFormat }) =>
      responseFormat === "text" ? { json: { name: "Ann" } } : { status: 400, message: "response_format unknown" },
    );
    await model.generateObject({ ...ask(), schema: SCHEMA });
    await model.generateObject({ ...ask(), schema: SCHEMA });
    const formats = server.requests.map(({ responseFormat }) => responseFormat);
    expect(formats).toEqual(["json_schema", "json_object", "text", "text"]);
  });
});

test("a schema that a server refuses does not weaken requests with other schemas", async () => {
  const model = modelFor(({ responseFormat, said }) =>
    responseFormat === "json_schema" && said.includes("refused") ? { status: 400 } : { json: { name: "Ann" } },
  );
  await model.generateObject({ ...ask(), schema: { ...SCHEMA, description: "refused" } });
  await model.generateObject({ ...ask(), schema: SCHEMA });
  const formats = server.requests.map(({ responseFormat }) => responseFormat);
  expect(formats).toEqual(["json_schema", "json_object", "json_schema"]);
});

test("a request that a server refuses in every form does not weaken those of others", async () => {
  const model = modelFor(({ said }) => (said.includes("hostile") ? { status: 400 } : { json: { name: "Ann" } }));
  const hostile = { ...ask(), system: "hostile", schema: SCHEMA };
  await expect(model.generateObject(hostile)).rejects.toMatchObject({ code: "MODEL_UNAVAILABLE" });
  await model.generateObject({ ...ask(), schema: SCHEMA });
  const formats = server.requests.map(({ responseFormat }) => responseFormat);
  expect(formats).toEqual(["json_schema", "json_object", "text", "json_schema"]);
});

describe("a language model in trouble", () => {
  test("is asked again after as long as it says", async () => {
    const model = modelFor([{ status: 429, retryAfterSeconds: 2 }, "hello"]);
    expect((await model.generateText(ask())).text).toBe("hello");
    expect(waits).toEqual([2000]);
  });

  test("is asked again ever later after failures and lost connections", async () => {
    const model = modelFor([{ status: 503 }, { hangUp: true }, "hello"]);
    expect((await model.generateText(ask())).text).toBe("hello");
    expect(waits).toHaveLength(2);
    expect(waits[1]).toBeGreaterThan(waits[0] ?? 0);
  });

  test.each([
    { what: "never stops being busy", script: [{ status: 429 }], code: "MODEL_UNAVAILABLE", calls: 4 },
    {
      what: "is busy beyond the deadline",
      script: [{ status: 429, retryAfterSeconds: 60 }],
      code: "MODEL_UNAVAILABLE",
      calls: 1,
    },
    { what: "knows no such model", script: [{ status: 404 }], code: "MODEL_UNAVAILABLE", calls: 1 },
    { what: "declines", script: [{ refusal: "I cannot" }], code: "MODEL_REFUSED", calls: 1 },
    { what: "says nothing", script: [""], code: "MODEL_REFUSED", calls: 1 },
  ])("that $what gives $code", async ({ script, code, calls }) => {
    await expect(modelFor(script).generateText(ask())).rejects.toMatchObject({ code });
    expect(server.requests).toHaveLength(calls);
  });

  test.each([
    { failure: "refused", status: 403, calls: 1, says: "the outbound policy refuses its address" },
    { failure: "not_found", status: 502, calls: 1, says: "its host name does not exist" },
    { failure: "tls", status: 502, calls: 1, says: "its TLS certificate is not accepted" },
    { failure: "connect", status: 502, calls: 4, says: "it cannot be reached" },
    { failure: "timeout", status: 504, calls: 4, says: "no connection in time" },
  ])(
    "behind an egress proxy that says $failure is told apart from an answer",
    async ({ failure, status, calls, says }) => {
      let asked = 0;
      const model = modelFor([], async () => {
        asked++;
        return new Response("the proxy's own words", { status, headers: { "x-egress-failure": failure } });
      });
      const error = await model.generateText(ask()).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: "MODEL_UNAVAILABLE", message: `The language model did not answer: ${says}` });
      expect(asked).toBe(calls);
    },
  );

  test("that is too slow ends with the deadline", async () => {
    const slow = modelFor([{ text: "late", delayMs: 5_000 }]).generateText(ask({ deadlineMs: Date.now() + 150 }));
    await expect(slow).rejects.toMatchObject({ code: "MODEL_TIMEOUT" });
  });

  test("is left alone when its caller has gone", async () => {
    const controller = new AbortController();
    const slow = modelFor([{ text: "late", delayMs: 5_000 }]).generateText(ask({ signal: controller.signal }));
    setTimeout(() => controller.abort(new Error("gone")), 50);
    await expect(slow).rejects.toThrow("gone");
  });

  test("never tells what was asked or answered in its errors", async () => {
    const given = modelFor([{ status: 400, message: "bad page: SECRET" }]).generateText(ask());
    const error = await given.catch((reason: unknown) => reason as Error & { cause?: unknown });
    expect(JSON.stringify([String(error), error])).not.toContain("SECRET");
  });
});

test("the way to the model leads nowhere else", async () => {
  const fetcher = createOriginFetch("http://127.0.0.1:1/v1");
  await expect(fetcher("http://127.0.0.2:1/v1/chat/completions")).rejects.toMatchObject({ code: "SAFE_MODE_BLOCKED" });
});
