import { DEFAULT_VIEWPORT, type SessionPlan } from "../../core/sessions/browser-session.ts";
import type { OutboundGuard } from "../../ports/outbound/outbound-guard.ts";
import { BrowserGoneError } from "../browser/cdp-connection.ts";
import { untilLimit } from "../browser/with-connection.ts";
import { SessionGuard } from "./session-guard.ts";

const START_LIMIT_MS = 10_000;

/** Starts the guard in a session's browser. @throws BrowserGoneError when the browser does not respond in time */
export async function startGuard(
  { BROWSER }: { BROWSER?: Fetcher },
  { browserSessionId, life }: { browserSessionId: string; life: Pick<SessionPlan, "ownHosts" | "replay" | "viewport"> },
  { guard, isNew }: { guard: OutboundGuard; isNew: boolean },
): Promise<SessionGuard> {
  if (BROWSER === undefined) throw new BrowserGoneError("This deployment has no browser binding");
  const { ownHosts, replay, viewport = DEFAULT_VIEWPORT } = life;
  const looks = { mobile: replay?.mobile ?? false, languages: replay?.languages ?? [] };
  const options = { binding: BROWSER, browserSessionId, guard, ownHosts, isNew, viewport, ...looks };
  return await untilLimit(START_LIMIT_MS, (signal) => SessionGuard.start({ ...options, signal }));
}
