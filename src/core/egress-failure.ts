/**
 * Reasons that the local egress proxy did not forward a request: refused by the outbound policy (`refused`), a name
 * that does not exist or cannot be resolved now, no connection in time or at all, a connection reset before a response,
 * a response that is not HTTP (RFC 9112), a certificate that is not accepted, an upstream proxy that cannot be reached or
 * does not reach the site, or one that refuses its user and password.
 */
const EGRESS_FAILURES = [
  "refused",
  "not_found",
  "unresolved",
  "timeout",
  "connect",
  "reset",
  "malformed",
  "tls",
  "proxy",
  "proxy_denied",
] as const;

export type EgressFailure = (typeof EGRESS_FAILURES)[number];

/** Header that names the failure in responses of the proxy itself. The proxy removes it from responses of sites. */
export const EGRESS_FAILURE_HEADER = "x-egress-failure";

/** Names the configured upstream proxy that a request is to use. Only the operator's requests may carry it. */
export const EGRESS_UPSTREAM_HEADER = "x-egress-upstream";

/** URL at which the proxy reports why a tunnel was not opened (`?authority=host:port`). No site has this host name. */
export const EGRESS_REPORT_URL = "http://egress.invalid/tunnel-failure";

/** Returns the failure that a header value names; undefined for other values. */
export function toEgressFailure(value: string | null | undefined): EgressFailure | undefined {
  return EGRESS_FAILURES.find((failure) => failure === value);
}
