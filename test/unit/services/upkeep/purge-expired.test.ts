import { expect, test } from "vitest";
import type { ApiKey } from "../../../../src/core/account/api-key.ts";
import type { Task } from "../../../../src/core/jobs/task.ts";
import type { JobSpecification } from "../../../../src/jobs/kind.ts";
import { keepJobRecord } from "../../../../src/services/jobs/keep-job-record.ts";
import { purgeExpired } from "../../../../src/services/upkeep/purge-expired.ts";
import { createJobStore } from "../../../../src/storage/jobs/jobs.ts";
import { fixedClock } from "../../../fakes/fixed-clock.ts";
import { memoryBlobs } from "../../../fakes/memory/memory-blobs.ts";
import { nodeD1 } from "../../../fakes/memory/node-d1.ts";
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

test("the results of jobs that run or took long stay beyond their day, with those of the crawls that they continue", async () => {
  const [startMs, clock] = [Date.UTC(2026, 5, 15, 20), fixedClock()];
  clock.advance(startMs - clock.now());
  const [blobs, jobs] = [memoryBlobs(), createJobStore(nodeD1())];
  const sent: Task[] = [];
  const tasks = { send: async (task: Task) => void sent.push(task) };
  const deps = testDeps({ clock, blobs, jobs, tasks: tasks as never, settings: { resultRetentionMs: DAY_MS } });
  const record = { target: "https://a.example/", optionsJson: "{}", expiresAtMs: startMs + DAY_MS };
  const key = { id: "key", teamId: "team" } as ApiKey;
  const specification = { kind: "crawl" as const, apiVersion: "v2" as const, key, createdAtMs: startMs, record };
  for (const id of ["running", "long", "short", "earlier"]) {
    const since = id === "long" ? { since: { id: "earlier", output: "all" as const } } : {};
    await keepJobRecord(deps, { ...(specification as unknown as JobSpecification), id, ...since });
    await blobs.put(`results/2026-06-15/${id}/1`, "{}");
  }
  for (let at = 0; at < 3; at++) await blobs.put(`results/2026-06-15/answers/${at}`, "{}");
  await jobs.setStatus("short", "completed", startMs + 3_600_000);
  await jobs.setStatus("earlier", "completed", startMs + 3_600_000);
  const folders = async (nowMs: number): Promise<string[]> => {
    clock.advance(nowMs - clock.now());
    for (sent.push({ type: "purge_expired", part: "result_objects" }); sent.length > 0;) {
      sent.length = 0;
      await purgeExpired(deps, "result_objects");
    }
    await purgeExpired(deps, "jobs");
    return [...blobs.objects.keys()].map((name) => name.split("/")[2] ?? "").toSorted();
  };
  await jobs.setStatus("long", "completed", startMs + DAY_MS);
  expect(await folders(startMs + DAY_MS + 3_600_000)).toHaveLength(7);
  expect(await folders(startMs + DAY_MS + 5 * 3_600_000)).toEqual(["earlier", "long", "running"]);
  expect(await jobs.find("short")).toBeUndefined();
  expect(await folders(startMs + 2 * DAY_MS + 1)).toEqual(["running"]);

  await jobs.setStatus("running", "completed", startMs + 10 * DAY_MS);
  expect(await folders(startMs + 11 * DAY_MS - 1)).toEqual(["running"]);
  expect(await jobs.find("running")).toMatchObject({ expiresAtMs: startMs + 11 * DAY_MS });
  expect(await folders(startMs + 11 * DAY_MS + 1)).toEqual([]);
});

test("the folder of an earlier crawl of another day stays while the crawl that continues it runs", async () => {
  const jobs = createJobStore(nodeD1());
  const deps = testDeps({ jobs });
  const dayMs = Date.UTC(2026, 5, 15);
  const keep = async (id: string, createdAtMs: number, more: object = {}): Promise<void> => {
    const record = { target: "https://a.example/", optionsJson: "{}", expiresAtMs: createdAtMs + DAY_MS };
    const key = { id: "key", teamId: "team" } as ApiKey;
    const specification = { kind: "crawl", apiVersion: "v2", id, key, createdAtMs, record, ...more };
    await keepJobRecord(deps, specification as unknown as JobSpecification);
  };
  await keep("first", dayMs);
  await jobs.setStatus("first", "completed", dayMs + 1_000);
  await keep("second", dayMs + DAY_MS, { since: { id: "first", output: "all" } });
  const kept = () => jobs.keptFolders({ fromMs: dayMs, toMs: dayMs + DAY_MS, nowMs: dayMs + 2 * DAY_MS });
  expect([...(await kept())]).toEqual(["first"]);
  await jobs.setStatus("second", "completed", dayMs + DAY_MS + 1_000);
  expect([...(await kept())]).toEqual([]);
});
