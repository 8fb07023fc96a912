import { z } from "zod";

/** Queue messages of the service. Each type may be delivered twice and must be idempotent. */
export const Task = z.discriminatedUnion("type", [
  /** Without a part: one message for each part of the stored data. */
  z.strictObject({ type: z.literal("purge_expired"), part: z.string().optional() }),
  /** Scrapes a page under an id that was returned earlier; holds the input of `scrapePage` and the key that pays. */
  z.strictObject({
    type: z.literal("scrape_page"),
    request: z.looseObject({ id: z.string(), url: z.string() }),
    key: z.looseObject({ id: z.string(), teamId: z.string() }),
  }),
  /** Sends `start_monitors` for all monitors that are due, and `send_monitor_events` for checks with due events. */
  z.strictObject({ type: z.literal("run_due_monitors") }),
  z.strictObject({ type: z.literal("start_monitors"), ids: z.array(z.string()) }),
  /** Starts the step job that sends the due events of a check. */
  z.strictObject({ type: z.literal("send_monitor_events"), checkId: z.string() }),
  /** Has running jobs check their alarms; without jobs: sends messages for all that run. */
  z.strictObject({ type: z.literal("wake_jobs"), jobs: z.array(z.tuple([z.string(), z.string()])).optional() }),
  /** Deletes a job with zero data retention when the time to fetch its documents is over, which began with this end. */
  z.strictObject({
    type: z.literal("forget_job"),
    jobId: z.string(),
    createdAtMs: z.number(),
    endedAtMs: z.number().optional(),
  }),
  /** Stores the id, for which a check of the deployment waits. */
  z.strictObject({ type: z.literal("answer_queue_check"), id: z.string() }),
  /** Work message: starts a worker run of a job. */
  z.strictObject({ type: z.literal("job_run"), jobId: z.string(), messageId: z.string() }),
]);
export type Task = z.infer<typeof Task>;
