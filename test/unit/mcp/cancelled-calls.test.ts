import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { expect, onTestFinished, test } from "vitest";
import { createMcpHandler } from "../../../src/mcp/server.ts";
import { OpenCalls } from "../../../src/mcp/open-calls.ts";

const ID = "0199aaaa-0000-7000-8000-000000000000";

/** Clients of one server whose crawls never end. */
async function crawlers(count: number) {
  const requests: string[] = [];
  const handle = createMcpHandler(() => ({}));
  const dispatch = async (request: Request): Promise<Response> => {
    requests.push(`${request.method} ${new URL(request.url).pathname}`);
    return Response.json({ success: true, id: ID, status: request.method === "DELETE" ? "cancelled" : "scraping" });
  };
  const clients = [];
  for (let number = 0; number < count; number++) {
    const transport = new StreamableHTTPClientTransport(new URL("https://api.example/mcp?tools=firecrawl"), {
      fetch: async (url, init) => await handle(new Request(String(url), init), dispatch),
    });
    const client = new Client({ name: "test", version: "1" });
    onTestFinished(() => client.close());
    // The SDK's transport declares optional fields in a way that exact optional types refuse.
    await client.connect(transport as Parameters<Client["connect"]>[0]);
    clients.push(client);
  }
  return { clients, requests };
}

test("a client that cancels a waiting call cancels its job, and no call of another client", async () => {
  const { clients, requests } = await crawlers(2);
  const controllers = clients.map(() => new AbortController());
  const messages: string[] = [];
  const calls = clients.map((client, place) =>
    client
      .callTool({ name: "firecrawl_crawl", arguments: { url: "https://a.example/" } }, undefined, {
        signal: controllers[place]?.signal ?? new AbortController().signal,
        onprogress: ({ message }) => void messages.push(message ?? ""),
      })
      .catch((error: unknown) => String(error)),
  );
  await expect.poll(() => messages).toEqual([`Job ${ID} has started`, `Job ${ID} has started`]);
  controllers[0]?.abort("Enough");
  expect(await calls[0]).toContain("Enough");
  await expect.poll(() => requests, { timeout: 5000 }).toContain(`DELETE /v2/crawl/${ID}`);
  const polls = requests.length;
  await expect.poll(() => requests.length, { timeout: 5000 }).toBeGreaterThan(polls + 1);
  expect(requests.filter((request) => request.startsWith("DELETE"))).toHaveLength(1);
  controllers[1]?.abort();
  await calls[1];
  await expect
    .poll(() => requests.filter((request) => request.startsWith("DELETE")), { timeout: 5000 })
    .toHaveLength(2);
});

test("only the call of the same session and request is cancelled, and an ended one is forgotten", () => {
  const calls = new OpenCalls();
  const [mine, other, text] = [calls.open("a", 1), calls.open("b", 1), calls.open("a", "1")];
  calls.cancel("a", 1);
  expect([mine, other, text].map((call) => call.isCancelled())).toEqual([true, false, false]);
  mine.close();
  expect(mine.isCancelled()).toBe(false);
  const unnamed = calls.open(null, 1);
  calls.cancel(null, 1);
  expect(unnamed.isCancelled()).toBe(false);
});

test("an unknown set of tools is refused with the known ones", async () => {
  const handle = createMcpHandler(() => ({}));
  const response = await handle(new Request("https://api.example/mcp?tools=all", { method: "POST" }), async () =>
    Response.json({}),
  );
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining("firecrawl-search") } });
});
