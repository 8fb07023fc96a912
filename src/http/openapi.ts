import type { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "./context.ts";

/** Serves the OpenAPI 3.1 document that the routes' schemas make. */
export function documentation(app: OpenAPIHono<AppEnv>): void {
  app.openAPIRegistry.registerComponent("securitySchemes", "bearer", { type: "http", scheme: "bearer" });
  app.get("/openapi.json", (c) => {
    const url = new URL(c.req.url);
    return c.json(
      app.getOpenAPI31Document({
        openapi: "3.1.0",
        info: { title: "Orbweaver", version: "0.1.0", description: "Web data API: scrape pages to clean markdown." },
        servers: [{ url: url.origin }],
      }),
    );
  });
}
