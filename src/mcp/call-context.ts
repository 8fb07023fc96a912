import type { Caller } from "./api.ts";

/** The progress of a job that a tool waits for. */
export interface Progress {
  progress: number;
  total?: number;
  message: string;
}

export interface JobRecord {
  /** Records the path of the job's status. @returns true when the client has cancelled the call before. */
  started(path: string): Promise<boolean>;
  /** Forgets the job. */
  ended(): Promise<void>;
}

export interface CallContext {
  caller: Caller;
  signal: AbortSignal;
  /** Reports whether the client has cancelled the call. */
  isCancelled(): boolean;
  /** The job that the call waits for, as other instances of the service find it. */
  job: JobRecord;
  /** The calls of the same HTTP request that wait for a job. */
  waiting: { calls: number };
  sleep(ms: number): Promise<void>;
  report(progress: Progress): Promise<void>;
}
