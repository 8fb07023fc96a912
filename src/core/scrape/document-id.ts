/**
 * Returns the id of a job's document: a UUID of version 8 (RFC 9562 § 5.8) that contains the first half of the job's
 * id, which is of version 7, so that the job can be found from it without an index of documents.
 * @param number unique within the job, below 2^52.
 */
export function documentId(jobId: string, number: number): string {
  const digits = number.toString(16).padStart(15, "0");
  return `${jobId.slice(0, 14)}8${jobId.slice(15, 19)}8${digits.slice(0, 3)}-${digits.slice(3)}`;
}

/** Returns the prefix of the job's id for a document id; undefined when the id is no document id. */
export function jobIdPrefix(id: string): string | undefined {
  return id[14] === "8" ? `${id.slice(0, 14)}7${id.slice(15, 19)}` : undefined;
}
