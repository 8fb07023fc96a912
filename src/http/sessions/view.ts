import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import { ERRORS, isAppError } from "../../core/errors.ts";
import { enterSession } from "../../services/sessions/enter-session.ts";
import type { AppEnv } from "../context.ts";
import { asksForPage } from "../dashboard.ts";
import { createRoute } from "../account/key-scope.ts";
import { liveViewPage } from "../pages/live-view-page.ts";
import { json } from "../route.ts";
import { page, refusalOf, refusedPages, SESSION_TAGS, SessionParam, tokenOf } from "./session-page.ts";

const TokenQuery = z.object({
  token: tokenOf("liveViewUrl or interactiveLiveViewUrl"),
  interactive: z
    .enum(["true", "false"])
    .optional()
    .openapi({ description: "`true` accepts mouse and keyboard input. Default: false." }),
});

const viewRoute = createRoute({
  method: "get",
  path: "/view/{id}",
  "x-key-scope": "url",
  tags: SESSION_TAGS,
  summary: "Show the live view of a browser session",
  request: { params: SessionParam, query: TokenQuery },
  responses: {
    200: page("The page"),
    302: { description: "The platform's own live view, where it has one; not in a frame of a page of this service" },
    ...refusedPages("BROWSER_SESSION_NOT_FOUND", "BROWSER_SESSION_ENDED"),
  },
});
/** The same page for everyone; it shows itself whether the session has ended. */
const view = defineOpenAPIRoute<typeof viewRoute, AppEnv>({
  route: viewRoute,
  handler: async (c) => {
    const { deps } = c.var;
    const { token, interactive } = c.req.valid("query");
    const { html, headers } = await liveViewPage();
    const entering = enterSession(deps, { id: c.req.valid("param").id, token, wanted: "view" });
    const entrance = await entering.catch(refusalOf);
    if (isAppError(entrance)) {
      if (!asksForPage(c.req.raw)) throw entrance;
      return c.body(html, ERRORS[entrance.code].status, headers);
    }
    const mode = entrance.scope === "drive" && interactive === "true" ? "drive" : "view";
    if (isInDashboard(c.req.raw)) return c.body(html, 200, headers);
    const native = await deps.sessionConnector?.nativeView(entrance.browserSessionId, mode);
    if (native !== undefined) return c.redirect(native, 302);
    return c.body(html, 200, headers);
  },
});

/** Reports whether the page is for a frame of the dashboard, whose policy lets in no page of another origin. */
function isInDashboard({ headers }: Request): boolean {
  return headers.get("Sec-Fetch-Dest") === "iframe" && headers.get("Sec-Fetch-Site") === "same-origin";
}

const State = z
  .object({
    state: z
      .enum(["active", "ended", "refused"])
      .describe("State of the session: `refused` means that the token is not valid."),
  })
  .openapi("LiveViewState", { example: { state: "active" } });

const stateRoute = createRoute({
  method: "get",
  path: "/view/{id}/state",
  "x-key-scope": "url",
  tags: SESSION_TAGS,
  summary: "Check whether a live view URL is valid",
  request: { params: SessionParam, query: TokenQuery },
  responses: { 200: json(State, "The state of the session") },
});
const state = defineOpenAPIRoute<typeof stateRoute, AppEnv>({
  route: stateRoute,
  handler: async (c) => {
    const { token } = c.req.valid("query");
    try {
      await enterSession(c.var.deps, { id: c.req.valid("param").id, token, wanted: "view" });
      return c.json({ state: "active" as const }, 200);
    } catch (error) {
      if (!isAppError(error)) throw error;
      return c.json({ state: error.code === "BROWSER_SESSION_ENDED" ? ("ended" as const) : ("refused" as const) }, 200);
    }
  },
});

/** Pages of sessions, for holders of their URL. */
export const viewRoutes = [view, state] as const;
