import type { Task } from "../core/task.ts";
import type { Deps } from "./deps.ts";
import { purgeExpired } from "./purge-expired.ts";
import { scrapePromised } from "./scrape-later.ts";
import { runJobTurn } from "./run-job-turn.ts";

/** Does one piece of the service's own work. */
export async function runTask(deps: Deps, task: Task): Promise<void> {
  switch (task.type) {
    case "scrape_page":
      return scrapePromised(deps, task);
    case "purge_expired":
      return purgeExpired(deps);
    case "job_turn":
      return runJobTurn(deps, task);
  }
}
