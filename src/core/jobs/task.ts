import { z } from "zod";

/** Work that the service gives itself through the queue. Every kind may be delivered twice, and must bear it. */
export const Task = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("purge_expired") }),
  /** Bodies in the page cache that nothing points at, those after a key when one is named. */
  z.strictObject({ type: z.literal("sweep_page_bodies"), after: z.string().optional() }),
  /** A page whose scrape was promised under an id; the request as `scrapePage` takes it, and who pays. */
  z.strictObject({
    type: z.literal("scrape_page"),
    request: z.looseObject({ id: z.string(), url: z.string() }),
    key: z.looseObject({ id: z.string(), teamId: z.string() }),
  }),
  /** A check of a monitor that is to be worked on. */
  z.strictObject({ type: z.literal("check_monitor"), checkId: z.string() }),
  z.strictObject({ type: z.literal("run_due_monitors") }),
  /** A job with zero data retention whose documents have waited long enough to be fetched. */
  z.strictObject({ type: z.literal("forget_job"), jobId: z.string(), createdAtMs: z.number() }),
  /** A ticket to work for a job for a while. */
  z.strictObject({ type: z.literal("job_turn"), jobId: z.string(), messageId: z.string() }),
]);
export type Task = z.infer<typeof Task>;
