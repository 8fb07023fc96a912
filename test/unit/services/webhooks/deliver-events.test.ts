import { expect, test } from "vitest";
import type { EventContent, OutboxEntry } from "../../../../src/ports/crawl/frontier.ts";
import type { Deps } from "../../../../src/services/deps.ts";
import { deliverEvents } from "../../../../src/services/webhooks/deliver-events.ts";
import { memoryBlobs } from "../../../fakes/memory/memory-blobs.ts";
import { scriptedHttp } from "../../../fakes/upstream/scripted-http.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

const URL = "https://hook.example/";
const OBJECT = "results/2026-01-01/job/event";
const TEXT = '{"answer":4}';
const document = { object: OBJECT, offset: 0, length: TEXT.length };
const GONE = "The data of this event are no longer stored";

test.each<{ why: string; content: EventContent; isStored: boolean; body: object }>([
  { why: "a document", content: { document }, isStored: true, body: { success: true, data: [{ answer: 4 }] } },
  {
    why: "a deleted document",
    content: { document },
    isStored: false,
    body: { success: false, error: GONE, data: [] },
  },
  {
    why: "a failure whose document is deleted",
    content: { document, error: "The page is away" },
    isStored: false,
    body: { success: false, error: "The page is away", data: [] },
  },
  { why: "no data", content: {}, isStored: false, body: { success: true, data: [] } },
])("an event with $why has its data, or the error that they are deleted", async ({ content, isStored, body }) => {
  const http = scriptedHttp({ [URL]: "" });
  const blobs = memoryBlobs();
  const lists = {
    webhookDeliveries: { insert: async () => undefined },
    failedWebhooks: { insert: async () => undefined, remove: async () => undefined },
  };
  const deps = { ...testDeps({ http, blobs, settings: { webhookSecret: "secret" } }), ...lists } as unknown as Deps;
  if (isStored) await blobs.put(OBJECT, TEXT, { contentType: "application/json" });
  const entry: OutboxEntry = { entryId: 1, webhookId: "id", event: "completed", content, attempts: 1 };
  const waiting = [[entry]];
  const outbox = { takeEvents: async () => waiting.shift() ?? [], noteSent: async () => undefined };
  const webhook = { url: URL, headers: {}, metadata: {}, events: [] };
  const job = { id: "job", kind: "agent", key: { teamId: "team" }, createdAtMs: deps.clock.now(), webhook } as const;
  await deliverEvents(deps, outbox, job);
  const sent = await Promise.all(
    http.seen.map(async ({ body: text }) => JSON.parse(await new Response(text as BodyInit).text()) as object),
  );
  expect(sent).toEqual([{ type: "agent.completed", id: "job", webhookId: "id", metadata: {}, ...body }]);
});
