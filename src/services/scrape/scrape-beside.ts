import type { Task } from "../../core/jobs/task.ts";
import type { QueuedScrapes } from "../../core/scrape/queued-scrapes.ts";
import type { Deps } from "../deps.ts";
import { scrapePromised } from "./scrape-later.ts";

type PromisedTask = Extract<Task, { type: "scrape_page" }>;

/**
 * Takes a message of the queue, and has its scrape run beside the delivery.
 * @param start starts `runQueuedScrape` in an invocation of its own, and does not wait for it
 * @throws the error of a scrape that has failed too often, or when no copy of the message could be sent: it is delivered again
 */
export async function scrapeBeside(
  { queuedScrapes, tasks }: Pick<Deps, "tasks"> & { queuedScrapes: QueuedScrapes },
  task: PromisedTask,
  start: (task: PromisedTask) => Promise<void>,
): Promise<void> {
  const next = queuedScrapes.next(task);
  if (next.step === "over") return;
  // First: a crash after it leaves two messages, none before it one.
  const copying = tasks.send(task, { delaySeconds: next.againSeconds });
  try {
    await copying;
    if (next.step === "run") await start(task);
  } catch (error) {
    if (next.step === "run") queuedScrapes.fail(task, error);
    await copying;
  }
}

/** Runs a queued scrape in its turn, and logs its failure. */
export async function runQueuedScrape(deps: Deps, task: PromisedTask): Promise<void> {
  await deps.queuedScrapes?.run(task, async () => {
    try {
      await scrapePromised(deps, task);
    } catch (error) {
      deps.log({ event: "task_failed", message: String(error) });
      throw error;
    }
  });
}
