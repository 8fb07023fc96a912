import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { createHmac } from "node:crypto";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { buildDeps, layFoundation } from "../../../src/compose.ts";
import { createApp } from "../../../src/http/app.ts";

const MINUTE_MS = 60_000;
const KEY = `fc-${"7".repeat(32)}`;
const ADMIN_KEY = `fc-${"8".repeat(32)}`;
const SECRET = "a secret of the worker tests";

interface Delivery {
  atMs: number;
  raw: string;
  signature: string | null;
  webhookId: string;
}

let nowMs: number;
let deliveries: Delivery[];
let answer: number;

beforeEach(() => {
  nowMs = Date.UTC(2026, 10, 21, 12);
  deliveries = [];
  answer = 500;
  vi.useFakeTimers({ toFake: ["Date"], now: nowMs });
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input as RequestInfo, init as RequestInit);
    if (new URL(request.url).hostname !== "hooks.example") {
      return Response.json({ Status: 0, Answer: [{ type: 1, TTL: 60, data: "93.184.215.14" }] });
    }
    const raw = await request.text();
    const { webhookId } = JSON.parse(raw) as { webhookId: string };
    deliveries.push({ atMs: Date.now(), raw, signature: request.headers.get("x-firecrawl-signature"), webhookId });
    return new Response(null, { status: answer });
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** The service as a team with this key sees it. */
function appFor(key: string) {
  const settings = { ...env, API_KEY: KEY, ADMIN_KEY } as never;
  const app = createApp((request) => buildDeps(layFoundation(settings), request, () => undefined));
  return async (path: string, body?: unknown) => {
    const response = await app.request(`http://service.example${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, never> };
  };
}

/** A job of the key's team that has one event to tell, and whose only page waits for somebody to scrape it. */
async function jobWithEvent(): Promise<{ id: string; wake: (afterMs: number) => Promise<void> }> {
  const own = appFor(KEY);
  const started = await own("/v2/batch/scrape", {
    urls: ["https://hooks.example/page"],
    webhook: { url: "https://hooks.example/in/T0123456789ABCDEFGH?token=hush", events: ["started"] },
  });
  const { id } = started.body as unknown as { id: string };
  const stub = env.CRAWL_FRONTIER.getByName(id);
  await stub.cancel();
  return {
    id,
    wake: async (afterMs) => {
      nowMs += afterMs;
      vi.setSystemTime(nowMs);
      const before = deliveries.length;
      await runDurableObjectAlarm(stub);
      // The run is not waited for by whoever asks for it.
      for (let tries = 0; tries < 40 && deliveries.length === before; tries++) await pause(25);
      await pause(100);
    },
  };
}

/** Real time: only the date is fixed. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

test("an event is tried again after 1, 5 and 15 minutes, always as the same and signed, then listed, and sent again on request", async () => {
  const { id, wake } = await jobWithEvent();
  await wake(0);
  expect(deliveries).toHaveLength(1);
  for (const minutes of [1, 5, 15]) {
    const before = deliveries.length;
    await wake(minutes * MINUTE_MS - 1_000);
    expect(deliveries, `nothing comes before ${minutes} minutes`).toHaveLength(before);
    await wake(1_000);
    expect(deliveries, `it comes after ${minutes} minutes`).toHaveLength(before + 1);
  }
  await wake(60 * MINUTE_MS);
  expect(deliveries, "then it is given up").toHaveLength(4);
  expect(new Set(deliveries.map(({ webhookId }) => webhookId)).size).toBe(1);
  for (const { raw, signature } of deliveries) {
    expect(signature).toBe(`sha256=${createHmac("sha256", SECRET).update(raw).digest("hex")}`);
  }

  const own = appFor(KEY);
  const webhookId = deliveries[0]?.webhookId ?? "";
  const { body } = await own("/v2/team/webhooks/failed");
  expect(body).toEqual({
    success: true,
    data: [
      {
        id: webhookId,
        jobId: id,
        type: "batch_scrape.started",
        url: "https://hooks.example/in/…",
        attempts: 4,
        statusCode: 500,
        error: "The receiver answered 500",
        failedAt: expect.any(String),
        expiresAt: expect.any(String),
      },
    ],
  });
  answer = 204;
  expect(await own(`/v2/team/webhooks/${webhookId}/replay`, {})).toMatchObject({ status: 200, body: { replayed: 1 } });
  await wake(0);
  expect(deliveries).toHaveLength(5);
  expect(deliveries[4]).toMatchObject({ webhookId });
  expect((await own("/v2/team/webhooks/failed")).body).toEqual({ success: true, data: [] });
  expect((await own(`/v2/team/webhooks/${webhookId}/replay`, {})).status).toBe(404);
});

test("another team neither sees nor replays it, and a job's events are replayed together", async () => {
  const { id, wake } = await jobWithEvent();
  for (const minutes of [0, 1, 5, 15]) await wake(minutes * MINUTE_MS);
  const made = await appFor(ADMIN_KEY)("/v2/team/keys", { name: "another team's", teamId: crypto.randomUUID() });
  const other = appFor((made.body as unknown as { data: { key: string } }).data.key);
  expect((await other("/v2/team/webhooks/failed")).body).toEqual({ success: true, data: [] });
  const webhookId = deliveries[0]?.webhookId ?? "";
  expect((await other(`/v2/team/webhooks/${webhookId}/replay`, {})).status).toBe(404);
  expect((await other("/v2/team/webhooks/replay", { jobId: id })).status).toBe(404);
  expect((await appFor(KEY)("/v2/team/webhooks/replay", { jobId: id })).body).toEqual({ success: true, replayed: 1 });
});

test("the list is read in pages that overlap nowhere", async () => {
  const deps = buildDeps(
    layFoundation({ ...env, API_KEY: KEY } as never),
    { url: "http://service.example/" },
    () => {},
  );
  const own = appFor(KEY);
  await own("/v2/team/webhooks/failed");
  const teamId = (await deps.keys.listAll())[0]?.teamId ?? "";
  const webhook = {
    teamId,
    jobId: crypto.randomUUID(),
    type: "crawl.page",
    url: "https://hooks.example/",
    attempts: 4,
    statusCode: undefined,
    error: "No answer",
    expiresAtMs: nowMs + 1_000,
  };
  const listed = Array.from({ length: 5 }, (_, place) => ({
    ...webhook,
    webhookId: crypto.randomUUID(),
    failedAtMs: nowMs - Math.floor(place / 2),
  }));
  await deps.failedWebhooks.insert(listed);
  await deps.failedWebhooks.insert([
    { ...webhook, webhookId: crypto.randomUUID(), failedAtMs: nowMs, expiresAtMs: nowMs },
  ]);
  const seen: string[] = [];
  let path: string | undefined = "/v2/team/webhooks/failed?limit=2";
  while (path !== undefined) {
    const { body } = await own(path);
    const page = body as unknown as { data: { id: string; jobId: string }[]; next?: string };
    seen.push(...page.data.filter(({ jobId }) => jobId === webhook.jobId).map(({ id }) => id));
    path = page.next?.slice("http://service.example".length);
  }
  expect(seen.toSorted()).toEqual(listed.map(({ webhookId }) => webhookId).toSorted());
});
