import type { BrowserSessions } from "../../ports/sessions/browser-session.ts";
import type { BrowserSettings } from "../browser/lease.ts";
import { createObjectCalls, orFormerly } from "../object-calls.ts";
import type { BrowserSession } from "./browser-session.ts";
import type { SessionSettings } from "./stored-session.ts";

export interface BrowserSessionsOptions {
  namespace: DurableObjectNamespace<BrowserSession>;
  settings: Omit<SessionSettings, "pool"> & {
    maxSessions: number;
    /** Warm browsers for later sessions, which stay open for a while after a session was opened. */
    warmBrowsers: number;
    launchesPerMinute: BrowserSettings["launchesPerMinute"];
  };
}

/** The platform's maximum: the guard's connection keeps a browser alive, and an unused spare is closed earlier. */
const KEEP_ALIVE_MS = 600_000;
/** The local simulator forgets a browser without a connection after 70 s, and then neither opens nor ends it. */
const SPARE_LIFE_MS = 60_000;
/** Delay of a spare browser's start, so that the first command of a new session runs before it. */
const SPARE_DELAY_MS = 1_500;
/** A lease whose session was lost expires after the longest life that a session can have. */
const LEASE_GRACE_MS = 3_700_000;

/** Calls each session's object; what may be done twice is asked again of one that was reset. */
export function createBrowserSessions({ namespace, settings }: BrowserSessionsOptions): BrowserSessions {
  const stub = (id: string) => {
    return namespace.getByName(id);
  };
  const call = createObjectCalls(namespace);
  return {
    open: (plan) => stub(plan.id).open(plan, toSessionSettings(settings)),
    find: (id) => call(id, (session) => session.find()),
    claimEnd: (id, claimant) =>
      call(id, (session) =>
        orFormerly(
          () => session.claimEnd(claimant),
          async () => true,
        ),
      ),
    close: (id, reason) => call(id, (session) => session.close(reason)),
    execute: (id, request) => stub(id).execute(request),
    command: (id, command) => stub(id).command(command),
    markPrompted: (id) => stub(id).markPrompted(),
    whenIntercepted: (id, targetId, url) =>
      call(id, (session) =>
        orFormerly(
          () => session.whenIntercepted(targetId, url),
          () => session.admitted(targetId, url),
        ),
      ),
    driverLeft: (id) => stub(id).driverLeft(),
    mayRequest: (id, url) =>
      call(id, (session) =>
        orFormerly(
          () => session.mayRequest(url),
          () => session.mayCall(url),
        ),
      ),
    authorize: (id, token, wanted) => call(id, async (session) => await session.authorize(token, wanted)),
    visits: (id) => call(id, (session) => session.visits()),
  };
}

/** Returns the settings of the session pool: a browser serves one session only. */
function toSessionSettings(settings: BrowserSessionsOptions["settings"]): SessionSettings {
  const { maxSessions, warmBrowsers, launchesPerMinute, allowPrivateHosts, resolverUrl } = settings;
  return {
    allowPrivateHosts,
    resolverUrl,
    pool: {
      maxBrowsers: maxSessions,
      contextsPerBrowser: 1,
      warm: warmBrowsers,
      spare: warmBrowsers,
      spareDelayMs: SPARE_DELAY_MS,
      launchIntervalMs: Math.ceil(60_000 / launchesPerMinute),
      maxPages: 1,
      maxAgeMs: KEEP_ALIVE_MS - 30_000,
      idleCloseMs: 0,
      warmCloseMs: SPARE_LIFE_MS,
      leaseGraceMs: LEASE_GRACE_MS,
      keepAliveMs: KEEP_ALIVE_MS,
    },
  };
}
