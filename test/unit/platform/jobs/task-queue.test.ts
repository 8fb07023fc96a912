import { expect, test } from "vitest";
import type { Task } from "../../../../src/core/jobs/task.ts";
import { createTaskQueue } from "../../../../src/platform/jobs/task-queue.ts";

test("when one of several batches cannot be sent, the tasks that were not sent are named", async () => {
  const tasks = Array.from({ length: 150 }, (_, at): Task => ({ type: "answer_queue_check", id: `${at}` }));
  const away = new Error("the queue is away");
  const outcomes = [Promise.resolve(), Promise.reject(away), Promise.reject(away)];
  const queue = { sendBatch: () => outcomes.shift() } as unknown as Queue;
  const { sendAll } = createTaskQueue({ TASKS: queue, MONITORS: queue, SCRAPES: queue });
  await expect(sendAll(tasks)).rejects.toMatchObject({ unsent: tasks.slice(100), cause: away });
  await expect(sendAll(tasks)).rejects.toBe(away);
});
