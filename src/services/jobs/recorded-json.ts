import type { JobKindName } from "../../core/jobs/job.ts";
import { formatsOf } from "../../formats/index.ts";

/**
 * Returns options as the record of a job has them, as JSON. Empty ones stand there for options that are unknown, so a batch
 * names its formats; records of older versions do not.
 */
export function recordedJson(kind: JobKindName, optionsJson: string): string {
  return kind === "batch_scrape" && optionsJson === "{}" ? JSON.stringify({ formats: formatsOf({}) }) : optionsJson;
}
