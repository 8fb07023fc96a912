import { z } from "@hono/zod-openapi";
import { ERRORS, isAppError, type AppError, type ErrorCode } from "../core/errors.ts";

/**
 * A page that cannot show what was asked for still comes as a page, with the error's status: it says by itself what is
 * the matter.
 * @throws whatever is no error of the table
 */
export function refusalOf(error: unknown): AppError {
  if (isAppError(error)) return error;
  throw error;
}

const Html = z.string().openapi({ example: "<!doctype html><title>Live view</title>" });

/** A page in the documentation. */
export function page(description: string) {
  return { description, content: { "text/html": { schema: Html } } };
}

/** The documented refusals of a page, by status. */
export function refusedPages(...codes: ErrorCode[]) {
  return Object.fromEntries(codes.map((code) => [ERRORS[code].status, page(ERRORS[code].message)]));
}

/** What every page of a session has in the documentation, and in its address. */
export const SESSION_TAGS = ["Browser sessions"];
export const SessionParam = z.object({
  id: z.string().openapi({ description: "ID of the browser session.", param: { name: "id", in: "path" } }),
});

/** The token that makes an address a permission. */
export function tokenOf(where: string) {
  return z
    .string()
    .default("")
    .openapi({ description: `Token of the URL, as contained in ${where}.` });
}
