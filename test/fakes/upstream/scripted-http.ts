import type { ErrorCode } from "../../../src/core/errors.ts";
import type { Http, OutboundRequest } from "../../../src/ports/outbound/http.ts";

/** What a URL answers; a text is a 200. */
export type ScriptedResponse =
  | string
  | Uint8Array
  | { status?: number; body?: string | Uint8Array; url?: string; redirects?: number; type?: string }
  | { failed: ErrorCode };

/** A web that lives in a table: what is not in it is a 404. Every request is noted in `seen`. */
export function scriptedHttp(pages: Record<string, ScriptedResponse>): Http & { seen: OutboundRequest[] } {
  const seen: OutboundRequest[] = [];
  return {
    seen,
    async request(request) {
      seen.push(request);
      const page = pages[request.url] ?? { status: 404 };
      if (typeof page === "object" && "failed" in page)
        return { kind: "failed", code: page.failed, message: page.failed };
      const answer = typeof page === "string" || page instanceof Uint8Array ? { body: page } : page;
      const { status = 200, body = "", url = request.url, redirects = 0, type = "text/html" } = answer;
      return {
        kind: "response",
        response: {
          url,
          statusCode: status,
          headers: { "content-type": type },
          body: typeof body === "string" ? new TextEncoder().encode(body) : body,
          redirects,
        },
      };
    },
  };
}
