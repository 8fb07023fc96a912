import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { createHmac } from "node:crypto";
import { v7 as uuidv7 } from "uuid";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { buildDeps, layFoundation } from "../../../src/compose.ts";
import { createApp } from "../../../src/http/app.ts";
import { replayDelivery } from "../../../src/services/webhooks/webhook-deliveries.ts";
import { MAX_DELIVERIES } from "../../../src/storage/webhooks/webhook-deliveries.ts";
import { ADMIN_KEY, API_KEY as KEY } from "../keys.ts";

const MINUTE_MS = 60_000;
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
  return async (path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await app.request(`http://service.example${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
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

interface Listed {
  data: { id: string; webhookId: string; outcome: string; attempt: number; statusCode: number; canReplay: boolean }[];
  next?: string;
}

test("every attempt is listed with its request and response, and is replayed once for each idempotency key", async () => {
  const own = appFor(KEY);
  // Earlier tests have sent events of the same team to the same endpoint.
  const counts = async (): Promise<[deliveries: number, failed: number]> => {
    const { body } = await own("/v2/team/webhooks/endpoints");
    const { data } = body as unknown as { data: { url: string; deliveries: number; failed: number }[] };
    const found = data.find(({ url }) => url === "https://hooks.example/in/…");
    return [found?.deliveries ?? 0, found?.failed ?? 0];
  };
  const [earlierDeliveries, earlierFailed] = await counts();
  const { id, wake } = await jobWithEvent();
  await wake(0);
  answer = 200;
  await wake(MINUTE_MS);
  const list = async (query: string): Promise<Listed> =>
    (await own(`/v2/team/webhooks/deliveries?jobId=${id}${query}`)).body as unknown as Listed;
  const { data } = await list("");
  expect(data.map(({ outcome, attempt, statusCode }) => [outcome, attempt, statusCode])).toEqual([
    ["delivered", 2, 200],
    ["failed", 1, 500],
  ]);
  expect((await list("&outcome=failed")).data.map(({ attempt }) => attempt)).toEqual([1]);
  const [first] = (await list("&limit=1")).data;
  expect(first?.id).toBe(data[0]?.id);
  const { next = "" } = await list("&limit=1");
  const rest = (await own(next.slice("http://service.example".length))).body as unknown as Listed;
  expect(rest.data.map(({ attempt }) => attempt)).toEqual([1]);
  expect(rest.next).toBeUndefined();

  const shown = await own(`/v2/team/webhooks/deliveries/${first?.id}`);
  const exchange = (shown.body as unknown as { data: { request: { headers: Record<string, string>; body: string } } })
    .data;
  expect(exchange.request.body).toBe(deliveries[1]?.raw);
  expect(exchange.request.headers["x-firecrawl-signature"]).toBe(deliveries[1]?.signature);
  expect(JSON.stringify(shown.body), "secret parts of the URL are not returned").not.toContain("hush");

  const idempotencyKey = crypto.randomUUID();
  const replay = (): Promise<{ status: number; body: Record<string, never> }> =>
    own(`/v2/team/webhooks/deliveries/${first?.id}/replay`, {}, { "x-idempotency-key": idempotencyKey });
  const [one, other] = [await replay(), await replay()];
  expect(one).toMatchObject({ status: 200, body: { data: { outcome: "delivered", attempt: 3, jobId: id } } });
  expect(other.body).toEqual(one.body);
  expect(deliveries.map(({ raw }) => raw)).toEqual([deliveries[0]?.raw, deliveries[0]?.raw, deliveries[0]?.raw]);
  expect(await counts()).toEqual([earlierDeliveries + 3, earlierFailed + 1]);

  const made = await appFor(ADMIN_KEY)("/v2/team/keys", { name: "a third team's", teamId: crypto.randomUUID() });
  const foreign = appFor((made.body as unknown as { data: { key: string } }).data.key);
  expect((await foreign("/v2/team/webhooks/deliveries")).body).toEqual({ success: true, data: [] });
  expect((await foreign("/v2/team/webhooks/endpoints")).body).toEqual({ success: true, data: [] });
  expect((await foreign(`/v2/team/webhooks/deliveries/${first?.id}`)).status).toBe(404);
  expect((await foreign(`/v2/team/webhooks/deliveries/${first?.id}/replay`, {})).status).toBe(404);
});

test("a test event is signed, and its delivery is returned and listed", async () => {
  answer = 503;
  const own = appFor(KEY);
  const body = {
    url: "https://hooks.example/test",
    headers: { Authorization: "Bearer hush" },
    metadata: { shop: "north" },
  };
  const sent = await own("/v2/team/webhooks/test", body);
  expect(sent).toMatchObject({
    status: 200,
    body: {
      data: {
        type: "webhook.test",
        jobId: null,
        outcome: "failed",
        statusCode: 503,
        canReplay: true,
        request: { headers: { authorization: "(hidden)", "x-firecrawl-signature": deliveries[0]?.signature } },
      },
    },
  });
  expect(
    createHmac("sha256", SECRET)
      .update(deliveries[0]?.raw ?? "")
      .digest("hex"),
  ).toBe(deliveries[0]?.signature?.slice("sha256=".length));
  expect(JSON.parse(deliveries[0]?.raw ?? "")).toMatchObject({ metadata: { shop: "north" } });
  expect(JSON.stringify(sent.body)).not.toContain("hush");
  expect((await own("/v2/team/webhooks/test", { url: "http://10.0.0.8/" })).status).toBe(400);
  expect((await own("/v2/team/webhooks/test", { url: `http://a.example/${"x".repeat(17_000)}` })).status).toBe(400);
  const forged = { ...body, headers: { "Webhook-Signature": "v1,forged" } };
  expect((await own("/v2/team/webhooks/test", forged)).status).toBe(400);
});

test("a team's oldest deliveries make place for new ones, expired ones are purged, and a long body is not replayed", async () => {
  const deps = buildDeps(
    layFoundation({ ...env, API_KEY: KEY } as never),
    { url: "http://service.example/" },
    () => {},
  );
  const teamId = crypto.randomUUID();
  const at = (ms: number, change: object = {}) => ({
    id: uuidv7({ msecs: nowMs + ms }),
    teamId,
    webhookId: crypto.randomUUID(),
    jobId: undefined,
    type: "crawl.page",
    url: "https://hooks.example/",
    target: { url: "https://hooks.example/", headers: {} },
    attempt: 1,
    kind: "delivered" as const,
    statusCode: 200,
    error: undefined,
    durationMs: 1,
    sentAtMs: nowMs + ms,
    expiresAtMs: nowMs + 10_000,
    requestHeaders: {},
    requestBody: "{}",
    isBodyComplete: true,
    response: undefined,
    ...change,
  });
  const all = { before: undefined, nowMs, outcome: undefined, jobId: undefined, url: undefined };
  for (let page = 0; page < MAX_DELIVERIES / 50; page++)
    await deps.webhookDeliveries.insert(
      teamId,
      Array.from({ length: 50 }, (_, place) => at(page * 50 + place)),
    );
  const newest = [at(5_000), at(5_001, { isBodyComplete: false, expiresAtMs: nowMs + 60_000 })];
  await deps.webhookDeliveries.insert(teamId, newest);
  const listed = await deps.webhookDeliveries.list(teamId, { ...all, limit: 2_000 });
  expect(listed).toHaveLength(MAX_DELIVERIES);
  expect(listed.slice(0, 2).map(({ id }) => id)).toEqual(newest.map(({ id }) => id).toReversed());
  const caller = { key: { ...(await deps.keys.listAll())[0], teamId } } as never;
  await expect(replayDelivery(deps, caller, newest[1]?.id ?? "")).rejects.toMatchObject({ code: "BAD_REQUEST" });
  while ((await deps.webhookDeliveries.purge(nowMs + 20_000, 500)) > 0);
  const left = await deps.webhookDeliveries.list(teamId, { ...all, limit: 2_000 });
  expect(left.map(({ id }) => id)).toEqual([newest[1]?.id]);
});
