import { z } from "@hono/zod-openapi";
import { ERRORS, isAppError, type AppError, type ErrorCode } from "../../core/errors.ts";
import { failures } from "../route.ts";

/**
 * Returns the error of a page. Browsers get the error's status with a page that explains it; clients that do not accept
 * HTML get the error as JSON.
 * @throws any error that is not in the table
 */
export function refusalOf(error: unknown): AppError {
  if (isAppError(error)) return error;
  throw error;
}

const Html = z.string().openapi({ example: "<!doctype html><title>Live view</title>" });

/** Documents an HTML page. */
export function page(description: string) {
  return { description, content: { "text/html": { schema: Html } } };
}

/** Documents the refusals of a page, by status: HTML for browsers, the error envelope for other clients. */
export function refusedPages(...codes: ErrorCode[]) {
  const envelopes = failures(...codes);
  return Object.fromEntries(
    codes.map((code) => {
      const { status, message } = ERRORS[code];
      return [status, { description: message, content: { ...page(message).content, ...envelopes[status]?.content } }];
    }),
  );
}

/** Tags and path parameters of the pages of a session. */
export const SESSION_TAGS = ["Browser sessions"];
export const SessionParam = z.object({
  id: z.string().openapi({ description: "ID of the browser session.", param: { name: "id", in: "path" } }),
});

/** Returns the schema of the token that authorizes a URL. */
export function tokenOf(where: string) {
  return z
    .string()
    .default("")
    .openapi({ description: `Token of the URL, as contained in ${where}.` });
}
