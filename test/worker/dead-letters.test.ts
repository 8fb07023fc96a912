import { createExecutionContext, createMessageBatch, getQueueResult } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { Meter } from "../../src/core/meter.ts";
import { createDeadLetterStore } from "../../src/storage/dead-letters.ts";
import worker from "../../src/worker.ts";

const store = () => createDeadLetterStore(env.DB, new Meter());

/** Hands messages over as the platform does. The cast: the test's bindings are the Worker's. */
async function arrive(queue: string, bodies: unknown[]) {
  const messages = bodies.map((body, index) => ({ id: `letter-${index}`, timestamp: new Date(), attempts: 1, body }));
  const batch = createMessageBatch(queue, messages);
  const context = createExecutionContext();
  await worker.queue(batch, env as never, context);
  return await getQueueResult(batch, context);
}

test("messages that were given up are counted once, whatever they hold, and are not tried again", async () => {
  const bodies = [{ type: "job_turn", jobId: "job" }, "no task at all", { type: 7 }];
  for (let times = 0; times < 2; times++) {
    const { outcome, retryMessages } = await arrive("orbweaver-dead-letters", bodies);
    expect({ outcome, retryMessages }).toMatchObject({ outcome: "ok", retryMessages: [] });
    expect(await store().count()).toBe(3);
  }
});

test("letters are forgotten when they are old", async () => {
  await store().insert([{ id: "old", type: "purge_expired", arrivedAtMs: 1 }]);
  const before = await store().count();
  expect(await store().purge(2, 100)).toBe(1);
  expect(await store().count()).toBe(before - 1);
});

test("a message of the service's own that cannot be read is tried again", async () => {
  const { retryMessages } = await arrive("orbweaver-tasks", [{ type: "unheard of" }]);
  expect(retryMessages).toHaveLength(1);
});
