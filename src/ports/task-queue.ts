import type { Task } from "../core/jobs/task.ts";

/** Queue of deferred tasks, delivered at least once. */
export interface TaskQueue {
  send(task: Task, options?: { delaySeconds?: number }): Promise<void>;
}
