import { expect, test } from "vitest";
import type { Task } from "../../../../src/core/jobs/task.ts";
import { batchEntries } from "../../../../src/core/crawl/dispatch.ts";
import { askToForget, forgetTime, mayForget } from "../../../../src/platform/crawl/forget-in-object.ts";
import { Frontier } from "../../../../src/storage/crawl/frontier.ts";
import { nextEventMs, noteSent, takeDueEvents } from "../../../../src/storage/webhooks/outbox.ts";
import { nodeSql } from "../../../fakes/memory/node-sql.ts";

const CREATED = { createdAtMs: 7 };

/** A batch that was cancelled and closed, with one event to deliver. */
function closedJob() {
  const frontier = new Frontier(nodeSql());
  const config = { maxConcurrency: 8, delayMs: 0, hasSeed: false, failsWhenEmpty: false, events: ["started"], leaseMs: 12_000, expiresAtMs: 1e15 } as const; // prettier-ignore
  frontier.start(config, batchEntries(["https://a.example/"], 0), 0);
  expect(mayForget(frontier, CREATED)).toBe(false);
  frontier.cancel(0);
  frontier.close(0, { atMs: 1_000, ...CREATED });
  const sent: Task[] = [];
  const ask = (nowMs: number, send = async (task: Task) => void sent.push(task)) =>
    askToForget({ frontier, jobId: "job", send }, nowMs);
  const deliver = (kind: "delivered" | "failed", nowMs: number) => {
    const entries = takeDueEvents(frontier.sql, { limit: 9, nowMs, holdMs: 60_000 });
    noteSent(frontier.sql, entries.map((entry) => ({ ...entry, kind })), nowMs); // prettier-ignore
  };
  const dueMs = () => {
    const state = frontier.state();
    return state && forgetTime(state, nextEventMs(frontier.sql));
  };
  return { frontier, sent, ask, deliver, dueMs };
}

test("a job is deleted when its last event is delivered, and the deletion is asked for until it comes", async () => {
  const { frontier, sent, ask, deliver, dueMs } = closedJob();
  expect(dueMs()).toBeUndefined();
  await ask(2_000);
  expect(sent).toEqual([]);
  deliver("delivered", 2_000);
  expect(dueMs()).toBe(1_000);
  await ask(999);
  expect(sent).toEqual([]);
  await expect(ask(2_000, () => Promise.reject(new Error("No queue")))).rejects.toThrow("No queue");
  expect(dueMs()).toBe(1_000);
  await ask(2_000);
  expect(sent).toEqual([{ type: "forget_job", jobId: "job", ...CREATED, endedAtMs: 0 }]);
  await ask(301_999);
  await ask(302_000);
  expect(sent).toHaveLength(2);
  expect(mayForget(frontier, CREATED)).toBe(true);
});

test("a deletion that comes while events wait is noted, and is due when they are given up", () => {
  const { frontier, deliver, dueMs } = closedJob();
  frontier.close(0);
  expect(mayForget(frontier, CREATED)).toBe(false);
  expect(frontier.state()?.forgetting).toMatchObject(CREATED);
  for (const nowMs of [0, 60_000, 360_000]) {
    deliver("failed", nowMs);
    expect(dueMs()).toBeUndefined();
    expect(mayForget(frontier, { createdAtMs: undefined })).toBe(false);
  }
  deliver("failed", 1_260_000);
  expect(dueMs()).toBeDefined();
  expect(mayForget(frontier, CREATED)).toBe(true);
});

test("a job that runs again, one that is retained and one that does not exist", () => {
  const { frontier, deliver, dueMs } = closedJob();
  deliver("delivered", 0);
  frontier.close(0);
  expect(dueMs()).toBeUndefined();
  expect(mayForget(new Frontier(nodeSql()), CREATED)).toBe(true);
});

test("the message of an earlier end deletes nothing of a job that has ended again", () => {
  const later = new Frontier(nodeSql());
  const config = { maxConcurrency: 8, delayMs: 0, hasSeed: false, failsWhenEmpty: false, events: [], leaseMs: 12_000, expiresAtMs: 1e15 } as const; // prettier-ignore
  later.start(config, [], 0);
  for (const [nowMs, appendId] of [
    [100, "a"],
    [200, "b"],
  ] as const) {
    later.append({ seeds: batchEntries([`https://a.example/${appendId}`], nowMs), appendId }, nowMs);
    const claim = later.claim(1, nowMs);
    const results = (claim?.items ?? []).map(({ key, attempt }) => ({
      key,
      attempt,
      leaseId: claim?.leaseId ?? 0,
      kind: "robots" as const,
    }));
    later.complete({ results, object: "o", candidates: [], filtered: [], hosts: {} }, nowMs);
    expect(later.state()).toMatchObject({ status: "completed", endedAtMs: nowMs });
    later.close(nowMs, { atMs: nowMs + 360_000, ...CREATED });
  }
  expect(mayForget(later, { ...CREATED, endedAtMs: 100 })).toBe(false);
  expect(mayForget(later, { ...CREATED, endedAtMs: 200 })).toBe(true);
  expect(mayForget(later, CREATED)).toBe(true);
});
