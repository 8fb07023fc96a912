import { OpenAPIHono } from "@hono/zod-openapi";
import { expect, test } from "vitest";
import { addAgentHints } from "../../../src/http/agent-hints.ts";
import type { AppEnv } from "../../../src/http/context.ts";
import { hit, searchService } from "../../fakes/services/search-service.ts";
import { testApp } from "../../fakes/services/test-app.ts";

const HEADERS = { "X-Firecrawl-Agent-Hints": "true" };

/** Answers with a body, as any route may, to a client that asks for hints. */
async function answerWith(body: object | ReadableStream<Uint8Array>): Promise<Response> {
  const app = new OpenAPIHono<AppEnv>();
  app.use(async (c, next) => {
    await next();
    await addAgentHints(c);
  });
  app.get("/", (c) =>
    body instanceof ReadableStream ? c.body(body, 200, { "Content-Type": "application/json" }) : c.json(body),
  );
  return await app.request("/", { headers: HEADERS });
}

async function hintsFor(body: object): Promise<unknown> {
  const answer = (await (await answerWith(body)).json()) as Record<string, unknown>;
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
])("$what comes with a hint", async ({ body, hint }) => {
  expect(await hintsFor(body)).toEqual([expect.stringMatching(hint)]);
});

test.each(["/v1/search", "/v2/search"])("%s without results comes with a hint", async (path) => {
  const ask = async (hits: { url: string }[]) =>
    await searchService(hits.map(({ url }) => hit(url))).post(path, { query: "ferries" }, { headers: HEADERS });
  expect(await (await ask([])).json()).toMatchObject({ agent_hints: [expect.stringMatching(/Nothing was found/)] });
  expect(await (await ask([{ url: "https://a.example/" }])).json()).not.toHaveProperty("agent_hints");
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

test.each(["is read", "is left"])("a long response is sent as the client reads it, and %s", async (end) => {
  const text = JSON.stringify({ success: true, status: "scraping", data: "🧀x".repeat(200_000) });
  const bytes = new TextEncoder().encode(text);
  const seen: string[] = [];
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.length) {
        seen.push("read");
        controller.close();
      } else controller.enqueue(bytes.subarray(at, (at += 50_000)));
    },
    cancel: () => void seen.push("left"),
  });
  const response = await answerWith(body);
  expect(at).toBeLessThan(400_000);
  if (end === "is read") expect(await response.text()).toBe(text);
  else await response.body?.cancel();
  expect(seen).toEqual([end.slice(3)]);
});
