import { expect, test } from "vitest";
import { Task } from "../../../../src/core/jobs/task.ts";

test.each([
  { type: "purge_expired" },
  { type: "start_monitors", ids: ["monitor"] },
  { type: "job_run", jobId: "job", messageId: "message" },
] as const)("a message $type of a newer version is read without the fields that this one does not know", (task) => {
  expect(Task.parse({ ...task, ofNewerVersion: { depth: 1 } })).toEqual(task);
});

test("a message of an unknown type is refused, so that it is delivered again", () => {
  expect(Task.safeParse({ type: "of_newer_version", ids: [] }).success).toBe(false);
});
