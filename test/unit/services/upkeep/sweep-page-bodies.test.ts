import { expect, test } from "vitest";
import type { Task } from "../../../../src/core/jobs/task.ts";
import { sweepPageBodies } from "../../../../src/services/upkeep/sweep-page-bodies.ts";
import { fixedClock } from "../../../fakes/fixed-clock.ts";
import { emptyPageCache } from "../../../fakes/memory-scrapes.ts";

const HOUR_MS = 3_600_000;

test("the sweep goes through all bodies in bounded steps, which the queue carries on, and spares what is an hour old", async () => {
  const clock = fixedClock(10 * HOUR_MS);
  const looked: object[] = [];
  const sent: Task[] = [];
  const ends = [
    { deleted: 3, next: "pages/b" },
    { deleted: 0, next: "pages/d" },
    { deleted: 1, next: undefined },
  ];
  const log: object[] = [];
  const deps = {
    clock,
    log: (event: object) => void log.push(event),
    tasks: { send: async (task: Task) => void sent.push(task) },
    pageCache: {
      ...emptyPageCache(),
      sweep: async (options: object) => {
        looked.push(options);
        return ends[looked.length - 1] ?? { deleted: 0, next: undefined };
      },
    },
  };
  await sweepPageBodies(deps, undefined);
  for (let step = 0; step < sent.length && step < 10; step++) {
    const task = sent[step];
    if (task?.type === "sweep_page_bodies") await sweepPageBodies(deps, task.after);
  }
  const bounds = { limit: 1_000, writtenBeforeMs: 9 * HOUR_MS };
  expect(looked).toEqual([undefined, "pages/b", "pages/d"].map((after) => ({ ...bounds, after })));
  expect(log).toEqual([
    { event: "page_bodies_swept", deleted: 3 },
    { event: "page_bodies_swept", deleted: 1 },
  ]);
});
