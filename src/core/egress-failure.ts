/**
 * Why the egress proxy of a local service did not hand a request on: not allowed by the outbound policy (`refused`), the
 * name does not exist or cannot be resolved now, no connection in time or at all, one that was reset before an answer came,
 * or a certificate that is not accepted.
 */
export const EGRESS_FAILURES = ["refused", "not_found", "unresolved", "timeout", "connect", "reset", "tls"] as const;

export type EgressFailure = (typeof EGRESS_FAILURES)[number];

/** Names the failure on answers of the proxy's own. The proxy removes it from what sites send. */
export const EGRESS_FAILURE_HEADER = "x-egress-failure";

/** Where the proxy itself tells the service why a tunnel was not opened (`?authority=host:port`). No site has this name. */
export const EGRESS_REPORT_URL = "http://egress.invalid/tunnel-failure";

/** The failure that a header value names; undefined for anything else. */
export function toEgressFailure(value: string | null | undefined): EgressFailure | undefined {
  return EGRESS_FAILURES.find((failure) => failure === value);
}
