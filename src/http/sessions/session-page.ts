import { z } from "@hono/zod-openapi";
import { ERRORS, isAppError, type AppError, type ErrorCode } from "../../core/errors.ts";
import { failures } from "../route.ts";

/**
 * A page that cannot show what a browser asked for still comes as a page, with the error's status: it says by itself what
 * is the matter. Clients that do not ask for pages get the error as JSON.
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

/** The documented refusals of a page, by status: a page for browsers, the error envelope for other clients. */
export function refusedPages(...codes: ErrorCode[]) {
  const envelopes = failures(...codes);
  return Object.fromEntries(
    codes.map((code) => {
      const { status, message } = ERRORS[code];
      return [status, { description: message, content: { ...page(message).content, ...envelopes[status]?.content } }];
    }),
  );
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
