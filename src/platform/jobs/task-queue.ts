import type { Task } from "../../core/jobs/task.ts";
import { NotAllSent, type TaskQueue } from "../../ports/task-queue.ts";

/** Limits of `sendBatch`: messages, and bytes including the platform's overhead for each message. */
const MAX_MESSAGES = 100;
const MAX_BYTES = 250_000;
const OVERHEAD_BYTES = 100;

export interface TaskQueues {
  TASKS: Queue;
  MONITORS: Queue;
  SCRAPES: Queue;
}

/** Creates the port of the queues: upkeep, monitors and queued scrapes do not wait for each other. */
export function createTaskQueue(queues: TaskQueues): TaskQueue {
  return {
    async send(task, options) {
      await queueOf(queues, task).send(task, options);
    },
    async sendAll(tasks) {
      const sent = new Set<Task>();
      for (const queue of new Set(tasks.map((task) => queueOf(queues, task)))) {
        for (const batch of batchesOf(tasks.filter((task) => queueOf(queues, task) === queue))) {
          await queue.sendBatch(batch.map((body) => ({ body }))).catch((error: unknown) => {
            throw sent.size === 0
              ? error
              : new NotAllSent(
                  tasks.filter((task) => !sent.has(task)),
                  error,
                );
          });
          for (const task of batch) sent.add(task);
        }
      }
    },
  };
}

function queueOf({ TASKS, MONITORS, SCRAPES }: TaskQueues, { type }: Task): Queue {
  if (type === "scrape_page") return SCRAPES;
  return type === "run_due_monitors" || type === "start_monitors" || type === "send_monitor_events" ? MONITORS : TASKS;
}

function batchesOf(tasks: readonly Task[]): Task[][] {
  const batches: Task[][] = [];
  let bytes = 0;
  for (const task of tasks) {
    const taskBytes = new TextEncoder().encode(JSON.stringify(task)).byteLength + OVERHEAD_BYTES;
    const last = batches.at(-1);
    if (last === undefined || last.length === MAX_MESSAGES || bytes + taskBytes > MAX_BYTES) {
      batches.push([task]);
      bytes = taskBytes;
    } else {
      last.push(task);
      bytes += taskBytes;
    }
  }
  return batches;
}
