import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { expect, onTestFinished, test, vi } from "vitest";
import { createMcpHandler } from "../../../src/mcp/server.ts";
import { OpenCalls } from "../../../src/mcp/open-calls.ts";
import { SharedCalls } from "../../../src/mcp/shared-calls.ts";
import { createWaitingCalls } from "../../../src/storage/jobs/waiting-calls.ts";
import { nodeD1 } from "../../fakes/memory/node-d1.ts";

const ID = "0199aaaa-0000-7000-8000-000000000000";

const sharedCalls = () =>
  new SharedCalls({ waitingCalls: createWaitingCalls(nodeD1()), clock: { now: () => Date.now() } }, "team");

/**
 * Clients of one service whose crawls never end, or with an instance for each request, end only when they are cancelled.
 */
async function crawlers(count: number, { isSpread = false } = {}) {
  const requests: string[] = [];
  const shared = sharedCalls();
  const newInstance = () => createMcpHandler(() => ({}));
  const instance = newInstance();
  let isCancelled = false;
  const dispatch = async (request: Request): Promise<Response> => {
    requests.push(`${request.method} ${new URL(request.url).pathname}`);
    isCancelled ||= request.method === "DELETE";
    return Response.json({ success: true, id: ID, status: isCancelled && isSpread ? "cancelled" : "scraping" });
  };
  const clients = [];
  const transports = [];
  for (let number = 0; number < count; number++) {
    const transport = new StreamableHTTPClientTransport(new URL("https://api.example/mcp?tools=firecrawl"), {
      fetch: async (url, init) => {
        const handle = isSpread ? newInstance() : instance;
        return await handle(new Request(String(url), init), dispatch, { shared, keyId: "key" });
      },
    });
    const client = new Client({ name: "test", version: "1" });
    onTestFinished(() => client.close());
    // The SDK's transport declares optional fields in a way that exact optional types refuse.
    await client.connect(transport as Parameters<Client["connect"]>[0]);
    clients.push(client);
    transports.push(transport);
  }
  return { clients, transports, requests, instance, dispatch };
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

test("calls of one request that wait for jobs poll once a second together, and each of them does", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { instance, requests, dispatch } = await crawlers(0);
  const CALLS = 3;
  const messages = Array.from({ length: CALLS }, (_, id) => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name: "firecrawl_crawl", arguments: { url: "https://a.example/" } },
  }));
  const headers = { accept: "application/json, text/event-stream", "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify(messages) };
  const response = await instance(new Request("https://api.example/mcp?tools=firecrawl", init), dispatch, {
    shared: sharedCalls(),
    keyId: "key",
  });
  await vi.advanceTimersByTimeAsync(60_000);
  const polls = requests.filter((request) => request.startsWith("GET"));
  expect(polls.length).toBeGreaterThanOrEqual(50);
  expect(polls.length).toBeLessThanOrEqual(60);
  await vi.advanceTimersByTimeAsync(540_000);
  expect((await response.text()).match(/"result"/g)).toHaveLength(CALLS);
});

/** Begins a crawl that is waited for, and returns once its client knows the job. */
async function waitingCrawl(client: Client | undefined) {
  const controller = new AbortController();
  const messages: string[] = [];
  const call = client?.callTool({ name: "firecrawl_crawl", arguments: { url: "https://a.example/" } }, undefined, {
    signal: controller.signal,
    onprogress: ({ message }) => void messages.push(message ?? ""),
  });
  const ended = call?.then(
    () => "answered",
    (error: unknown) => String(error),
  );
  await expect.poll(() => messages).toEqual([`Job ${ID} has started`]);
  return { controller, ended };
}

const deletions = (requests: string[]): string[] => requests.filter((request) => request.startsWith("DELETE"));

test("another key cancels no call of a session whose id it knows", async () => {
  const { clients, transports, requests, instance, dispatch } = await crawlers(1);
  const { controller, ended } = await waitingCrawl(clients[0]);
  for (let requestId = 0; requestId < 5; requestId++) {
    const message = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } };
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-session-id": transports[0]?.sessionId ?? "",
    };
    const request = new Request("https://api.example/mcp?tools=firecrawl", {
      method: "POST",
      headers,
      body: JSON.stringify(message),
    });
    await instance(request, dispatch, { shared: sharedCalls(), keyId: "another" });
  }
  const polls = requests.length;
  await expect.poll(() => requests.length, { timeout: 5000 }).toBeGreaterThan(polls + 1);
  expect(deletions(requests)).toEqual([]);
  controller.abort();
  await ended;
});

test("a cancellation that reaches another instance cancels the job at once", async () => {
  const { clients, requests } = await crawlers(1, { isSpread: true });
  const { controller, ended } = await waitingCrawl(clients[0]);
  controller.abort("Enough");
  expect(await ended).toContain("Enough");
  await expect.poll(() => deletions(requests), { timeout: 5000 }).toEqual([`DELETE /v2/crawl/${ID}`]);
});

test("the end of a session cancels the jobs that its calls wait for, and a nameless one is refused", async () => {
  const { clients, transports, requests } = await crawlers(2, { isSpread: true });
  const { ended } = await waitingCrawl(clients[0]);
  await transports[1]?.terminateSession();
  expect(deletions(requests)).toEqual([]);
  await transports[0]?.terminateSession();
  expect(deletions(requests)).toEqual([`DELETE /v2/crawl/${ID}`]);
  expect(await ended).toBe("answered");
  const handle = createMcpHandler(() => ({}));
  const nameless = new Request("https://api.example/mcp", { method: "DELETE" });
  expect((await handle(nameless, async () => Response.json({}), { shared: sharedCalls(), keyId: "key" })).status).toBe(
    400,
  );
});

test("a call that is cancelled before its job starts cancels it then, and a store that fails stops no call", async () => {
  const shared = sharedCalls();
  const asked: string[] = [];
  const caller = {
    call: async (method: string, path: string) => {
      asked.push(`${method} ${path}`);
      return { isSuccess: true, body: { success: true } };
    },
  };
  await shared.cancel(caller, "session", 7);
  expect(asked).toEqual([]);
  expect(await shared.recordOf("session", 7).started(`/v2/crawl/${ID}`)).toBe(true);
  expect(await shared.recordOf("session", "7").started(`/v2/crawl/${ID}`)).toBe(false);
  const broken = new SharedCalls({ waitingCalls: createWaitingCalls({} as D1Database), clock: { now: () => 0 } }, "t");
  expect(await broken.recordOf("session", 7).started(`/v2/crawl/${ID}`)).toBe(false);
  await broken.recordOf("session", 7).ended();
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
  const request = new Request("https://api.example/mcp?tools=all", { method: "POST" });
  const response = await handle(request, async () => Response.json({}), { shared: sharedCalls(), keyId: "key" });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining("firecrawl-search") } });
});

test("a call of a long id is remembered by its beginning", () => {
  const calls = new OpenCalls();
  const call = calls.open("s", `${"x".repeat(1_000)}1`);
  expect(calls.cancel("s", `${"x".repeat(300)}2`)).toBe(true);
  expect(call.isCancelled()).toBe(true);
});
