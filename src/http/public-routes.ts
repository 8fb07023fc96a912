import { createRoute, defineOpenAPIRoute, z } from "@hono/zod-openapi";
import type { AppEnv } from "./context.ts";
import { json } from "./route.ts";

const Status = z.object({ status: z.literal("ok") });

const healthRoute = createRoute({
  method: "get",
  path: "/health",
  tags: ["Service"],
  summary: "Tell that the service runs",
  responses: { 200: json(Status, "The service runs") },
});
const health = defineOpenAPIRoute<typeof healthRoute, AppEnv>({
  route: healthRoute,
  handler: (c) => c.json({ status: "ok" as const }, 200),
});

const livenessRoute = createRoute({
  ...healthRoute,
  path: "/v0/health/liveness",
  summary: "Tell that the service lives",
});
const liveness = defineOpenAPIRoute<typeof livenessRoute, AppEnv>({
  route: livenessRoute,
  handler: (c) => c.json({ status: "ok" as const }, 200),
});

const readinessRoute = createRoute({
  ...healthRoute,
  path: "/v0/health/readiness",
  summary: "Tell that the service is ready",
});
const readiness = defineOpenAPIRoute<typeof readinessRoute, AppEnv>({
  route: readinessRoute,
  handler: (c) => c.json({ status: "ok" as const }, 200),
});

const Greeting = z.object({ message: z.string(), documentation_url: z.string() });
const rootRoute = createRoute({
  method: "get",
  path: "/",
  tags: ["Service"],
  summary: "Say what this is",
  responses: { 200: json(Greeting, "The service and its documentation") },
});
const root = defineOpenAPIRoute<typeof rootRoute, AppEnv>({
  route: rootRoute,
  handler: (c) => {
    // Browsers are shown the dashboard under this address (`dashboard.ts`).
    c.header("Vary", "Accept", { append: true });
    return c.json({ message: "Orbweaver API", documentation_url: new URL("/openapi.json", c.req.url).href }, 200);
  },
});

/** Routes that answer without a key. Signed file URLs are the other ones (`v2/files.ts`). */
export const publicRoutes = [root, health, liveness, readiness] as const;
