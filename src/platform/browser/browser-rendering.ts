import { isOwnBrowser } from "../../core/own-browsers.ts";
import type { EngineOutcome } from "../../core/scrape/page.ts";
import type { Browser, BrowserRequest } from "../../ports/browser.ts";
import type { OutboundGuard } from "../../ports/outbound/outbound-guard.ts";
import type { RequestSigner } from "../../ports/outbound/request-signer.ts";
import type { Clock } from "../../ports/system.ts";
import { beforeLoads } from "../outbound/outbound-guard.ts";
import type { BrowserGrant } from "./browser-pool.ts";
import { bindLease, leaseBrowser, releaseLease, type LeaseOptions } from "./lease.ts";
import { failed } from "./page/load-end.ts";
import { loadInBrowser } from "./load-in-browser.ts";

const MAX_ATTEMPTS = 2;
/** With less time left than this a page is not loaded again. */
const MIN_RETRY_MS = 2_000;

export interface BrowserOptions extends LeaseOptions {
  guard: OutboundGuard;
  /** Signs the navigations of pages. */
  signer?: RequestSigner | undefined;
  clock: Clock;
}

/** Loads pages in the platform's browsers: each load leases a slot from the pool and opens a separate context. */
export function createBrowser(options: BrowserOptions): Browser {
  return { load: (request) => load(options, request) };
}

async function load(options: BrowserOptions, request: BrowserRequest): Promise<EngineOutcome> {
  const refusal = await refuse(options.guard, request);
  if (refusal !== undefined) return refusal;
  let queuedMs = 0;
  let browserMs = 0;
  for (let attempt = 1; ; attempt++) {
    const grant = await leaseBrowser(options, request);
    if (grant.kind === "refused") return refused(grant);
    queuedMs += grant.queuedMs;
    const startedAtMs = options.clock.now();
    const { outcome, lease } = await useLease(options, request, grant);
    const heldMs = Math.max(0, options.clock.now() - startedAtMs);
    count(options, outcome, heldMs);
    browserMs += heldMs;
    const hasTime = request.deadlineMs - options.clock.now() > MIN_RETRY_MS;
    if (lease === "gone" && attempt < MAX_ATTEMPTS && hasTime) continue;
    return outcome.kind === "loaded" ? { kind: "loaded", page: { ...outcome.page, queuedMs, browserMs } } : outcome;
  }
}

/** Counts the browser time and the size of the document. The namespace of the pool counts its calls. */
function count({ meter }: BrowserOptions, outcome: EngineOutcome, heldMs: number): void {
  meter?.add("browserMs", heldMs);
  if (outcome.kind === "loaded") meter?.add("bytesFetched", outcome.page.body.length);
}

/** Refuses a forbidden address before a browser is leased. */
async function refuse(guard: OutboundGuard, { url, ownHosts }: BrowserRequest): Promise<EngineOutcome | undefined> {
  const verdict = guard.checkText?.(url, ownHosts) ?? (await guard.check(url, ownHosts));
  if (verdict.kind === "refused") return failed("SAFE_MODE_BLOCKED", verdict.reason);
  if (verdict.kind === "allowed") return undefined;
  return failed("SCRAPE_DNS_RESOLUTION_ERROR", `The host name ${verdict.hostname} does not resolve`);
}

/** Loads the page under a lease and always releases it, after the response where that is possible. */
async function useLease(
  options: BrowserOptions,
  request: BrowserRequest,
  grant: Extract<BrowserGrant, { kind: "granted" }>,
) {
  const { binding, guard, signer, defer, meter, callerLeft } = options;
  const { leaseId, sessionId } = grant;
  const { outcome, close } = await loadInBrowser({
    binding,
    // Browsers of the operator may reach a private network.
    guard: isOwnBrowser(sessionId) ? beforeLoads(guard) : guard,
    signer,
    request,
    sessionId,
    callerLeft,
    onContext: (contextId) => bindLease(options, leaseId, contextId),
  });
  const closing = close().then(async (lease) => {
    await releaseLease(options, leaseId, lease);
    return lease;
  });
  if (defer === undefined || outcome.kind !== "loaded") return { outcome, lease: await closing };
  // The release follows the receipt.
  meter?.expect({ durableObjectRequests: 1 });
  defer(closing);
  return { outcome, lease: "ok" as const };
}

function refused({ reason, retryAfterMs }: Extract<BrowserGrant, { kind: "refused" }>): EngineOutcome {
  if (reason === "deadline") return failed("SCRAPE_TIMEOUT", "No browser became free in time");
  const later = retryAfterMs === undefined ? "" : `; try again in ${Math.ceil(retryAfterMs / 1000)} s`;
  return failed("SCRAPE_BROWSER_UNAVAILABLE", `No browser could be started${later}`);
}
