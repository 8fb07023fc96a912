import { expect, test } from "vitest";
import type { Task } from "../../../../src/core/jobs/task.ts";
import { purgeExpired } from "../../../../src/services/upkeep/purge-expired.ts";
import { memoryFeedback } from "../../../fakes/memory/memory-feedback.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

const DAY_MS = 86_400_000;

/** Gives feedback on two searches, of which one is a second older than the age. @returns whether each is kept. */
async function purgeFeedback(ageMs: number, resultRetentionMs: number): Promise<boolean[]> {
  const feedback = memoryFeedback();
  const cap = { credits: 100, items: 100, bytes: 1_000, sinceMs: 0 };
  const deps = testDeps({ feedback, settings: { resultRetentionMs } });
  const given = [ageMs + 1_000, ageMs].map((age, at) => ({
    id: `${at}`, jobId: `${at}`, teamId: "t", keyId: "k", endpoint: "search", rating: "good", bodyJson: "{}",
    creditsRefunded: 1, createdAtMs: deps.clock.now() - age,
  })); // prettier-ignore
  for (const one of given) await feedback.add(one, cap);
  await purgeExpired(deps, "feedback");
  return await Promise.all(given.map(async (one) => (await feedback.add({ ...one, id: "new" }, cap))?.isNew === false));
}

test("feedback is kept for 90 days, and as long as feedback on the same search may come", async () => {
  expect(await purgeFeedback(90 * DAY_MS, DAY_MS)).toEqual([false, true]);
  expect(await purgeFeedback(107 * DAY_MS, 100 * DAY_MS)).toEqual([false, true]);
});

test("each kind of data is purged by a message of its own", async () => {
  const sent: Task[] = [];
  const tasks = {
    send: async (task: Task) => void sent.push(task),
    sendAll: async (all: Task[]) => void sent.push(...all),
  };
  await purgeExpired(testDeps({ tasks: tasks as never }));
  expect(sent).toContainEqual({ type: "purge_expired", part: "feedback" });
});
