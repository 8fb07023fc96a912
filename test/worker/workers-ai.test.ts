import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { buildDeps, layFoundation } from "../../src/compose.ts";
import { aiError, scriptedAi } from "../fakes/upstream/scripted-ai.ts";

const ask = (text: string) => ({
  system: "You read.",
  messages: [{ role: "user" as const, text }],
  deadlineMs: Date.now() + 10_000,
});

test("a binding and the name of a model are all that Workers AI needs, inside workerd too", async () => {
  const { ai, seen } = scriptedAi([
    { response: "At nine.", usage: { prompt_tokens: 9, completion_tokens: 3 } },
    { response: { hour: 9 } },
    { response: null, tool_calls: [{ name: "search", arguments: { query: "ferry" } }] },
    aiError(3036, "You have used up your daily free allocation"),
  ]);
  const name = `@cf/meta/llama-${crypto.randomUUID()}`;
  const foundation = layFoundation({ ...env, AI: ai, LLM_MODEL: name });
  const { llm, meter } = buildDeps(foundation, { url: "http://service.example/" }, () => undefined);
  const schema = { type: "object", properties: { hour: { type: "integer" } }, required: ["hour"] };
  expect((await llm?.generateText(ask("When?")))?.text).toBe("At nine.");
  expect((await llm?.generateObject({ ...ask("When?"), schema }))?.value).toEqual({ hour: 9 });
  const tools = [{ name: "search", description: "Search", inputSchema: { type: "object", properties: {} } }];
  expect((await llm?.step({ ...ask("When?"), tools }))?.toolCalls).toMatchObject([{ input: { query: "ferry" } }]);
  await expect(llm?.generateText(ask("When?"))).rejects.toMatchObject({ code: "MODEL_UNAVAILABLE" });
  expect(seen.map(({ model }) => model)).toEqual([name, name, name, name]);
  expect(meter.counts).toMatchObject({ modelCalls: 4, modelInputTokens: 9, modelOutputTokens: 3 });
});

test("a binding without the name of a model is no language model", () => {
  const { ai } = scriptedAi([{ response: "x" }]);
  const { LLM_BASE_URL: _, LLM_MODEL: __, ...rest } = env as typeof env & { LLM_BASE_URL?: string; LLM_MODEL?: string };
  const foundation = layFoundation({ ...rest, AI: ai });
  expect(buildDeps(foundation, { url: "http://service.example/" }, () => undefined).llm).toBeUndefined();
});
