import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import type { AppEnv } from "./context.ts";
import { createRoute } from "./account/key-scope.ts";
import { echo } from "./service/deployment-check.ts";
import { health, liveness, readiness, ready } from "./service/health.ts";
import { EXAMPLE_ORIGIN } from "./docs/examples.ts";
import { keyDirectory } from "./service/key-directory.ts";
import { json } from "./route.ts";

const Greeting = z
  .object({
    message: z.string().describe("Name of the service."),
    documentation_url: z.string().describe("URL of the documentation."),
  })
  .openapi("Greeting", {
    example: { message: "Orbweaver API", documentation_url: `${EXAMPLE_ORIGIN}/docs` },
  });
const rootRoute = createRoute({
  method: "get",
  path: "/",
  "x-key-scope": "public",
  tags: ["Service"],
  summary: "Get the name of the service",
  responses: { 200: json(Greeting, "Name and documentation of the service") },
});
const root = defineOpenAPIRoute<typeof rootRoute, AppEnv>({
  route: rootRoute,
  handler: (c) => {
    // Browsers get the dashboard at this path (`dashboard.ts`).
    c.header("Vary", "Accept", { append: true });
    return c.json({ message: "Orbweaver API", documentation_url: new URL("/docs", c.req.url).href }, 200);
  },
});

/** Routes without a key, except signed file URLs (`v2/files.ts`). */
export const publicRoutes = [root, health, ready, liveness, readiness, keyDirectory, echo] as const;
