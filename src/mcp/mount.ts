import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { ApiKey } from "../core/account/api-key.ts";
import type { Deps } from "../services/deps.ts";
import type { OpenApi } from "./api.ts";
import { createMcpHandler } from "./server.ts";
import { SharedCalls } from "./shared-calls.ts";

/** As much of the application's variables as the server needs. */
interface McpEnv {
  Variables: { deps: Pick<Deps, "waitingCalls" | "clock">; caller: { key: Pick<ApiKey, "id" | "teamId" | "scopes"> } };
}

/**
 * Serves `/mcp`: the Model Context Protocol over streamable HTTP, with the routes of the same application as tools.
 * The application's own guards before `/mcp` hold, and those of each route that a tool calls.
 */
export function mountMcp<AppEnv extends McpEnv>(app: OpenAPIHono<AppEnv>): void {
  // The document's type says the same in the words of its library.
  const openApi = (): OpenApi =>
    app.getOpenAPI31Document({ openapi: "3.1.0", info: { title: "Tools", version: "0" } }) as unknown as OpenApi;
  const handle = createMcpHandler(openApi);
  app.all("/mcp", (c) => {
    const { deps, caller }: McpEnv["Variables"] = c.var;
    const dispatch = async (request: Request) => await app.fetch(request, c.env, executionContextOf(c));
    const { id: keyId, teamId, scopes } = caller.key;
    return handle(c.req.raw, dispatch, {
      shared: new SharedCalls(deps, teamId),
      keyId,
      endpoints: scopes.endpoints,
    });
  });
}

/** Outside of the Worker, in tests, there is none, and asking for it throws. */
function executionContextOf(c: Context): Context["executionCtx"] | undefined {
  try {
    return c.executionCtx;
  } catch {
    return undefined;
  }
}
