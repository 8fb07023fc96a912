import type { EgressFailure } from "../../core/egress-failure.ts";
import type { Refusal } from "../../core/url/outbound-policy.ts";

/** What a URL came to: loadable, refused by policy, or a name that does not exist. */
export type GuardVerdict =
  | { kind: "allowed" }
  | ({ kind: "refused" } & Refusal)
  | { kind: "not_found"; hostname: string };

/** What the egress proxy of a local service tells about requests that it did not hand on. */
export interface EgressReport {
  /** Why the last tunnel to the URL's host and port was not opened; undefined when the proxy opened it or knows nothing. */
  tunnelFailure(url: string): Promise<EgressFailure | undefined>;
}

/** Says whether a URL may be called. Used for every fetch, redirect, webhook and browser request. */
export interface OutboundGuard {
  check(url: string, ownHosts: readonly string[]): Promise<GuardVerdict>;
  /** There where requests pass through the egress proxy, which checks them once more and tells what came of them. */
  egress?: EgressReport;
}
