import type { JobRecord } from "./job.ts";

/** Record of a job with zero data retention. */
export const ZERO_RETENTION_RECORD = { target: "", optionsJson: JSON.stringify({ zeroDataRetention: true }) };

/** Reports whether a job was started with zero data retention: its documents are returned once and not retained. */
export function hasZeroRetention({ optionsJson }: Pick<JobRecord, "optionsJson">): boolean {
  return optionsJson === ZERO_RETENTION_RECORD.optionsJson;
}
