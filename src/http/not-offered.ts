import type { Hono } from "hono";
import { AppError } from "../core/errors.ts";
import type { AppEnv } from "./context.ts";

/** A path that clients know and this service does not serve. */
interface NotOffered {
  /** Undefined for all methods. */
  method?: "POST";
  path: string;
  /** The error message: the missing operation and its alternative. */
  says: string;
}

const SUPPORT = "This deployment does not offer automated support. Its documentation is at /docs.";
const EXCHANGE = "This deployment does not offer an exchange of tools from other providers.";
const TEAM_RULES = "This deployment does not offer threat and log rules per team; its settings apply to all teams.";

/**
 * Paths that published clients may call and this service does not serve (api-contract.md, “Unsupported operations”).
 * Their errors explain that, as opposed to the 404 of a mistyped path. Not in the OpenAPI document, which lists what is
 * served.
 */
const NOT_OFFERED: readonly NotOffered[] = [
  { path: "/v2/support/*", says: SUPPORT },
  {
    path: "/v2/mcp/action-logs",
    says: "This deployment does not offer a log of MCP actions. Requests are in GET /v2/team/activity.",
  },
  { path: "/v2/team/threat-protection", says: TEAM_RULES },
  { path: "/v2/team/siem", says: TEAM_RULES },
  {
    method: "POST",
    path: "/v2/monitor/email/*",
    says: "This deployment does not send email about monitors, so there is no subscription to confirm or to cancel. Use webhooks.",
  },
  { path: "/v2/slack/*", says: "This deployment does not send messages to Slack. Use webhooks." },
  {
    path: "/v2/keyless/eligibility",
    says: "This deployment does not offer eligibility for use without a key: requests need a key unless AUTH_DISABLED is set.",
  },
  { path: "/exchange/*", says: EXCHANGE },
  { path: "/v2/exchange", says: EXCHANGE },
  { path: "/v2/exchange/*", says: EXCHANGE },
  { path: "/v0/*", says: "This deployment does not offer version 0 of the API. Use /v1 or /v2." },
];

/** Answers 501 at the paths of `NOT_OFFERED`. Mount it after authentication and all other routes. */
export function notOffered(app: Hono<AppEnv>): void {
  for (const { method = "ALL", path, says } of NOT_OFFERED) {
    app.on(method, path, () => {
      throw new AppError("NOT_AVAILABLE", says);
    });
  }
}
