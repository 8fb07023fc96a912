import { expect, test } from "vitest";
import { noteRunning } from "../../../../src/services/jobs/note-running.ts";

test.each([
  { statuses: ["scraping", "scraping"], written: [["scraping", undefined]] },
  { statuses: ["completed"], written: [] },
  {
    statuses: ["scraping", "completed"],
    written: [
      ["scraping", undefined],
      ["completed", 7, { completed: 2, failed: 1, total: 3 }],
    ],
  },
])("a job that is $statuses before and after the write is recorded so", async ({ statuses, written }) => {
  const left = [...statuses];
  const writes: unknown[] = [];
  await noteRunning(
    {
      frontiers: { progress: async () => ({ status: left.shift(), endedAtMs: 7, completed: 2, failed: 1, total: 3 }) },
      jobs: { setStatus: async (_id: string, ...values: unknown[]) => void writes.push(values) },
    } as never,
    "job",
  );
  expect(writes).toEqual(written);
});
