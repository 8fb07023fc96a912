import { expect, test } from "vitest";
import { Meter } from "../../../../src/core/account/meter.ts";
import { meteredDatabase } from "../../../../src/platform/metering/metered-database.ts";
import { WatchedDatabase } from "../../../../src/platform/metering/watched-database.ts";
import type { WebhookExchange } from "../../../../src/ports/storage/webhook-deliveries.ts";
import { createWebhookDeliveryStore } from "../../../../src/storage/webhooks/webhook-deliveries.ts";
import { nodeD1 } from "../../../fakes/memory/node-d1.ts";

const LATER_MS = 9_000_000_000_000;

const delivery = (id: string, kind: WebhookExchange["kind"]): WebhookExchange => ({
  id,
  teamId: "team",
  webhookId: id,
  jobId: undefined,
  type: "crawl.page",
  url: "https://hooks.example/in",
  attempt: 1,
  kind,
  statusCode: 200,
  error: undefined,
  durationMs: 5,
  sentAtMs: 1,
  expiresAtMs: LATER_MS,
  isBodyComplete: true,
  target: { url: "https://hooks.example/in", headers: { authorization: "secret" } },
  requestHeaders: { "content-type": "application/json" },
  requestBody: "x".repeat(20_000),
  response: { contentType: "text/plain", body: "ok" },
});

test("a database learns its size from its answers, and above 80 % bodies of delivered webhooks are left out", async () => {
  const room = new WatchedDatabase(1_000_000);
  const db = meteredDatabase(nodeD1({ maxBytes: 1_000_000 }), new Meter(), room);
  const store = createWebhookDeliveryStore(db, room);
  expect([room.usedShare, room.isNearlyFull, room.warning]).toEqual([0, false, undefined]);
  await store.insert("team", [delivery("a", "delivered")]);
  expect(room.usedShare).toBeGreaterThan(0.01);
  expect((await store.find("team", "a", 0))?.requestBody).toHaveLength(20_000);
  let rows = 0;
  while (!room.isNearlyFull && rows < 100) await store.insert("team", [delivery(`row ${rows++}`, "failed")]);
  expect(room.warning).toContain("of its 0.001 GB");
  const before = room.usedShare;
  for (let number = 0; number < 50; number++) await store.insert("team", [delivery(`late ${number}`, "delivered")]);
  // A megabyte of bodies would have been too much.
  expect(room.usedShare - before).toBeLessThan(0.1);
  const late = await store.find("team", "late 49", 0);
  expect(late).toMatchObject({ isBodyComplete: false, requestBody: "", requestHeaders: {}, target: { headers: {} } });
  expect(late?.response).toBeUndefined();
  await store.insert("team", [delivery("failed", "failed")]);
  expect((await store.find("team", "failed", 0))?.requestBody).toHaveLength(20_000);
});
