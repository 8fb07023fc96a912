import type { Hono } from "hono";
import { z } from "zod";
import { AppError } from "../../core/errors.ts";
import type { AppEnv } from "../context.ts";
import { schemaError } from "../error-response.ts";

const NOT_FOUND =
  "not_found: no email address waits for this, since this service sends no email. Monitors report to webhooks.";

const TokenBody = z.strictObject({ token: z.string().min(16).max(64) });

/**
 * Serves the routes of the links in emails about monitors, without a key. Email notifications are refused when a monitor
 * is created, so no token is valid. Not in the OpenAPI document, which lists what is served.
 */
export function monitorEmails(app: Hono<AppEnv>): void {
  for (const action of ["confirm", "unsubscribe"]) {
    app.post(`/v2/monitor/email/${action}`, async (c) => {
      const body: unknown = await c.req.json().catch(() => {
        throw new AppError("BAD_REQUEST_INVALID_JSON");
      });
      const { error } = TokenBody.safeParse(body);
      throw error === undefined ? new AppError("NOT_FOUND", NOT_FOUND) : schemaError(error.issues, body);
    });
  }
}
