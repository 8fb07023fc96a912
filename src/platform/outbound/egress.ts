import type { Protocol } from "devtools-protocol";
import {
  EGRESS_FAILURE_HEADER,
  EGRESS_REPORT_URL,
  toEgressFailure,
  type EgressFailure,
} from "../../core/egress-failure.ts";
import { AppError, type ErrorCode } from "../../core/errors.ts";
import { hostWithPort } from "../../core/url/outbound-policy.ts";
import type { EgressReport, OutboundGuard } from "../../ports/outbound/outbound-guard.ts";

interface EgressEnv {
  EGRESS?: Fetcher;
}

/** The fetch function for outgoing requests, and whether they pass through a proxy. */
export interface OutboundFetch {
  fetcher: typeof fetch;
  /** True where requests pass through the egress proxy, whose own responses state why it did not forward a request. */
  isProxied: boolean;
}

const directFetch: typeof fetch = (input, init) => fetch(input, init);

/** Returns the fetch function for requests that load callers' URLs. */
export function pageFetch({ EGRESS }: EgressEnv): OutboundFetch {
  return { fetcher: directFetch, isProxied: EGRESS !== undefined };
}

/** Returns the fetch function for requests to servers that the settings name, which may be on a private network. */
export function operatorFetch({ EGRESS }: EgressEnv): OutboundFetch {
  if (EGRESS === undefined) return { fetcher: directFetch, isProxied: false };
  return { fetcher: (input, init) => EGRESS.fetch(input, init), isProxied: true };
}

/** Returns the proxy's report on tunnels, through which browsers reach sites over TLS; undefined without a proxy. */
export function egressReport({ EGRESS }: EgressEnv): EgressReport | undefined {
  if (EGRESS === undefined) return undefined;
  return {
    async tunnelFailure(url) {
      const parsed = URL.parse(url);
      if (parsed === null) return undefined;
      const question = new URL(EGRESS_REPORT_URL);
      question.searchParams.set("authority", hostWithPort(parsed));
      const answer = await EGRESS.fetch(question.href).catch(() => undefined);
      return toEgressFailure(await answer?.text());
    },
  };
}

/** Error reasons that report to a browser why the proxy did not forward its request. */
export const EGRESS_ERROR_REASONS = {
  refused: "BlockedByClient",
  not_found: "NameNotResolved",
  unresolved: "NameNotResolved",
  timeout: "TimedOut",
  connect: "ConnectionRefused",
  reset: "ConnectionReset",
  malformed: "Failed",
  tls: "ConnectionFailed",
  proxy: "ConnectionFailed",
  proxy_denied: "ConnectionFailed",
} as const satisfies Record<EgressFailure, Protocol.Network.ErrorReason>;

/** Returns the egress failure that a browser's response states; undefined without a proxy. */
export function egressFailureOf(
  headers: readonly Protocol.Fetch.HeaderEntry[],
  { egress }: OutboundGuard,
): EgressFailure | undefined {
  if (egress === undefined) return undefined;
  return toEgressFailure(headers.find(({ name }) => name.toLowerCase() === EGRESS_FAILURE_HEADER)?.value);
}

const CODES: Record<EgressFailure, ErrorCode> = {
  refused: "SAFE_MODE_BLOCKED",
  not_found: "SCRAPE_DNS_RESOLUTION_ERROR",
  unresolved: "SCRAPE_DNS_RESOLUTION_ERROR",
  timeout: "SCRAPE_TIMEOUT",
  connect: "SCRAPE_SITE_ERROR",
  reset: "SCRAPE_SITE_ERROR",
  malformed: "SCRAPE_SITE_ERROR",
  tls: "SCRAPE_SSL_ERROR",
  proxy: "SCRAPE_PROXY_UNREACHABLE",
  proxy_denied: "SCRAPE_PROXY_DENIED",
};

/** @throws AppError when a response is the egress proxy's own, which states why the request was not forwarded */
export async function assertForwarded(response: Response, url: string): Promise<void> {
  const failure = toEgressFailure(response.headers.get(EGRESS_FAILURE_HEADER));
  if (failure === undefined) return;
  const reason = await response.text();
  throw new AppError(CODES[failure], failure === "refused" ? `${reason}, so ${url} is not loaded` : reason);
}
