import type { Task } from "../../core/jobs/task.ts";
import type { Deps } from "../deps.ts";
import { answerQueueCheck } from "./check-deployment.ts";
import { forgetJob } from "../jobs/forget-job.ts";
import { purgeExpired } from "./purge-expired.ts";
import { resendScrapes } from "./resend-scrapes.ts";
import { startEventJob } from "../monitors/check-job.ts";
import { runDueMonitors, startDueMonitors } from "../monitors/run-due-monitors.ts";
import { wakeJobs } from "../jobs/wake-jobs.ts";
import { scrapePromised } from "../scrape/scrape-later.ts";
import { runJobBatch } from "../crawl/run-job-batch.ts";

/** Runs one internal task. */
export async function runTask(deps: Deps, task: Task): Promise<void> {
  switch (task.type) {
    case "scrape_page":
      return scrapePromised(deps, task);
    case "purge_expired":
      return purgeExpired(deps, task.part);
    case "run_due_monitors":
      return runDueMonitors(deps);
    case "start_monitors":
      return startDueMonitors(deps, task.ids);
    case "send_monitor_events":
      return startEventJob(deps, task.checkId);
    case "wake_jobs":
      return wakeJobs(deps, task.jobs);
    case "resend_scrapes":
      return resendScrapes(deps);
    case "forget_job":
      return forgetJob(deps, { id: task.jobId, createdAtMs: task.createdAtMs }, task.endedAtMs);
    case "answer_queue_check":
      return answerQueueCheck(deps, task.id);
    case "job_run":
      return runJobBatch(deps, task);
  }
}
