/** A call of an MCP tool: the client's session and the id of its request. */
export interface WaitingCall {
  teamId: string;
  session: string;
  request: string;
}

/** Cancelled calls without a job, of a team, that are recorded at a time. */
export const MAX_CANCELLED = 200;

/** Calls of MCP tools that wait for a job, so that every instance of the service can cancel them. */
export interface WaitingCalls {
  /** Records the path of the job that a call waits for. @returns true when the client has cancelled the call before. */
  add(call: WaitingCall & { jobPath: string; expiresAtMs: number }): Promise<boolean>;
  /**
   * Records that a client has cancelled a call. A call without a job is not recorded while a team has `MAX_CANCELLED` of them
   * that have not expired.
   * @returns path of its job; undefined while it has none
   */
  cancel(call: WaitingCall & { nowMs: number; expiresAtMs: number }): Promise<string | undefined>;
  delete(call: WaitingCall): Promise<void>;
  /** Deletes up to `limit` calls of a session. @returns paths of their jobs */
  endSession(session: Pick<WaitingCall, "teamId" | "session">, limit: number): Promise<string[]>;
  /** Deletes up to `limit` expired calls. @returns the number deleted. */
  purge(nowMs: number, limit: number): Promise<number>;
}
