import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { AppError } from "../../core/errors.ts";
import type { ReadinessReport } from "../../services/upkeep/check-readiness.ts";
import type { AppEnv } from "../context.ts";
import { createRoute } from "../account/key-scope.ts";
import { failures, json } from "../route.ts";

const Status = z
  .object({ status: z.literal("ok").describe("Always `ok` while the service runs.") })
  .openapi("Alive", { example: { status: "ok" } });

const healthRoute = createRoute({
  method: "get",
  path: "/health",
  "x-key-scope": "public",
  tags: ["Service"],
  summary: "Check liveness",
  responses: { 200: json(Status, "The service is running") },
});
export const health = defineOpenAPIRoute<typeof healthRoute, AppEnv>({
  route: healthRoute,
  handler: (c) => c.json({ status: "ok" as const }, 200),
});

const livenessRoute = createRoute({ ...healthRoute, path: "/v0/health/liveness" });
export const liveness = defineOpenAPIRoute<typeof livenessRoute, AppEnv>({
  route: livenessRoute,
  handler: (c) => c.json({ status: "ok" as const }, 200),
});

const Ready = z
  .object({
    status: z.enum(["ready", "degraded"]).describe("`ready`, or `degraded` when a part that is not essential fails."),
    checks: z.record(z.string(), z.enum(["ok", "failed"])).describe("Result of the check of each dependency."),
    warning: z
      .string()
      .optional()
      .describe("What will fail soon if the operator does nothing, such as a database that is nearly full."),
  })
  .openapi("Ready", {
    example: {
      status: "ready",
      checks: { database: "ok", bucket: "ok", durableObjects: "ok", queues: "ok", browser: "ok" },
    },
  });

const readyRoute = createRoute({
  method: "get",
  path: "/health/ready",
  "x-key-scope": "public",
  tags: ["Service"],
  summary: "Check readiness",
  description: "Checks every dependency, within 3 s and at most every 5 s. Without a browser the service is degraded.",
  responses: { 200: json(Ready, "The service is ready"), ...failures("SERVICE_UNAVAILABLE") },
});
export const ready = defineOpenAPIRoute<typeof readyRoute, AppEnv>({
  route: readyRoute,
  handler: async (c) => {
    return c.json(await askReadiness(c), 200);
  },
});

const readinessRoute = createRoute({
  method: "get",
  path: "/v0/health/readiness",
  "x-key-scope": "public",
  tags: ["Service"],
  summary: "Check readiness (version 0)",
  responses: { 200: json(Status, "The service is ready"), ...failures("SERVICE_UNAVAILABLE") },
});
export const readiness = defineOpenAPIRoute<typeof readinessRoute, AppEnv>({
  route: readinessRoute,
  handler: async (c) => {
    await askReadiness(c);
    return c.json({ status: "ok" as const }, 200);
  },
});

async function askReadiness(
  c: Context<AppEnv>,
): Promise<ReadinessReport & { status: Exclude<ReadinessReport["status"], "unavailable"> }> {
  const { status, checks, warning } = await c.var.deps.readiness.check();
  c.header("Cache-Control", "no-store");
  if (status !== "unavailable") return { status, checks, ...(warning === undefined ? {} : { warning }) };
  const failed = Object.keys(checks).filter((name) => checks[name] === "failed");
  throw new AppError("SERVICE_UNAVAILABLE", `Not ready: ${failed.join(", ")}`, { details: { checks } });
}
