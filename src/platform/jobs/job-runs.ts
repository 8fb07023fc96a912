import type { Task } from "../../core/jobs/task.ts";

/** The Worker's entry point for worker runs, called directly without a queue. */
interface JobRuns {
  pageRun(jobId: string, messageId: string): Promise<void>;
  stepRun(jobId: string, runId: string): Promise<void>;
  /** Starts a queued scrape, and does not wait for it. */
  scrapeRun(task: Extract<Task, { type: "scrape_page" }>): Promise<void>;
}

/** Returns the entry point. The platform's types do not describe the exports of the Worker: hence the cast. */
export function jobRuns(context: DurableObjectState | ExecutionContext): JobRuns {
  return (context as unknown as { exports: { JobRuns: JobRuns } }).exports.JobRuns;
}
