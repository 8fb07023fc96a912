import type { OpenAPIHono } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "./context.ts";

/** The warning of deprecated routes, and their replacement; undefined if there is none. */
interface Deprecation {
  warning: string;
  replacement: string | undefined;
}

const EXTRACT: Deprecation = {
  warning: "The extract endpoint is deprecated; scrape pages with the json format, or ask the agent.",
  replacement: "/v2/scrape",
};
/** By path; the paths below it are deprecated too. */
const DEPRECATIONS: Readonly<Record<string, Deprecation>> = {
  "/v1/extract": EXTRACT,
  "/v2/extract": EXTRACT,
  "/v1/deep-research": {
    warning: "The deep-research endpoint is deprecated; ask the agent, or search.",
    replacement: "/v2/scrape",
  },
  "/v1/llmstxt": { warning: "The llmstxt endpoint is deprecated.", replacement: undefined },
};

/** Marks deprecated routes in every response, those to callers without a key included. */
export function markDeprecated(app: OpenAPIHono<AppEnv>): void {
  for (const [path, deprecation] of Object.entries(DEPRECATIONS)) app.use(`${path}/*`, deprecated(deprecation));
}

/**
 * Marks a route as deprecated in headers and body (RFC 9745 in the form that clients know; api-contract.md, “Deprecated
 * routes”), on errors too.
 */
function deprecated({ warning, replacement }: Deprecation): MiddlewareHandler<AppEnv> {
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
