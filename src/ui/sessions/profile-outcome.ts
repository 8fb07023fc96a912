/** The answer to the deletion of a session (`DeletedBrowser`). */
export interface ClosedSession {
  /** Absent if the session had ended before. */
  creditsBilled?: number;
  /** Warning about parts of the profile that were not saved. */
  warning?: string;
}

export type ProfileOutcome = "saved" | "warned" | "not saved" | "unknown";

/**
 * Returns what has become of the profile of a session that has ended: it is saved only when the session is deleted.
 * @param closed the answer to the deletion in this view; undefined if the session has ended for another reason
 * @param wasActive false if the session had ended before the view opened
 */
export function profileOutcome(closed: ClosedSession | undefined, wasActive: boolean): ProfileOutcome {
  if (closed === undefined) return wasActive ? "not saved" : "unknown";
  if (closed.warning !== undefined) return "warned";
  return closed.creditsBilled === undefined ? "not saved" : "saved";
}
