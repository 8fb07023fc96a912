import { OpenAPIHono } from "@hono/zod-openapi";
import { expect, test } from "vitest";
import { addAgentHints } from "../../../src/http/agent-hints.ts";
import type { AppEnv } from "../../../src/http/context.ts";
import { searchService } from "../../fakes/services/search-service.ts";
import { testApp } from "../../fakes/services/test-app.ts";

const HEADERS = { "X-Firecrawl-Agent-Hints": "true" };

/** Answers with a body, as any route may. */
async function hintsFor(body: object): Promise<unknown> {
  const app = new OpenAPIHono<AppEnv>();
  app.use(async (c, next) => {
    await next();
    await addAgentHints(c);
  });
  app.get("/", (c) => c.json(body));
  const answer = (await (await app.request("/", { headers: HEADERS })).json()) as Record<string, unknown>;
  expect(answer).toMatchObject(body);
  return answer["agent_hints"];
}

test("an error comes with the next step for a client that asks for hints", async () => {
  const response = await testApp().post("/v2/scrape", { url: "https://a.example/", nothing: 1 }, { headers: HEADERS });
  expect(response.status).toBe(400);
  expect(response.headers.get("Content-Type")).toContain("application/json");
  expect(await response.json()).toMatchObject({
    success: false,
    error: expect.stringContaining("nothing"),
    agent_hints: [expect.stringContaining("Change it as the error says")],
  });
});

test.each([
  { what: "a running job", body: { success: true, status: "scraping" }, hint: /still running/ },
  { what: "a page of results", body: { success: true, next: "https://a.example/?skip=1" }, hint: /more results/ },
  { what: "a page without text", body: { success: true, data: { markdown: "" } }, hint: /no text/ },
  { what: "a search without results", body: { success: true, data: { web: [] } }, hint: /Nothing was found/ },
])("$what comes with a hint", async ({ body, hint }) => {
  expect(await hintsFor(body)).toEqual([expect.stringMatching(hint)]);
});

test("routes whose tools refuse hints have none", async () => {
  const response = await testApp().ask("/v2/search/research/papers", { headers: HEADERS });
  expect(await response.json()).not.toHaveProperty("agent_hints");
});

test.each([{}, { success: true, data: { web: [{ url: "https://a.example/" }] } }, { success: true, data: { a: 1 } }])(
  "%o comes without hints",
  async (body) => expect(await hintsFor(body)).toBeUndefined(),
);

test("clients that do not ask get no hints", async () => {
  const { search } = searchService([]);
  const { answer } = await search({ query: "ferries" });
  expect(answer).not.toHaveProperty("agent_hints");
});
