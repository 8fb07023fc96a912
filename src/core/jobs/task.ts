import { z } from "zod";

/**
 * Queue messages of the service. Each type may be delivered twice and must be idempotent. Fields that a newer version has added
 * are left out; a message of a type that it has added is tried again, by when the newer version may receive it.
 */
export const Task = z.discriminatedUnion("type", [
  /** Without a part: one message for each part of the stored data. */
  z.object({ type: z.literal("purge_expired"), part: z.string().optional() }),
  /** Scrapes a page under an id that was returned earlier; holds the input of `scrapePage` and the key that pays. */
  z.object({
    type: z.literal("scrape_page"),
    request: z.looseObject({ id: z.string(), url: z.string() }),
    key: z.looseObject({ id: z.string(), teamId: z.string() }),
  }),
  /** Sends `start_monitors` for all monitors that are due, and `send_monitor_events` for checks with due events. */
  z.object({ type: z.literal("run_due_monitors") }),
  z.object({ type: z.literal("start_monitors"), ids: z.array(z.string()) }),
  /** Starts the step job that sends the due events of a check. */
  z.object({ type: z.literal("send_monitor_events"), checkId: z.string() }),
  /** Has running jobs check their alarms; without jobs: sends messages for all that run. */
  z.object({ type: z.literal("wake_jobs"), jobs: z.array(z.tuple([z.string(), z.string()])).optional() }),
  /** Queues pending scrapes again whose messages were lost with an earlier process. */
  z.object({ type: z.literal("resend_scrapes") }),
  /** Deletes a job with zero data retention when the time to fetch its documents is over, which began with this end. */
  z.object({
    type: z.literal("forget_job"),
    jobId: z.string(),
    createdAtMs: z.number(),
    endedAtMs: z.number().optional(),
  }),
  /** Stores the id, for which a check of the deployment waits. */
  z.object({ type: z.literal("answer_queue_check"), id: z.string() }),
  /** Work message: starts a worker run of a job. */
  z.object({ type: z.literal("job_run"), jobId: z.string(), messageId: z.string() }),
]);
export type Task = z.infer<typeof Task>;
