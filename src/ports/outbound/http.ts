import type { ProfileCookie } from "../../core/sessions/profile.ts";
import type { ErrorCode } from "../../core/errors.ts";
import type { Owner } from "../../core/fair-order.ts";

/** An outbound request. */
export interface OutboundRequest {
  url: string;
  method?: "GET" | "POST" | "HEAD";
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** Ms since the epoch. */
  deadlineMs: number;
  /** Decompressed bytes after which the load ends with `SCRAPE_BODY_TOO_LARGE`. */
  maxBodyBytes?: number;
  /** True where the beginning of a larger body is the answer: `maxBodyBytes` of it, and up to a piece more. */
  cutsBody?: boolean;
  /** Reports whether more of a large body may be read now. Default: always. Its deadline does not move. */
  hasRoom?: (() => boolean) | undefined;
  /** Whose request it is: its wait for a connection, where these are shared among teams, is part of its time. Default: no wait. */
  owner?: Owner | undefined;
  /** Cookies of a profile: each hop carries those that belong to its URL. */
  cookies?: readonly ProfileCookie[];
  /** The service's own hosts (`host:port`), which are refused. */
  ownHosts: readonly string[];
  /** `manual`: the response of a redirect is the answer. Default: redirects are followed. */
  redirect?: "follow" | "manual";
  /** The egress route to use. Without one, the host rules decide. */
  route?: string;
}

export interface OutboundResponse {
  /** Final URL, after redirects. */
  url: string;
  statusCode: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: Uint8Array;
  redirects: number;
}

/**
 * `waitedMs` is the time by which the deadline has moved, because the request waited for a connection; `proxy` the
 * endpoint of the egress route that was used, absent for direct requests.
 */
export type OutboundOutcome =
  | { kind: "response"; response: OutboundResponse; waitedMs?: number; proxy?: string }
  | {
      kind: "failed";
      code: ErrorCode;
      message: string;
      cause?: unknown;
      /** Number of the error that the platform's edge has reported in place of the site (`core/scrape/edge-error.ts`). */
      edgeNumber?: number;
      /** Status of a response whose body is too large. */
      statusCode?: number;
      waitedMs?: number;
      /** True when its time ended before it was sent, which says nothing about the site. */
      isUnsent?: true;
      /** Endpoint of the egress route that was used. */
      proxy?: string;
    };

/** Sends outbound requests. Enforces the limits on size and time, and the redirect and address rules. */
export interface Http {
  request(request: OutboundRequest): Promise<OutboundOutcome>;
}
