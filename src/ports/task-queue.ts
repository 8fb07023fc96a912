import type { Task } from "../core/jobs/task.ts";

/** Queues of deferred tasks, delivered at least once. Tasks of each kind wait apart from those of other kinds. */
export interface TaskQueue {
  send(task: Task, options?: { delaySeconds?: number }): Promise<void>;
  /**
   * Sends many tasks, in as few calls as the platform allows.
   * @throws NotAllSent when some were sent; tasks of which this is not known count as not sent
   */
  sendAll(tasks: readonly Task[]): Promise<void>;
}

/** Some tasks of many were sent; `unsent` are the others. */
export class NotAllSent extends Error {
  readonly unsent: readonly Task[];

  constructor(unsent: readonly Task[], cause: unknown) {
    super(`${unsent.length} tasks were not sent: ${String(cause)}`, { cause });
    this.unsent = unsent;
  }
}
