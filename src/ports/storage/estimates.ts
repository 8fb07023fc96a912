/** Estimates of work that has not been started, as JSON text. A job that is started takes over its estimate (`JobStore.insert`). */
export interface EstimateStore {
  /** Replaces the estimate of an earlier request with the same fingerprint. */
  put(teamId: string, fingerprint: string, estimate: { json: string; expiresAtMs: number }): Promise<void>;
  find(teamId: string, fingerprint: string, nowMs: number): Promise<string | undefined>;
  /** Deletes up to `limit` expired estimates. @returns the number deleted. */
  purge(nowMs: number, limit: number): Promise<number>;
}
