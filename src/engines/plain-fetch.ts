import { ADDRESS_LITERAL } from "../core/scrape/edge-error.ts";
import type { EngineOutcome, LoadedPage } from "../core/scrape/page.ts";
import type { Http } from "../ports/outbound/http.ts";
import type { Engine, PageRequest } from "./engine.ts";

const ACCEPT = "text/html,application/xhtml+xml,application/pdf;q=0.9,*/*;q=0.8";
/** The part of a user agent that mobile sites check for; the rest of the user agent names the project. */
const MOBILE_MARK = "Mobile; Android";

/** Loads pages by one HTTP request (and its redirects), without running anything. */
export function createPlainFetchEngine(http: Http, options: { userAgent: string; maxBodyBytes: number }): Engine {
  return {
    engine: "fetch",
    provides: new Set(),
    async load(request): Promise<EngineOutcome> {
      const outcome = await http.request({
        url: request.url,
        headers: requestHeaders(request, options.userAgent),
        deadlineMs: request.deadlineMs,
        maxBodyBytes: options.maxBodyBytes,
        ownHosts: request.ownHosts,
      });
      if (outcome.kind === "failed") {
        const { edgeNumber, ...failure } = outcome;
        if (edgeNumber !== ADDRESS_LITERAL) return failure;
        // The platform's browsers load addresses without a host name.
        return { kind: "insufficient", reason: "address_literal", ...waitOf(outcome) };
      }
      const { url, statusCode, headers, body } = outcome.response;
      const page: LoadedPage = {
        engine: "fetch",
        url,
        statusCode,
        headers,
        contentType: headers["content-type"],
        body,
        ...waitOf(outcome),
        warnings: [],
      };
      return { kind: "loaded", page };
    },
  };
}

function waitOf({ waitedMs = 0 }: { waitedMs?: number }): { waitedMs?: number } {
  return waitedMs > 0 ? { waitedMs } : {};
}

/** The caller's own headers win over ours, whatever their case. */
function requestHeaders(request: PageRequest, userAgent: string): Record<string, string> {
  const headers = new Headers({
    accept: ACCEPT,
    "accept-encoding": "gzip, br",
    "accept-language": acceptLanguage(request.languages),
    "user-agent": request.mobile ? mobileUserAgent(userAgent) : userAgent,
  });
  for (const [header, value] of Object.entries(request.headers)) headers.set(header, value);
  return Object.fromEntries(headers);
}

function mobileUserAgent(userAgent: string): string {
  return userAgent.includes("(") ? userAgent.replace("(", `(${MOBILE_MARK}; `) : `${userAgent} (${MOBILE_MARK})`;
}

/** Accept-Language with falling weights (RFC 9110 § 12.5.4). */
export function acceptLanguage(languages: readonly string[]): string {
  if (languages.length === 0) return "en-US,en;q=0.9";
  return languages
    .slice(0, 9)
    .map((language, index) => (index === 0 ? language : `${language};q=${(1 - index / 10).toFixed(1)}`))
    .join(",");
}
