import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context, MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import { v7 as uuidv7 } from "uuid";
import { AppError } from "../core/errors.ts";
import { nameNearestFields } from "../core/schema/explain-issues.ts";
import type { Deps } from "../services/deps.ts";
import { newKnownKeys, type KnownKeys } from "../services/account/authenticate.ts";
import { authenticate } from "./account/auth.ts";
import { allowedOrigin, checkOrigin } from "./check-origin.ts";
import type { AppEnv } from "./context.ts";
import { markDeprecated } from "./deprecated.ts";
import { errorResponse, inputOf, schemaError, unknownRoute } from "./error-response.ts";
import { takeTurn } from "./account/fair-requests.ts";
import { admitFirst } from "./account/rate-limit.ts";
import { logRequest } from "./log-request.ts";
import { deploymentCheck } from "./service/deployment-check.ts";
import { metrics } from "./service/metrics.ts";
import { limitBody } from "./body/limit-body.ts";
import { countLongJson } from "./scrape/counted-body.ts";
import { docs } from "./docs/docs.ts";
import { notOffered } from "./not-offered.ts";
import { documentation } from "./docs/openapi.ts";
import { publicRoutes } from "./public-routes.ts";
import { replayRoutes } from "./sessions/replay.ts";
import { viewRoutes } from "./sessions/view.ts";
import { v1Routes } from "./v1/index.ts";
import { addAgentHints } from "./agent-hints.ts";
import { monitorEmails } from "./v2/monitor-emails.ts";
import { v2Routes } from "./v2/index.ts";
import { RequestPaths, methodsAt } from "./request-path.ts";
import { recordWork } from "./work.ts";

/** Response headers that scripts of other origins may read. */
const EXPOSED_HEADERS = [
  "Content-Disposition",
  "Deprecation",
  "Link",
  "Mcp-Session-Id",
  "Retry-After",
  "Server-Timing",
  "WWW-Authenticate",
  "Warning",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "X-Response-Time",
];

/** Creates the service's dependencies for one request. */
export type DepsFactory = (request: Request, defer: (work: Promise<unknown>) => void) => Deps;

/**
 * Creates the HTTP application. All external dependencies come from `buildDeps`, so tests can pass fakes.
 * @param keys shared with the sockets of the isolate
 */
export function createApp(buildDeps: DepsFactory, keys: KnownKeys = newKnownKeys()): OpenAPIHono<AppEnv> {
  nameNearestFields();
  const paths = new RequestPaths();
  const app: OpenAPIHono<AppEnv> = new OpenAPIHono<AppEnv>({
    getPath: (request) => paths.pathOf(request, app),
    defaultHook: (result) => {
      if (!result.success) throw schemaError(result.error.issues, inputOf(result));
    },
  });
  const authenticated = authenticate(keys);

  app.onError(errorResponse);
  app.notFound((c) => unknownRoute(c, methodsAt(app, c.req.path)));
  app.use(stampResponse);
  app.use(throwErrorsOnly);
  app.use(async (c, next) => {
    // Requests with another body, which take the place of this one, have signals of their own.
    c.set("connection", c.req.raw.signal);
    c.set(
      "deps",
      buildDeps(c.req.raw, (work) => c.executionCtx.waitUntil(work)),
    );
    await next();
  });
  app.use(
    cors({
      origin: (origin, c: Context<AppEnv>) => allowedOrigin(origin, c.req.raw, c.var.deps.settings),
      exposeHeaders: EXPOSED_HEADERS,
    }),
  );
  app.use(logRequest);
  app.use(async (c, next) => {
    const refusal = checkOrigin(c.req.raw, c.var.deps.settings);
    if (refusal !== undefined) throw refusal;
    await next();
  });
  app.use(recordWork);

  app.use(limitUrl);

  app.openapiRoutes(publicRoutes);
  app.openapiRoutes(viewRoutes);
  app.openapiRoutes(replayRoutes);
  app.use("/v2/monitor/email/*", limitBody);
  monitorEmails(app);
  markDeprecated(app);
  app.use("/v1/*", authenticated, countLongJson, takeTurn, limitBody);
  app.use("/v2/*", authenticated, countLongJson, takeTurn, limitBody);
  app.use("/exchange/*", authenticated, takeTurn, limitBody);
  app.use("/mcp", authenticated, admitFirst, limitBody);
  app.use("/metrics", authenticated);
  app.use("/service/check", authenticated, limitBody);
  app.openapiRoutes([metrics, deploymentCheck]);
  app.openapiRoutes(v2Routes);
  app.openapiRoutes(v1Routes);
  documentation(app);
  docs(app);
  notOffered(app);
  return app;
}

/** Longest accepted URL; in production the platform refuses longer ones itself. */
const MAX_URL_CHARS = 16_384;

const limitUrl: MiddlewareHandler<AppEnv> = async (c, next) => {
  if (c.req.url.length > MAX_URL_CHARS) throw new AppError("URL_TOO_LONG");
  await next();
};

/** Sets the headers of every response, errors included: this middleware is the outermost. */
const stampResponse: MiddlewareHandler<AppEnv> = async (c, next) => {
  const startedAtMs = Date.now();
  c.set("requestId", uuidv7());
  c.set("startedAtMs", startedAtMs);
  await next();
  await addAgentHints(c);
  // Responses contain texts of untrusted pages, which no browser may take for another type than theirs.
  c.header("X-Content-Type-Options", "nosniff");
  c.header("X-Response-Time", `${Date.now() - startedAtMs}ms`);
  if (c.res.headers.get("Content-Type") === "application/json") {
    c.header("Content-Type", "application/json; charset=utf-8");
  }
};

/** Wraps thrown values that are no `Error`, which the framework would pass on as the platform's own 500. */
const throwErrorsOnly: MiddlewareHandler<AppEnv> = async (_c, next) => {
  try {
    await next();
  } catch (thrown) {
    throw thrown instanceof Error ? thrown : new Error(`Thrown: ${String(thrown)}`);
  }
};
