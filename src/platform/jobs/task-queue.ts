import type { Meter } from "../../core/account/meter.ts";
import type { TaskQueue } from "../../ports/task-queue.ts";

export function createTaskQueue(queue: Queue, meter: Meter): TaskQueue {
  return {
    async send(task, options) {
      meter.add("queueMessages");
      await queue.send(task, options);
    },
  };
}
