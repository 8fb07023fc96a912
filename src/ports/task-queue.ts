import type { Task } from "../core/task.ts";

/** Work for later, delivered at least once. */
export interface TaskQueue {
  send(task: Task): Promise<void>;
}
