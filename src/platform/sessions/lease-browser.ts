import type { PoolSettings } from "../../core/sessions/browser-pool.ts";
import type { SessionPlan } from "../../core/sessions/browser-session.ts";
import type { OpenRefusal } from "../../ports/sessions/browser-session.ts";
import type { OutboundGuard } from "../../ports/outbound/outbound-guard.ts";
import { SESSION_POOL } from "../browser/account-room.ts";
import type { BrowserPool } from "../browser/browser-pool.ts";
import type { SessionGuard } from "./session-guard.ts";
import { startGuard } from "./start-guard.ts";
import { logEvent } from "../log-event.ts";

interface LeaseEnv {
  BROWSER?: Fetcher;
  BROWSER_POOL: Pick<DurableObjectNamespace<BrowserPool>, "getByName">;
}

interface LeaseRequest {
  settings: PoolSettings & { keepAliveMs: number };
  guard: OutboundGuard;
  plan: SessionPlan;
}

export type LeasedBrowser =
  | { kind: "leased"; leaseId: string; browserSessionId: string; guard: SessionGuard }
  | Extract<OpenRefusal, { kind: "no_browser" }>;

const WAIT_MS = 20_000;
const MAX_ATTEMPTS = 3;

/** Leases a browser for one session and starts the guard in it. A warm browser that is dead is replaced. */
export async function leaseBrowser(env: LeaseEnv, request: LeaseRequest): Promise<LeasedBrowser> {
  const deadlineMs = Date.now() + WAIT_MS;
  for (let attempt = 1; ; attempt++) {
    const pool = sessionPool(env);
    const { teamId, keyId } = request.plan;
    const grant = await pool.acquire({ deadlineMs, settings: request.settings, owner: { teamId, keyId } });
    if (grant.kind === "refused") {
      const { reason, retryAfterMs } = grant;
      return { kind: "no_browser", reason, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
    }
    const { leaseId, sessionId: browserSessionId } = grant;
    try {
      const guard = await startGuard(
        env,
        { browserSessionId, life: request.plan },
        { guard: request.guard, isNew: true },
      );
      return { kind: "leased", leaseId, browserSessionId, guard };
    } catch (error) {
      logEvent({ event: "session_browser_gone", reason: String(error) });
      await sessionPool(env).release(leaseId, "gone");
      if (attempt >= MAX_ATTEMPTS) return { kind: "no_browser", reason: "unavailable" };
    }
  }
}

/** Session browsers have a separate pool: the service loads no pages for other requests in them. */
export function sessionPool({ BROWSER_POOL }: Pick<LeaseEnv, "BROWSER_POOL">) {
  return BROWSER_POOL.getByName(SESSION_POOL);
}
