import type { Task } from "../core/jobs/task.ts";

/** Queues of deferred tasks, delivered at least once. Tasks of each kind wait apart from those of other kinds. */
export interface TaskQueue {
  send(task: Task, options?: { delaySeconds?: number }): Promise<void>;
  /** Sends many tasks, in as few calls as the platform allows. */
  sendAll(tasks: readonly Task[]): Promise<void>;
}
