import type { CodeEnd, CodeRun } from "../../core/sessions/code-run.ts";

/** Opens a connection to the run's browser: returns a response with a `webSocket`, or a refusal. */
export type OpenBrowserConnection = (request: Request) => Promise<Response>;

/** Runs untrusted code isolated from the service, which the code can neither stop nor reach. */
export interface CodeRunner {
  /** Runs of the code of one session that can be at work at a time; the shell and a command have room beside them. */
  readonly codeRuns: number;
  /**
   * Runs code until it ends or exceeds a limit.
   * @throws Error when the program itself fails; errors of the caller's code are part of the program's value
   */
  run(run: CodeRun, openBrowser: OpenBrowserConnection): Promise<CodeEnd>;
  /** Prepares the first run of a session. Failures are silent. */
  warmUp(session: { sessionId: string; teamId: string }): Promise<void>;
  /** Ends all runs of a session. Failures are silent. */
  forget(sessionId: string): Promise<void>;
}

/** Input of a page: its bytes, and plain data. */
export interface BytesToRead {
  body: Uint8Array;
}

/** A process that reads pages of moderate size for a busy isolate, so that a second processor works on them. */
export interface SharedReader {
  /**
   * Reads one page, whose input is made when it is needed.
   * @returns the unchecked response; the error when the process ended or hung, which the page may have caused; undefined
   * when there is no process, as long as the isolate is not busy, and when it has enough to do
   */
  read(input: () => BytesToRead): Promise<{ value: unknown } | { error: unknown } | undefined>;
}
