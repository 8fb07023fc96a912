import { defineOpenAPIRoute } from "@hono/zod-openapi";
import type { AppEnv } from "../context.ts";
import { createRoute, type KeyScope } from "../account/key-scope.ts";
import {
  CancelResponse,
  ErrorsQuery,
  ErrorsResponse,
  PageQuery,
  StatusResponse,
  answerCancel,
  answerErrors,
  answerStatus,
  type JobRoute,
} from "./job-responses.ts";
import { RetryResponse, answerRetry } from "./job-retry.ts";
import { BEARER, COMMON_FAILURES, IdParam, failures, json } from "../route.ts";

interface Place<Path extends string> {
  /** Path of the route that starts jobs; each job's path is below it. */
  path: Path;
  tag: string;
  /** The job's name in sentences. */
  noun: string;
  job: JobRoute;
  /** Endpoints whose keys may call the routes; each job is also checked against the endpoint of its kind. */
  keyScope: KeyScope;
}

/** Returns the routes of running jobs: status, errors, cancel and retry. The same for every kind and version. */
export function jobRoutes<Path extends string>({ path, tag, noun, job, keyScope }: Place<Path>) {
  const common = { tags: [tag], security: BEARER, "x-key-scope": keyScope };
  const one = `${path}/{id}` as const;
  const notFound = failures("INVALID_JOB_ID", "JOB_NOT_FOUND", ...COMMON_FAILURES);

  const statusRoute = createRoute({
    ...common,
    method: "get",
    path: one,
    summary: `Get the status and pages of a ${noun}`,
    request: { params: IdParam, query: PageQuery },
    responses: { 200: json(StatusResponse, `The ${noun}`), ...notFound },
  });
  const errorsRoute = createRoute({
    ...common,
    method: "get",
    path: `${one}/errors` as const,
    summary: `List the errors of a ${noun}`,
    request: { params: IdParam, query: ErrorsQuery },
    responses: { 200: json(ErrorsResponse, "The errors"), ...notFound },
  });
  /** Version 1's client reads errors with DELETE. */
  const errorsByDeleteRoute = createRoute({ ...errorsRoute, method: "delete" });
  const cancelRoute = createRoute({
    ...common,
    method: "delete",
    path: one,
    summary: `Cancel a ${noun}`,
    request: { params: IdParam },
    responses: {
      200: json(CancelResponse, `The ${noun} is cancelled`),
      ...failures("INVALID_JOB_ID", "JOB_NOT_FOUND", "JOB_ENDED", ...COMMON_FAILURES),
    },
  });

  const retryRoute = createRoute({
    ...common,
    method: "post",
    path: `${one}/retry` as const,
    summary: `Scrape the failed pages of a ${noun} again`,
    request: { params: IdParam },
    responses: {
      200: json(RetryResponse, `The ${noun} runs again, unless nothing has to be retried`),
      ...failures(
        "INVALID_JOB_ID", "JOB_NOT_FOUND", "JOB_ENDED", "JOB_RUNNING", "IDEMPOTENCY_KEY_USED", "CONCURRENCY_LIMITED",
        ...COMMON_FAILURES,
      ), // prettier-ignore
    },
  });

  return {
    status: defineOpenAPIRoute<typeof statusRoute, AppEnv>({
      route: statusRoute,
      // The body is copied from storage; it was written in the schema's shape.
      handler: async (c) => {
        const { skip, limit } = c.req.valid("query");
        return (await answerStatus(c, job, { id: c.req.valid("param").id, skip, limit })) as never;
      },
    }),
    errors: defineOpenAPIRoute<typeof errorsRoute, AppEnv>({
      route: errorsRoute,
      handler: async (c) =>
        c.json(await answerErrors(c, job, { ...c.req.valid("param"), ...c.req.valid("query") }), 200),
    }),
    errorsByDelete: defineOpenAPIRoute<typeof errorsByDeleteRoute, AppEnv>({
      route: errorsByDeleteRoute,
      handler: async (c) =>
        c.json(await answerErrors(c, job, { ...c.req.valid("param"), ...c.req.valid("query") }), 200),
    }),
    retry: defineOpenAPIRoute<typeof retryRoute, AppEnv>({
      route: retryRoute,
      handler: async (c) => c.json(await answerRetry(c, job, { id: c.req.valid("param").id, path }), 200),
    }),
    cancel: defineOpenAPIRoute<typeof cancelRoute, AppEnv>({
      route: cancelRoute,
      handler: async (c) => c.json(await answerCancel(c, job, c.req.valid("param").id), 200),
    }),
  };
}
