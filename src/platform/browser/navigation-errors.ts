import type { ErrorCode } from "../../core/errors.ts";

const TLS_ERROR = /^ERR_(CERT_|SSL_|BAD_SSL|TLS|CT_)/;

/**
 * What a network error of Chromium means for the caller (names: net/base/net_error_list.h of Chromium).
 * @param errorText as `Page.navigate` gives it, such as `net::ERR_CONNECTION_REFUSED`
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
