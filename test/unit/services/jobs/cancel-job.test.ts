import { expect, test } from "vitest";
import type { JobRecord } from "../../../../src/core/jobs/job.ts";
import { cancelJob } from "../../../../src/services/jobs/cancel-job.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

test("a job is cancelled when only its record cannot be written", async () => {
  const setStatus = async () => {
    throw new Error("The database does not answer");
  };
  const frontiers = { cancel: async () => "scraping", progress: async () => ({ inFlight: 3 }) };
  const events: string[] = [];
  const deps = testDeps({
    jobs: { setStatus } as never,
    frontiers: frontiers as never,
    log: ({ event }: { event: string }) => void events.push(event),
  });
  expect(await cancelJob(deps, { id: "job", kind: "crawl" } as JobRecord)).toBe(3);
  expect(events).toEqual(["cancel_not_recorded"]);
});
