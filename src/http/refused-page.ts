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

/** The documented refusals of a page, by status. */
export function refusedPages(...codes: ErrorCode[]) {
  const page = (description: string) => ({ description, content: { "text/html": { schema: z.string() } } });
  return Object.fromEntries(codes.map((code) => [ERRORS[code].status, page(ERRORS[code].message)]));
}
