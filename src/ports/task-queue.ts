import type { Task } from "../core/jobs/task.ts";

/** Work for later, delivered at least once. */
export interface TaskQueue {
  send(task: Task, options?: { delaySeconds?: number }): Promise<void>;
}
