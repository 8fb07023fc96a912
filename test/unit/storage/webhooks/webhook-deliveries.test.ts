import { expect, test } from "vitest";
import { Meter } from "../../../../src/core/account/meter.ts";
import { meteredDatabase } from "../../../../src/platform/metering/metered-database.ts";
import type { WebhookExchange } from "../../../../src/ports/storage/webhook-deliveries.ts";
import { createFailedWebhookStore } from "../../../../src/storage/webhooks/failed-webhooks.ts";
import { createWebhookDeliveryStore } from "../../../../src/storage/webhooks/webhook-deliveries.ts";
import { nodeD1 } from "../../../fakes/memory/node-d1.ts";

const LATER_MS = 9_000_000_000_000;

function delivery(at: number, requestBody: string): WebhookExchange {
  return {
    id: `delivery ${at}`,
    teamId: "team",
    webhookId: `event ${at}`,
    jobId: at % 2 === 0 ? undefined : "job",
    type: "crawl.page",
    url: "https://hooks.example/in",
    attempt: 1,
    kind: at % 2 === 0 ? "delivered" : "failed",
    statusCode: at % 2 === 0 ? 200 : undefined,
    error: at % 2 === 0 ? undefined : "No answer",
    durationMs: 5,
    sentAtMs: 1_700_000_000_000 + at,
    expiresAtMs: LATER_MS,
    isBodyComplete: true,
    target: { url: "https://hooks.example/in", headers: { authorization: "secret" } },
    requestHeaders: { "content-type": "application/json" },
    requestBody,
    response: at % 2 === 0 ? { contentType: undefined, body: 'a "\0" and \u{1f600}' } : undefined,
  };
}

test.each([
  ["short bodies", "x", 2],
  ["the longest bodies, of quotes", '"'.repeat(32_000), 3],
])("a group of deliveries with %s is stored in few queries, and read as it was", async (_what, body, queries) => {
  const meter = new Meter();
  const store = createWebhookDeliveryStore(meteredDatabase(nodeD1(), meter));
  const group = Array.from({ length: 20 }, (_, at) => delivery(at, body));
  await store.insert("team", group);
  expect(meter.queries).toBe(queries);
  for (const sent of group) expect(await store.find("team", sent.id, 0)).toEqual(sent);
  await store.insert("team", [{ ...delivery(3, "another"), attempt: 9 }]);
  expect((await store.find("team", "delivery 3", 0))?.attempt).toBe(1);
});

test("events that are given up together are stored in one query", async () => {
  const meter = new Meter();
  const store = createFailedWebhookStore(meteredDatabase(nodeD1(), meter));
  const lost = Array.from({ length: 20 }, (_, at) => ({
    webhookId: `event ${at}`,
    teamId: "team",
    jobId: "job",
    type: "crawl.page",
    url: "https://hooks.example/in",
    attempts: 4,
    statusCode: at % 2 === 0 ? undefined : 500,
    error: "No answer",
    failedAtMs: 1_700_000_000_000,
    expiresAtMs: LATER_MS,
  }));
  await store.insert(lost);
  expect(meter.queries).toBe(1);
  await store.insert([]);
  for (const webhook of lost) expect(await store.find("team", webhook.webhookId)).toEqual(webhook);
});

test("the bodies of a job's deliveries are emptied, and those of others stay", async () => {
  const store = createWebhookDeliveryStore(nodeD1());
  await store.insert("team", [delivery(1, "hush"), delivery(2, "kept")]);
  await store.emptyBodies("other", "job");
  expect((await store.find("team", "delivery 1", 0))?.requestBody).toBe("hush");
  await store.emptyBodies("team", "job");
  expect(await store.find("team", "delivery 1", 0)).toMatchObject({
    isBodyComplete: false,
    target: { url: "https://hooks.example/in", headers: {} },
    requestHeaders: {},
    requestBody: "",
  });
  expect(await store.find("team", "delivery 2", 0)).toEqual(delivery(2, "kept"));
});
