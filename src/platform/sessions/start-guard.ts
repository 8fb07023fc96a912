import { DEFAULT_VIEWPORT, type SessionPlan } from "../../core/sessions/browser-session.ts";
import type { OutboundGuard } from "../../ports/outbound/outbound-guard.ts";
import { BrowserGoneError } from "../browser/cdp-connection.ts";
import { untilLimit } from "../browser/with-connection.ts";
import { createDohResolver, noResolver } from "../outbound/doh-resolver.ts";
import { egressReport, operatorFetch } from "../outbound/egress.ts";
import { createOutboundGuard } from "../outbound/outbound-guard.ts";
import { SessionGuard } from "./session-guard.ts";
import type { BrowserSessionEnv, SessionSettings } from "./stored-session.ts";

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

/** Creates the outbound policy of a session's requests. */
export function outboundGuardOf(
  env: Pick<BrowserSessionEnv, "EGRESS">,
  { allowPrivateHosts, resolverUrl }: SessionSettings,
): OutboundGuard {
  const clock = { now: () => Date.now() };
  const { fetcher } = operatorFetch(env);
  const resolver = resolverUrl === "off" ? noResolver : createDohResolver({ url: resolverUrl, clock, fetcher });
  return createOutboundGuard({ allowPrivateHosts, resolver, egress: egressReport(env) });
}
