import type { EgressFailure } from "../../../core/egress-failure.ts";
import type { ErrorCode } from "../../../core/errors.ts";

const TLS_ERROR = /^ERR_(CERT_|SSL_|BAD_SSL|TLS|CT_)/;

/** For an address that the guard allowed and the egress proxy refused: its name now resolves to another address. */
export const REFUSED_BY_EGRESS = "The host leads to a private address, so the page is not loaded";

/** The browser's error when a proxy opens no tunnel, whatever the reason. */
export const TUNNEL_ERROR = "net::ERR_TUNNEL_CONNECTION_FAILED";

const EGRESS_ERRORS: Record<Exclude<EgressFailure, "refused">, string> = {
  not_found: "net::ERR_NAME_NOT_RESOLVED",
  unresolved: "net::ERR_NAME_NOT_RESOLVED",
  timeout: "net::ERR_CONNECTION_TIMED_OUT",
  connect: "net::ERR_CONNECTION_REFUSED",
  reset: "net::ERR_CONNECTION_RESET",
  malformed: "net::ERR_INVALID_HTTP_RESPONSE",
  tls: "net::ERR_CONNECTION_FAILED",
  proxy: "net::ERR_PROXY_CONNECTION_FAILED",
  proxy_denied: "net::ERR_PROXY_AUTH_REQUESTED",
};

/** Like `navigationError`, for a request that the egress proxy did not forward, or a tunnel that it did not open. */
export function egressError(failure: EgressFailure, url: string): { code: ErrorCode; message: string } {
  if (failure === "refused") return { code: "SAFE_MODE_BLOCKED", message: REFUSED_BY_EGRESS };
  return navigationError(EGRESS_ERRORS[failure], url);
}

/**
 * Maps a network error of Chromium to an error for the caller (names: net/base/net_error_list.h of Chromium).
 * @param errorText as `Page.navigate` returns it, such as `net::ERR_CONNECTION_REFUSED`
 */
export function navigationError(errorText: string, url: string): { code: ErrorCode; message: string } {
  const name = errorText.replace(/^net::/, "");
  const host = URL.parse(url)?.hostname ?? url;
  if (name === "ERR_NAME_NOT_RESOLVED") {
    return { code: "SCRAPE_DNS_RESOLUTION_ERROR", message: `The host name ${host} does not resolve` };
  }
  if (TLS_ERROR.test(name)) {
    return {
      code: "SCRAPE_SSL_ERROR",
      message: `The TLS certificate or connection of ${host} was not accepted (${name})`,
    };
  }
  if (name === "ERR_TOO_MANY_REDIRECTS") {
    return { code: "SCRAPE_REDIRECT_ERROR", message: `${url} redirects too often (${name})` };
  }
  if (name === "ERR_TIMED_OUT" || name === "ERR_CONNECTION_TIMED_OUT") {
    return { code: "SCRAPE_TIMEOUT", message: `${host} did not answer in time (${name})` };
  }
  return { code: "SCRAPE_SITE_ERROR", message: `The page could not be loaded: ${name}` };
}
