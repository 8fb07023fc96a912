import type { TaskQueue } from "../../ports/task-queue.ts";

export function createTaskQueue(queue: Queue): TaskQueue {
  return {
    async send(task, options) {
      await queue.send(task, options);
    },
  };
}
