import type { ErrorCode } from "../../../src/core/errors.ts";
import type { Http, OutboundRequest } from "../../../src/ports/outbound/http.ts";

/** What a URL answers; a text is a 200. */
export type ScriptedResponse =
  | string
  | Uint8Array
  | {
      status?: number;
      body?: string | Uint8Array;
      url?: string;
      redirects?: number;
      type?: string;
      retryAfter?: string;
    }
  | { failed: ErrorCode; message?: string; isUnsent?: true };

/**
 * A web that lives in a table: what is not in it is a 404. Of a list, each request gets the next one, and the last one from
 * then on. Every request is noted in `seen`.
 */
export function scriptedHttp(
  pages: Record<string, ScriptedResponse | ScriptedResponse[]>,
): Http & { seen: OutboundRequest[] } {
  const seen: OutboundRequest[] = [];
  return {
    seen,
    async request(request) {
      seen.push(request);
      const scripted = pages[request.url] ?? { status: 404 };
      const timesOf = (): number => seen.filter(({ url }) => url === request.url).length;
      const page = Array.isArray(scripted) ? (scripted[timesOf() - 1] ?? scripted.at(-1) ?? "") : scripted;
      if (typeof page === "object" && "failed" in page)
        return {
          kind: "failed",
          code: page.failed,
          message: page.message ?? page.failed,
          ...(page.isUnsent === true ? { isUnsent: true } : {}),
        };
      const answer = typeof page === "string" || page instanceof Uint8Array ? { body: page } : page;
      const { status = 200, body = "", url = request.url, redirects = 0, type = "text/html", retryAfter } = answer;
      return {
        kind: "response",
        response: {
          url,
          statusCode: status,
          headers: { "content-type": type, ...(retryAfter === undefined ? {} : { "retry-after": retryAfter }) },
          body: typeof body === "string" ? new TextEncoder().encode(body) : body,
          redirects,
        },
      };
    },
  };
}
