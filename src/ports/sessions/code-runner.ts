import type { CodeEnd, CodeRun } from "../../core/sessions/code-run.ts";

/** Opens a connection to the browser that a run works in: an answer with a `webSocket`, or a refusal. */
export type OpenBrowserConnection = (request: Request) => Promise<Response>;

/** Runs untrusted code apart from the service, which it can neither stop nor reach. */
export interface CodeRunner {
  /**
   * Runs code to its end, or until it took more than it may.
   * @throws Error when the program itself fails; what the caller's code throws is part of the program's value
   */
  run(run: CodeRun, openBrowser: OpenBrowserConnection): Promise<CodeEnd>;
  /** Gets ready for the first run of a session. Failures are silent. */
  warmUp(sessionId: string): Promise<void>;
  /** Ends what still runs for a session. Failures are silent. */
  forget(sessionId: string): Promise<void>;
}
