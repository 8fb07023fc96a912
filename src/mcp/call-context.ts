import type { Caller } from "./api.ts";

/** The progress of a job that a tool waits for. */
export interface Progress {
  progress: number;
  total?: number;
  message: string;
}

export interface CallContext {
  caller: Caller;
  signal: AbortSignal;
  /** Reports whether the client has cancelled the call. */
  isCancelled(): boolean;
  sleep(ms: number): Promise<void>;
  report(progress: Progress): Promise<void>;
}
