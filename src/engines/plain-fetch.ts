import { ADDRESS_LITERAL } from "../core/scrape/edge-error.ts";
import type { EngineOutcome, LoadedPage } from "../core/scrape/page.ts";
import type { Http } from "../ports/outbound/http.ts";
import { routeOf } from "../core/egress-routes.ts";
import type { Engine, PageRequest } from "./engine.ts";

const ACCEPT = "text/html,application/xhtml+xml,application/pdf;q=0.9,*/*;q=0.8";
/** The part of a user agent that mobile sites check for; the rest of the user agent names the project. */
const MOBILE_MARK = "Mobile; Android";

interface PlainFetchOptions {
  userAgent: string;
  maxBodyBytes: number;
  /** The egress route of all requests; without it, they leave directly or by the host rules. */
  route?: Engine["route"];
}

/** Loads pages by one HTTP request (and its redirects), without running anything. */
export function createPlainFetchEngine(http: Http, options: PlainFetchOptions): Engine {
  const { route } = options;
  return {
    engine: "fetch",
    provides: new Set(),
    ...(route === undefined ? {} : { route }),
    async load(request): Promise<EngineOutcome> {
      const outcome = await http.request({
        url: request.url,
        headers: requestHeaders(request, options.userAgent),
        deadlineMs: request.deadlineMs,
        maxBodyBytes: options.maxBodyBytes,
        ownHosts: request.ownHosts,
        hasRoom: request.hasRoom,
        owner: request.owner,
        ...(route === undefined ? {} : { route: route.name }),
        ...(request.profile === undefined ? {} : { cookies: request.profile.cookies }),
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
        ...proxyOf(outcome, request),
        warnings: [],
      };
      return { kind: "loaded", page };
    },
  };
}

function waitOf({ waitedMs = 0 }: { waitedMs?: number }): { waitedMs?: number } {
  return waitedMs > 0 ? { waitedMs } : {};
}

/** The endpoint that brought a page, and what the metadata says of it. */
function proxyOf({ proxy }: { proxy?: string }, { egress }: PageRequest): Pick<LoadedPage, "proxy" | "proxyUsed"> {
  if (proxy === undefined) return {};
  const isEnhanced = egress?.isEnhanced === true || (egress?.ifBlocked ?? []).length > 0;
  return { proxy, proxyUsed: isEnhanced ? "stealth" : routeOf(proxy) };
}

/** The caller's own headers win over ours, whatever their case. */
function requestHeaders(request: PageRequest, userAgent: string): Record<string, string> {
  const headers = new Headers({
    accept: ACCEPT,
    "accept-encoding": "gzip, br",
    "accept-language": acceptLanguage(request.languages),
    "user-agent": request.mobile ? mobileUserAgent(userAgent) : userAgent,
  });
  const { etag, lastModified } = request.validators ?? {};
  if (etag !== undefined) headers.set("if-none-match", etag);
  if (lastModified !== undefined) headers.set("if-modified-since", lastModified);
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
