import { expect, test } from "vitest";
import type { JobRecord } from "../../../../src/core/jobs/job.ts";
import type { Task } from "../../../../src/core/jobs/task.ts";
import type { Deps } from "../../../../src/services/deps.ts";
import { runTask } from "../../../../src/services/upkeep/run-task.ts";
import { createJobStore } from "../../../../src/storage/jobs/jobs.ts";
import { nodeD1 } from "../../../fakes/memory/node-d1.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

/** Jobs of two teams, of which some have ended, and the objects that are asked about them. */
async function world({ running, failing }: { running: number; failing?: string }) {
  const jobs = createJobStore(nodeD1());
  const sent: Task[] = [];
  const asked: string[] = [];
  const insert = async (id: string, more: Partial<JobRecord>): Promise<void> => {
    const common = { keyId: "key", apiVersion: "v2", target: "", optionsJson: "{}", endedAtMs: undefined } as const;
    await jobs.insert({ id, teamId: "team", kind: "crawl", status: "scraping", createdAtMs: 1, expiresAtMs: 9e15, ...common, ...more }); // prettier-ignore
  };
  for (let at = 0; at < running; at++) await insert(`crawl ${at}`, { teamId: `team ${at % 2}`, createdAtMs: at % 7 });
  await insert("agent", { kind: "agent" });
  await insert("ended", { status: "completed" });
  const progress = (kind: string) => async (id: string) => {
    asked.push(`${kind}: ${id}`);
    if (id === failing) throw new Error("The object does not answer");
    return undefined;
  };
  const deps = testDeps({
    jobs,
    tasks: { send: async () => undefined, sendAll: async (tasks) => void sent.push(...tasks) },
    frontiers: { progress: progress("frontier") } as unknown as Deps["frontiers"],
    stepJobs: { progress: progress("steps") } as unknown as Deps["stepJobs"],
  });
  return { deps, sent, asked };
}

test("every running job is asked once, a hundred in a message", async () => {
  const { deps, sent, asked } = await world({ running: 250 });
  await runTask(deps, { type: "wake_jobs" });
  expect(sent).toHaveLength(3);
  for (const task of sent) await runTask(deps, task);
  expect(asked).toHaveLength(251);
  expect(new Set(asked).size).toBe(251);
  expect(asked).toContain("steps: agent");
  expect(asked).toContain("frontier: crawl 249");
});

test("more jobs than one query reads are all asked", async () => {
  const { deps, sent } = await world({ running: 5_003 });
  await runTask(deps, { type: "wake_jobs" });
  const ids = sent.flatMap((task) => (task.type === "wake_jobs" ? (task.jobs ?? []) : [])).map(([id]) => id);
  expect(new Set(ids).size).toBe(5_004);
  expect(ids).toHaveLength(5_004);
});

test("an object that does not answer keeps none of the others from being asked, and the message comes again", async () => {
  const { deps, asked } = await world({ running: 0, failing: "first" });
  const task: Task = { type: "wake_jobs", jobs: [["first", "crawl"], ["second", "batch_scrape"]] }; // prettier-ignore
  await expect(runTask(deps, task)).rejects.toThrow("does not answer");
  expect(asked).toEqual(["frontier: first", "frontier: second"]);
});
