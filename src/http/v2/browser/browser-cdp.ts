import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { isShownTarget } from "../../../core/cdp/shown-target.ts";
import { AppError } from "../../../core/errors.ts";
import { enterSession } from "../../../services/sessions/enter-session.ts";
import type { AppEnv } from "../../context.ts";
import { createRoute } from "../../account/key-scope.ts";
import { publicOrigin } from "../../public-origin.ts";
import { failures, json } from "../../route.ts";
import { SESSION_LINKS_EXAMPLE } from "../../docs/examples.ts";

/** Endpoints of Chrome's remote debugging over HTTP, from which clients read the sockets' URLs. */
const Endpoint = z.enum(["version", "list", "protocol"]);

const Facts = z.unknown().openapi({
  example: {
    Browser: "Chrome/140.0.0.0",
    "Protocol-Version": "1.3",
    webSocketDebuggerUrl: SESSION_LINKS_EXAMPLE.cdpUrl,
  },
});

const route = createRoute({
  method: "get",
  path: "/v2/browser/{id}/cdp/json/{what}",
  "x-key-scope": "url",
  tags: ["Browser sessions"],
  summary: "Get the DevTools endpoints of a session",
  request: {
    params: z.object({
      id: z.string().openapi({ description: "ID of the browser session.", param: { name: "id", in: "path" } }),
      what: Endpoint.openapi({
        description: "Document of the DevTools protocol to return.",
        param: { name: "what", in: "path" },
      }),
    }),
    query: z.object({
      token: z.string().default("").openapi({ description: "Token of the session, as contained in `cdpUrl`." }),
    }),
  },
  responses: {
    200: json(Facts, "The DevTools document, with URLs that lead through this service"),
    ...failures("BROWSER_SESSION_NOT_FOUND", "BROWSER_SESSION_ENDED", "BROWSER_NOT_CONFIGURED", "SERVICE_UNAVAILABLE"),
  },
});

export const browserCdp = defineOpenAPIRoute<typeof route, AppEnv>({
  route,
  handler: (c) => answer(c, { ...c.req.valid("param"), ...c.req.valid("query") }),
});

async function answer(
  c: Context<AppEnv>,
  { id, what, token }: { id: string; what: z.infer<typeof Endpoint>; token: string },
) {
  const { deps } = c.var;
  if (deps.sessionConnector === undefined) throw new AppError("BROWSER_NOT_CONFIGURED");
  const { browserSessionId } = await enterSession(deps, { id, token, wanted: "cdp" });
  const facts = await deps.sessionConnector.facts(browserSessionId, what);
  if (facts === undefined) throw new AppError("BROWSER_SESSION_ENDED");
  const base = `${publicOrigin(c.req.raw).replace(/^http/, "ws")}/v2/browser/${id}/cdp`;
  return c.json(withOwnAddresses(facts, { base, token }), 200);
}

/** Replaces the browser's own URLs, which are not reachable from outside. */
function withOwnAddresses(facts: unknown, { base, token }: { base: string; token: string }): object {
  const query = `?token=${encodeURIComponent(token)}`;
  if (!Array.isArray(facts)) {
    const fields: object = typeof facts === "object" && facts !== null ? facts : {};
    return "webSocketDebuggerUrl" in fields ? { ...fields, webSocketDebuggerUrl: `${base}${query}` } : fields;
  }
  const shown = facts.filter(({ type, url }: Record<string, unknown>) =>
    isShownTarget({ type: String(type), url: String(url) }),
  );
  return shown.map((target: Record<string, unknown>) => {
    const { devtoolsFrontendUrl: _frontend, ...rest } = target;
    return { ...rest, webSocketDebuggerUrl: `${base}/page/${encodeURIComponent(String(target["id"]))}${query}` };
  });
}
