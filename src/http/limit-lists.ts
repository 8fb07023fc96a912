import type { RouteConfig } from "@hono/zod-openapi";
import type { Context, MiddlewareHandler } from "hono";
import { z } from "zod";
import { AppError } from "../core/errors.ts";
import { findLongList } from "../core/schema/list-limits.ts";
import { bodyError, schemaError } from "./error-response.ts";

/**
 * Refuses a JSON body with a list or map that is longer than its schema allows, before its entries are validated.
 *
 * @param code The error of endpoints with one of their own for invalid bodies. Default: `BAD_REQUEST`.
 */
export function limitLists(schema: z.ZodType, code?: "INVALID_FEEDBACK"): MiddlewareHandler {
  return async (c, next) => {
    const body = await readJson(c);
    const issue = findLongList(schema, body);
    if (issue !== undefined) throw code === undefined ? schemaError([issue], body) : bodyError(code, [issue], body);
    await next();
  };
}

/** Returns the schema of a route's JSON body; undefined when it has none. */
export function bodySchemaOf({ request }: { request?: RouteConfig["request"] }): z.ZodType | undefined {
  const content = request?.body?.content["application/json"];
  const schema = content !== undefined && "schema" in content ? content.schema : undefined;
  return schema instanceof z.ZodType ? schema : undefined;
}

/** Returns undefined for a body that is no JSON: the validation that follows reports it. */
async function readJson(c: Context): Promise<unknown> {
  if (c.req.header("Content-Type")?.includes("json") !== true) return undefined;
  return await c.req.json().catch((error: unknown) => {
    if (error instanceof AppError) throw error;
    return undefined;
  });
}
