import { expect, test } from "vitest";
import type { Caller } from "../../../../src/services/deps.ts";
import { replayWebhook } from "../../../../src/services/webhooks/failed-webhooks.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

test("an event is replayed when only its entry in the list cannot be removed", async () => {
  const webhook = { jobId: "job", type: "crawl.page", failedAtMs: 0, expiresAtMs: 1e15 };
  const remove = async () => {
    throw new Error("The database does not answer");
  };
  const events: string[] = [];
  const deps = testDeps({
    failedWebhooks: { find: async () => webhook, remove } as never,
    frontiers: { replayEvents: async () => ["event"] } as never,
    log: ({ event }: { event: string }) => void events.push(event),
  });
  await replayWebhook(deps, { key: { teamId: "team" } } as Caller, "event");
  expect(events).toEqual(["failed_webhooks_not_removed"]);
});
