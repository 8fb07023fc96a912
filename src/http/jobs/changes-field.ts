import { z } from "@hono/zod-openapi";
import type { JobProgress } from "../../services/jobs/read-job.ts";

/** Numbers of an incremental crawl. */
export const ChangesField = z
  .object({
    since: z.string().describe("ID of the earlier crawl."),
    new: z.int().describe("Pages that the earlier crawl does not have."),
    changed: z.int().describe("Pages with another content."),
    unchanged: z.int().describe("Pages with the same content."),
    removed: z.int().describe("Pages that answer 404 or 410, are no longer found, or redirect to another page."),
  })
  .optional()
  .describe("Numbers of pages by their difference to the earlier crawl, for crawls with `since`.");

/** Returns the numbers of pages by change, for an incremental crawl. */
export function changesField({ changes }: Pick<JobProgress, "changes">): { changes?: z.infer<typeof ChangesField> } {
  if (changes === undefined) return {};
  const { since, new: added, changed, unchanged, removed } = changes;
  return { changes: { since, new: added, changed, unchanged, removed } };
}
