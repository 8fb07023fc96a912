/** Requests are up to 10 MB long; what the service stores of one is a value of 2 MB at most, or a message of 128 kB. */
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { buildDeps, layFoundation } from "../../../src/compose.ts";
import { createApp } from "../../../src/http/app.ts";
import { inInvocation } from "../../platform/invocation.ts";
import { API_KEY } from "../keys.ts";

const PAGE = `<title>Webs</title><main><h1>Webs</h1><p>${"An orb-weaver builds a new web each night. ".repeat(20)}</p></main>`;

const platformFetch = globalThis.fetch;
beforeEach(() => {
  // Not a spy, which would keep the responses of other invocations.
  globalThis.fetch = async (input) => {
    const { pathname } = new URL(new Request(input as RequestInfo).url);
    if (pathname === "/dns-query")
      return Response.json({ Status: 0, Answer: [{ type: 1, TTL: 60, data: "93.184.215.14" }] });
    if (pathname === "/robots.txt" || pathname.endsWith(".xml")) return new Response(null, { status: 404 });
    return new Response(PAGE, { headers: { "content-type": "text/html" } });
  };
});
afterEach(() => {
  globalThis.fetch = platformFetch;
});

async function call(path: string, body?: object) {
  const deferred: Promise<unknown>[] = [];
  const foundation = layFoundation({ ...env, API_KEY } as never);
  const app = createApp((request) => buildDeps(foundation, request, (work) => void deferred.push(work)));
  return await inInvocation(async () => {
    const response = await app.request(`http://service.example${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${API_KEY}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer: Record<string, unknown> = await response.json();
    await Promise.all(deferred);
    return { status: response.status, answer };
  });
}

const url = "https://a.example/";
const textOf = (bytes: number): string => "long text ".repeat(bytes / 10);
const LONG = textOf(2_500_000);
const LONG_URL = url + "p".repeat(2_500_000);
const withSchema = (description: string) => ({
  formats: [{ type: "json", schema: { type: "object", description, properties: { a: { type: "string" } } } }],
});
const webhook = { url: "https://hooks.example/in", metadata: { a: LONG } };
const manyTexts = Object.fromEntries(Array.from({ length: 170 }, (_, at) => [`text ${at}`, textOf(15_000)]));
const script = { type: "executeJavascript", script: textOf(900_000) };
const monitor = { name: "Page", schedule: { text: "hourly" }, targets: [{ type: "scrape", urls: [url] }] };

test.each([
  { path: "/v2/crawl", what: "a schema", body: { url, scrapeOptions: withSchema(LONG) }, status: 413 },
  { path: "/v2/crawl", what: "metadata", body: { url, webhook: { ...webhook, metadata: manyTexts } }, status: 413 },
  { path: "/v2/crawl", what: "one text of metadata", body: { url, webhook }, status: 400 },
  { path: "/v2/crawl", what: "a URL", body: { url: LONG_URL }, status: 400 },
  {
    path: "/v2/crawl",
    what: "scripts",
    body: { url, scrapeOptions: { actions: [script, script, script] } },
    status: 413,
  },
  {
    path: "/v2/crawl",
    what: "one script",
    body: { url, scrapeOptions: { actions: [{ ...script, script: LONG }] } },
    status: 400,
  },
  { path: "/v2/batch/scrape", what: "a schema", body: { urls: [url], ...withSchema(LONG) }, status: 413 },
  { path: "/v2/batch/scrape", what: "a URL", body: { urls: [url, LONG_URL], ignoreInvalidURLs: false }, status: 400 },
  { path: "/v2/extract", what: "a schema", body: { urls: [url], schema: { description: LONG } }, status: 413 },
  { path: "/v2/agent", what: "a schema", body: { prompt: "Find it", schema: { description: LONG } }, status: 413 },
  { path: "/v1/llmstxt", what: "a URL", body: { url: LONG_URL }, status: 400 },
  { path: "/v2/monitor", what: "metadata", body: { ...monitor, webhook }, status: 400 },
  { path: "/v2/scrape", what: "a URL", body: { url: LONG_URL }, status: 400 },
  {
    path: "/v2/search",
    what: "a schema of queued scrapes",
    body: { query: "webs", asyncScraping: true, scrapeOptions: withSchema(textOf(120_000)) },
    status: 413,
  },
])("POST $path with $what of 2.5 MB, or 120 kB for a queue, is refused in words", async ({ path, body, status }) => {
  const refused = await call(path, body);
  expect(refused).toMatchObject({ status, answer: { success: false } });
  expect(refused.answer["error"]).toMatch(/at most|must not take more/);
});

test("options are measured as they are stored, where each quote takes more bytes than in the request", async () => {
  const schema = { type: "object", description: '"'.repeat(330_000), properties: { a: { type: "string" } } };
  const refused = await call("/v2/agent", { prompt: "Find it", schema });
  expect(refused).toMatchObject({ status: 413, answer: { success: false } });
  const formats = [{ type: "json", schema }];
  expect(await call("/v2/crawl", { url, limit: 1, scrapeOptions: { formats } })).toMatchObject({ status: 413 });
});

test("a crawl whose options are just below the limit runs to its end", async () => {
  const { answer } = await call("/v2/crawl", { url, limit: 1, scrapeOptions: withSchema(textOf(700_000)) });
  const read = async () => (await call(`/v2/crawl/${String(answer["id"])}`)).answer;
  await vi.waitFor(async () => expect(await read()).toMatchObject({ status: "completed", completed: 1 }), 20_000);
});

test("20,000 URLs of 150 characters are taken by a batch, whose options they are no part of", async () => {
  const urls = Array.from({ length: 20_000 }, (_, at) => `${url}${"p".repeat(130)}${at}`);
  const { status, answer } = await call("/v2/batch/scrape", { urls });
  expect({ status, answer }).toMatchObject({ status: 200, answer: { success: true } });
  await env.CRAWL_FRONTIER.getByName(String(answer["id"])).cancel();
});
