/** The rows that are kept are bounded for each job and for all jobs together. */
import { expect, test } from "vitest";
import { RowCache } from "../../../../src/storage/crawl/row-cache.ts";

test("a job keeps its latest rows, and all jobs together no more than their share", () => {
  const jobs = Array.from({ length: 12 }, () => new RowCache<string>());
  const count = (job: RowCache<string> | undefined): number =>
    Array.from({ length: 100 }, (_, id) => job?.get(id)).filter((row) => row !== undefined).length;
  for (const [at, job] of jobs.entries()) for (let id = 0; id < 100; id++) job.set(id, `${at} ${id}`);
  expect(jobs.reduce((sum, job) => sum + count(job), 0)).toBe(512);
  expect([count(jobs[0]), count(jobs.at(-1))]).toEqual([0, 64]);
  expect([jobs.at(-1)?.get(35), jobs.at(-1)?.get(36)]).toEqual([undefined, "11 36"]);
  jobs.at(-1)?.set(36, "changed");
  expect([count(jobs.at(-1)), jobs.at(-1)?.get(36)]).toEqual([64, "changed"]);
  jobs.at(-1)?.clear();
  expect(count(jobs.at(-1))).toBe(0);
  // The room of a job that was forgotten is free again.
  for (let id = 0; id < 64; id++) jobs[0]?.set(id, "again");
  expect([count(jobs[0]), count(jobs[4])]).toEqual([64, 64]);
});
