import { z } from "@hono/zod-openapi";
import { ERRORS, type ErrorCode } from "../core/errors.ts";
import { RECEIPT_EXAMPLE, Receipt } from "../core/account/receipt.ts";

/** Costs of the request: what its work used, and an estimate in dollars. */
export const ReceiptField = z
  .object(Receipt.shape)
  .openapi("Receipt", { description: "What the work used and its estimated cost.", example: RECEIPT_EXAMPLE })
  .optional();

/** The error envelope in OpenAPI. */
const ErrorEnvelope = z
  .object({
    success: z.literal(false).describe("Always false for an error."),
    error: z.string().describe("Error message for people."),
    code: z.string().optional().describe("Error code for programs. Absent for general errors with a 4xx status."),
    detail: z.string().optional().describe("The error message again. Present at `/v2/search/research/`."),
    details: z.unknown().optional().describe("Further details, for example the problems of a request body."),
    receipt: ReceiptField,
  })
  .openapi("Error", {
    example: { success: false, code: "BAD_REQUEST", error: "Bad Request" },
  });

/** The response of operations that return no data. */
export const Done = z
  .object({ success: z.literal(true).describe("Always true in a successful response.") })
  .openapi("Done", { example: { success: true } });

/** A JSON request body. */
export function jsonBody<Schema extends z.ZodType>(schema: Schema) {
  return { body: { content: { "application/json": { schema } }, required: true } } as const;
}

/** A JSON response. */
export function json<Schema extends z.ZodType>(schema: Schema, description: string) {
  return { content: { "application/json": { schema } }, description } as const;
}

/** A JSON response of a route whose failures can have status 200 as well. */
export function jsonOrFailure<Schema extends z.ZodType>(schema: Schema, description: string) {
  return json(z.union([schema, ErrorEnvelope]), description);
}

type Failure = ReturnType<typeof json<typeof ErrorEnvelope>>;

/** Returns the documented failures of a route, by status; the codes of one status share an entry. */
export function failures(...codes: ErrorCode[]): Record<string, Failure> {
  const byStatus = new Map<number, string[]>();
  for (const code of codes) {
    const { status, message } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), `${code}: ${message}`]);
  }
  return Object.fromEntries([...byStatus].map(([status, lines]) => [status, json(ErrorEnvelope, lines.join("; "))]));
}

/** Failures that every authenticated route can return. */
/** Failures of routes that load pages with a saved profile. */
export const PROFILE_FAILURES = [
  "PROFILE_NOT_FOUND",
  "PROFILE_EXPIRED",
  "PROFILE_FOREIGN_ORIGIN",
  "PROFILE_UNREADABLE",
  "PROFILES_NOT_CONFIGURED",
] as const satisfies ErrorCode[];

export const COMMON_FAILURES = [
  "UNAUTHORIZED",
  "FORBIDDEN",
  "INSUFFICIENT_CREDITS",
  "RATE_LIMITED",
  "UNKNOWN_ERROR",
  "STORED_STATE_UNREADABLE",
] as const satisfies ErrorCode[];

/** Id of a job in a path. */
export const IdParam = z.object({
  id: z.string().openapi({
    description: "ID of the resource, as returned when it was created.",
    param: { name: "id", in: "path" },
    format: "uuid",
  }),
});

/** Security requirement: a bearer key. */
export const BEARER = [{ bearer: [] }];
