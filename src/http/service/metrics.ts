import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import { admit } from "../account/rate-limit.ts";
import { createRoute } from "../account/key-scope.ts";
import type { AppEnv } from "../context.ts";
import { BEARER, COMMON_FAILURES, failures } from "../route.ts";

const FORMAT = "text/plain; version=0.0.4; charset=utf-8";

const metricsRoute = createRoute({
  method: "get",
  path: "/metrics",
  "x-key-scope": "admin",
  tags: ["Service"],
  summary: "Get the metrics of the service",
  description:
    "Counters and histograms of all isolates and the state of the browser pools, in the text format of Prometheus. Counts arrive within two seconds.",
  security: BEARER,
  responses: {
    200: {
      description: "Metrics in the text format of Prometheus",
      content: {
        "text/plain": {
          schema: z.string().openapi({ description: "One sample per line.", example: "orbweaver_browsers 2\n" }),
        },
      },
    },
    ...failures(...COMMON_FAILURES),
  },
});

/** Every metric of the deployment, for keys with the admin scope. */
export const metrics = defineOpenAPIRoute<typeof metricsRoute, AppEnv>({
  route: metricsRoute,
  handler: async (c) => {
    await admit(c, { mode: "account", credits: 0 });
    return c.text(await c.var.deps.telemetry.read(), 200, { "Content-Type": FORMAT, "Cache-Control": "no-store" });
  },
});
