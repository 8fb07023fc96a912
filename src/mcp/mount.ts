import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context, Env } from "hono";
import type { OpenApi } from "./api.ts";
import { createMcpHandler } from "./server.ts";

/**
 * Serves `/mcp`: the Model Context Protocol over streamable HTTP, with the routes of the same application as tools.
 * The application's own guards before `/mcp` hold, and those of each route that a tool calls.
 */
export function mountMcp<AppEnv extends Env>(app: OpenAPIHono<AppEnv>): void {
  // The document's type says the same in the words of its library.
  const openApi = (): OpenApi =>
    app.getOpenAPI31Document({ openapi: "3.1.0", info: { title: "Tools", version: "0" } }) as unknown as OpenApi;
  const handle = createMcpHandler(openApi);
  app.all("/mcp", (c) => handle(c.req.raw, async (request) => await app.fetch(request, c.env, executionContextOf(c))));
}

/** Outside of the Worker, in tests, there is none, and asking for it throws. */
function executionContextOf(c: Context): Context["executionCtx"] | undefined {
  try {
    return c.executionCtx;
  } catch {
    return undefined;
  }
}
