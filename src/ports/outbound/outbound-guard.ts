import type { EgressFailure } from "../../core/egress-failure.ts";
import type { Refusal } from "../../core/url/outbound-policy.ts";

/** Verdict on a URL: allowed, refused by the outbound policy, or a host name that does not exist. */
export type GuardVerdict =
  | { kind: "allowed" }
  | ({ kind: "refused" } & Refusal)
  | { kind: "not_found"; hostname: string };

/** Reports of the local egress proxy on requests that it did not forward. */
export interface EgressReport {
  /** Returns why the last tunnel to the URL's host and port failed; undefined when it opened or is unknown. */
  tunnelFailure(url: string): Promise<EgressFailure | undefined>;
}

/** Decides whether a URL may be requested. Used for every fetch, redirect, webhook and browser request. */
export interface OutboundGuard {
  check(url: string, ownHosts: readonly string[]): Promise<GuardVerdict>;
  /**
   * Checks the text of a URL alone. Set where a load reaches no private network: `check`, which resolves the name, then
   * runs beside the load, and the load ends when it refuses.
   */
  checkText?(url: string, ownHosts: readonly string[]): GuardVerdict;
  /** Set when requests pass through the egress proxy, which checks them again and reports failures. */
  egress?: EgressReport;
}
