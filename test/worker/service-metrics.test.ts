import { createMessageBatch, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { buildDeps, layFoundation } from "../../src/compose.ts";
import { createApp } from "../../src/http/app.ts";
import { ANALYTICS_LIMIT, MetricBuffer } from "../../src/platform/metrics/metric-buffer.ts";
import { addCount } from "../../src/core/metrics/metrics.ts";
import worker from "../../src/worker.ts";
import { edgeFetch } from "../platform/edge-fetch.ts";
import { ADMIN_KEY, API_KEY } from "./keys.ts";

const KEYS = { API_KEY, ADMIN_KEY };
const PAGE = `<html><title>Page</title><main><h1>Page</h1><p>${"A sentence of the page that is read. ".repeat(20)}</p></main></html>`;

const platformFetch = globalThis.fetch;
afterEach(() => {
  globalThis.fetch = platformFetch;
});

/** The service with sites as the edge shows them, and the points that it writes. */
function service() {
  globalThis.fetch = edgeFetch({
    "site.example": () => new Response(PAGE, { headers: { "content-type": "text/html" } }),
    "tls.example": "certificate",
  });
  const points: AnalyticsEngineDataPoint[] = [];
  const ANALYTICS = { writeDataPoint: (point: AnalyticsEngineDataPoint) => void points.push(point) };
  const settings = { ...KEYS, ANALYTICS_POINTS: "true", ANALYTICS, BROWSER: undefined };
  const foundation = layFoundation({ ...env, ...settings } as never);
  const deferred: Promise<unknown>[] = [];
  const app = createApp((request) => buildDeps(foundation, request, (work) => void deferred.push(work)));
  const call = async (path: string, { key, ...init }: RequestInit & { key: string }) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const pointsBefore = points.length;
    const response = await app.request(`http://service.example${path}`, { ...init, headers });
    const text = await response.text();
    await Promise.all(deferred.splice(0));
    // Each request is one invocation, which may send so many.
    expect(points.length - pointsBefore).toBeLessThanOrEqual(ANALYTICS_LIMIT);
    return { status: response.status, type: response.headers.get("content-type"), text };
  };
  const scrape = (url: string) =>
    call("/v2/scrape", { method: "POST", key: KEYS.API_KEY, body: JSON.stringify({ url, maxAge: 0 }) });
  return { call, scrape, points };
}

test("an operator sees engines, edge errors, waits and stages in the metrics, and the key must be an admin's", async () => {
  const { call, scrape, points } = service();
  // Other tests of this runtime count in the same object.
  const before = (await call("/metrics", { key: KEYS.ADMIN_KEY })).text;
  await scrape("https://site.example/");
  await scrape("https://tls.example/");
  expect((await call("/metrics", { key: KEYS.API_KEY })).status).toBe(403);
  const { status, type, text } = await call("/metrics", { key: KEYS.ADMIN_KEY });
  expect({ status, type }).toEqual({ status: 200, type: "text/plain; version=0.0.4; charset=utf-8" });
  const added = (name: string): number => valueIn(text, name) - valueIn(before, name);
  expect(added('orbweaver_loads_total{engine="fetch",outcome="loaded",status="2xx"}')).toBe(1);
  expect(added('orbweaver_load_failures_total{engine="fetch",code="SCRAPE_SSL_ERROR"}')).toBe(1);
  expect([1, 2]).toContain(added('orbweaver_edge_errors_total{number="526"}'));
  expect(added("orbweaver_slot_wait_seconds_count")).toBeGreaterThanOrEqual(2);
  expect(added('orbweaver_stage_seconds_count{stage="derive"}')).toBe(1);
  expect(added('orbweaver_requests_total{endpoint="scrape",status="2xx"}')).toBe(1);
  expect(text).toMatch(/orbweaver_database_bytes \d+\n/);
  expect(points).toContainEqual({
    indexes: ["loads_total"],
    blobs: ["loads_total", '{engine="fetch",outcome="loaded",status="2xx"}'],
    doubles: [1, 0],
  });
});

/** Returns the value of a metric in Prometheus' text format; 0 when it is not there. */
function valueIn(text: string, name: string): number {
  const line = text.split("\n").find((one) => one.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1) ?? 0);
}

test("counts of several isolates add up, and survive the end of the object", async () => {
  const stub = env.SERVICE_METRICS.getByName(crypto.randomUUID());
  await stub.add({ 'edge_errors_total{number="522"}': 1 });
  await stub.add({ 'edge_errors_total{number="522"}': 2 });
  expect(await stub.samples()).toEqual({ 'edge_errors_total{number="522"}': 3 });
  const stored = () =>
    runInDurableObject(stub, (_, { storage }) => storage.sql.exec("SELECT samples FROM metrics").toArray());
  await vi.waitFor(async () => expect(await stored()).toHaveLength(1), { timeout: 10_000, interval: 250 });
  await evictDurableObject(stub);
  expect(await stub.samples()).toEqual({ 'edge_errors_total{number="522"}': 3 });
});

test("counts that cannot be sent are sent with the next ones, and one invocation sends for all", async () => {
  const buffer = new MetricBuffer();
  const received: object[] = [];
  let isDown = true;
  const add = async (samples: object) => {
    if (isDown) throw new Error("overloaded");
    received.push(samples);
  };
  const targets = { SERVICE_METRICS: { getByName: () => ({ add }) } } as never;
  const extended: Promise<unknown>[] = [];
  const extend = (work: Promise<unknown>) => void extended.push(work);
  buffer.collect(targets, (samples) => addCount(samples, "points_dropped_total", {}, 3), extend);
  buffer.collect(targets, (samples) => addCount(samples, "points_dropped_total", {}, 4), extend);
  expect(extended).toHaveLength(1);
  await buffer.send(targets);
  expect(received).toEqual([]);
  isDown = false;
  await extended[0];
  expect(received).toEqual([{ points_dropped_total: 7 }]);
});

test("a batch of messages sends its counts when it has ended, and does not wait for a timer to be acknowledged", async () => {
  const extended: Promise<unknown>[] = [];
  // The queue uses `waitUntil` alone.
  const context = { waitUntil: (work: Promise<unknown>) => void extended.push(work) } as unknown as ExecutionContext;
  const message = { id: "message", timestamp: new Date(), attempts: 1, body: { type: "unknown" } };
  const queue = `queue-${crypto.randomUUID()}`;
  await worker.queue(createMessageBatch(queue, [message]), { ...env, ...KEYS } as never, context);
  expect(extended).toEqual([]);
  const samples = Object.keys(await env.SERVICE_METRICS.getByName("metrics").samples());
  expect(samples.filter((sample) => sample.includes(queue))).not.toEqual([]);
});
