import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "./context.ts";

/** A deprecated route and its replacement; undefined if there is none. */
export interface Deprecation {
  warning: string;
  replacement: string | undefined;
}

export const EXTRACT_DEPRECATION: Deprecation = {
  warning: "The extract endpoint is deprecated; scrape pages with the json format, or ask the agent.",
  replacement: "/v2/scrape",
};

/**
 * Marks a route as deprecated in headers and body (RFC 9745 in the form that clients know; api-contract.md, “Deprecated
 * routes”), on errors too.
 */
export function deprecated({ warning, replacement }: Deprecation): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    await next();
    const { status, headers } = c.res;
    const said = new Headers(headers);
    said.set("Deprecation", "true");
    said.set("Warning", `299 - "${warning}"`);
    if (replacement !== undefined) said.append("Link", `<${replacement}>; rel="successor-version"`);
    const isJson = headers.get("Content-Type")?.startsWith("application/json") === true;
    const body = isJson ? await withNotes(c.res, { warning, replacement }) : c.res.body;
    c.res = undefined;
    c.res = new Response(body, { status, headers: said });
  };
}

async function withNotes(response: Response, { warning, replacement }: Deprecation): Promise<string> {
  const body = (await response.json()) as Record<string, unknown>;
  return JSON.stringify({ ...body, warnings: [warning], ...(replacement === undefined ? {} : { replacement }) });
}
