/** A follow-up in a thread of agents. Turn 1, the first run, is not stored: its id is the thread's. */
export interface AgentTurn {
  threadId: string;
  turn: number;
  teamId: string;
  runId: string;
  createdAtMs: number;
  expiresAtMs: number;
}

/** Follow-ups of all threads. */
export interface AgentTurns {
  /** Claims a turn. @returns false when another run has claimed it or the thread is closed; a repeated claim of the same run returns true. */
  claim(turn: AgentTurn): Promise<boolean>;
  /** Releases the turn of a run that did not start. */
  release(threadId: string, runId: string): Promise<void>;
  /** Returns the follow-ups of a thread in order. */
  list(threadId: string): Promise<AgentTurn[]>;
  /** Returns the turn of a run; undefined for the first run of a thread. */
  ofRun(runId: string): Promise<AgentTurn | undefined>;
  /** Closes a thread that is to be deleted: no turn of it is claimed any more, until the mark expires. */
  close(thread: Pick<AgentTurn, "threadId" | "teamId" | "createdAtMs" | "expiresAtMs">): Promise<void>;
  isClosed(threadId: string): Promise<boolean>;
  /** Deletes the follow-ups of a thread. */
  delete(threadId: string): Promise<void>;
  /** Deletes up to `limit` expired turns. @returns the number deleted. */
  purge(nowMs: number, limit: number): Promise<number>;
}
