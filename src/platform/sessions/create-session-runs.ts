import type { RelayGuard } from "../../core/cdp/cdp-relay.ts";
import { DEFAULT_VIEWPORT } from "../../core/sessions/browser-session.ts";
import { createCodeRunner } from "../code-runner/create-code-runner.ts";
import { SessionRuns } from "./session-runs.ts";
import type { BrowserSessionEnv, StoredSession } from "./stored-session.ts";
import { StoredWorkspace } from "./stored-workspace.ts";

interface RunsParts {
  stored: StoredSession;
  guard: RelayGuard;
  stopScripts(): Promise<void>;
  /** Resolves when runs may begin. */
  ready(): Promise<unknown>;
}

/** Creates the runs of a session in its object; undefined where the deployment has no browsers or runs no code. */
export function createSessionRuns(
  state: DurableObjectState,
  env: BrowserSessionEnv,
  { stored: { life, browserSessionId }, guard, stopScripts, ready }: RunsParts,
): SessionRuns | undefined {
  const { BROWSER } = env;
  const runner = createCodeRunner(env, () => browserBindingOf(state, life.id));
  if (BROWSER === undefined || runner === undefined) return undefined;
  return new SessionRuns({
    binding: BROWSER,
    runner,
    guard,
    stopScripts,
    ready,
    sessionId: life.id,
    teamId: life.teamId,
    browserSessionId,
    viewport: life.replay?.mobile === true ? undefined : (life.viewport ?? DEFAULT_VIEWPORT),
    workspace: new StoredWorkspace(state.storage.kv),
  });
}

/** Returns the Worker's entry point, bound to one session. The generated types do not contain the Worker's exports. */
function browserBindingOf({ exports }: DurableObjectState, sessionId: string): Fetcher {
  const { SessionBrowserBinding } = exports as unknown as {
    SessionBrowserBinding: (bound: { props: { sessionId: string } }) => Fetcher;
  };
  return SessionBrowserBinding({ props: { sessionId } });
}
