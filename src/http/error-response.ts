import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import type { z } from "zod";
import { AppError, ERRORS, isAppError, stackOf, type ErrorCode } from "../core/errors.ts";
import { explainIssues, type ExplainedIssue } from "../core/schema/explain-issues.ts";
import { toLogLine } from "../core/text/redact.ts";
import type { Receipt } from "../core/account/receipt.ts";
import type { AppEnv } from "./context.ts";
import { receiptOf } from "./work.ts";

type Issue = z.core.$ZodIssue;

const UNRECOGNIZED_KEY = "Unrecognized key in body -- please review the v2 API documentation for request body changes";

/** Clients of the research index read `detail` of its errors. */
const RESEARCH_PATH = "/v2/search/research/";

/** The message joins the texts of this many problems. */
const MAX_SUMMARIZED = 3;

/** The error envelope (api-contract.md, “Error envelope”). */
export interface ErrorBody {
  success: false;
  error: string;
  code?: string;
  /** The message again, under the name that clients read at `RESEARCH_PATH` (RFC 9457). */
  detail?: string;
  details?: unknown;
  /** The run in progress, of a thread that is busy. */
  runId?: string;
  feedbackErrorCode?: string;
  /** Costs of the request until it failed. */
  receipt?: Receipt;
}

/** Converts a thrown value to the envelope, with its status from the table. */
export function errorResponse(error: unknown, c: Context<AppEnv>): Response {
  const known = knownError(error);
  if (known !== undefined) return answer(c, known);
  const text = `An unexpected error occurred. Its id is ${c.var.requestId}.`;
  return answer(c, new AppError("UNKNOWN_ERROR", text, { cause: error }));
}

/** Returns the code that the response to a thrown value has. */
export function codeOf(error: unknown): ErrorCode {
  return knownError(error)?.code ?? "UNKNOWN_ERROR";
}

/** Returns an error of this service or of the framework as one of the table, and undefined for any other value. */
function knownError(error: unknown): AppError | undefined {
  if (isAppError(error)) return error;
  return error instanceof HTTPException ? fromHttpException(error) : undefined;
}

/** Answers a path without a route, or a method that its routes do not have; `methods` are those they have. */
export function unknownRoute(c: Context<AppEnv>, methods: readonly string[]): Response {
  if (methods.length > 0) {
    const allowed = methods.join(", ");
    c.header("Allow", allowed);
    return answer(
      c,
      new AppError("METHOD_NOT_ALLOWED", `${c.req.method} is not allowed at ${c.req.path}. Use ${allowed}.`),
    );
  }
  return answer(c, new AppError("NOT_FOUND", `Unknown route: ${c.req.method} ${c.req.path}`));
}

/** Returns the body or query that a validation hook was called for; the framework passes it on but does not type it. */
export function inputOf(result: object): unknown {
  return "data" in result ? result.data : undefined;
}

/**
 * Returns the error for a body or query that does not match its schema (api-contract.md, “Error envelope”).
 *
 * @param input The body or query, which the messages quote.
 */
export function schemaError(issues: readonly Issue[], input: unknown): AppError {
  const details = explainIssues(issues, input);
  return new AppError("BAD_REQUEST", schemaMessage(details), { details });
}

/** Like `schemaError`, for endpoints with an error of their own for invalid bodies. */
export function bodyError(
  code: "INVALID_SEARCH" | "INVALID_FEEDBACK",
  issues: readonly Issue[],
  input: unknown,
): AppError {
  const details = explainIssues(issues, input);
  return new AppError(code, `${ERRORS[code].message}: ${summarize(details)}`, { details });
}

/** Like `schemaError`, with the words that the preview of a crawl's parameters begins its errors with. */
export function parametersError(issues: readonly Issue[], input: unknown): AppError {
  const details = explainIssues(issues, input);
  return new AppError("BAD_REQUEST", `Invalid request parameters: ${summarize(details)}`, { details });
}

function schemaMessage(issues: readonly ExplainedIssue[]): string {
  const unknown = issues.find(isUnknownOption);
  if (unknown !== undefined) return `${UNRECOGNIZED_KEY}: ${unknown.message.replace(/^Unrecognized keys?: /, "")}`;
  const first = issues[0];
  return first?.code === "custom" ? first.message : `${ERRORS.BAD_REQUEST.message}: ${summarize(issues)}`;
}

/** Joins the messages of the first problems; `details` has them all. */
function summarize(issues: readonly ExplainedIssue[]): string {
  const shown = issues.slice(0, MAX_SUMMARIZED).map(({ message }) => message);
  const rest = issues.length - shown.length;
  return [...shown, ...(rest > 0 ? [`${rest} more in details`] : [])].join("; ");
}

/** Reports whether a field of the body is unknown. One inside a list is described like any other problem. */
function isUnknownOption({ code, path }: ExplainedIssue): boolean {
  return code === "unrecognized_keys" && !path.some((step) => typeof step === "number");
}

/** Converts the framework's own errors: for a body's type, and for a body that does not match its content type. */
function fromHttpException(error: HTTPException): AppError {
  if (error.status === 415) return new AppError("UNSUPPORTED_MEDIA_TYPE");
  if (error.status === 400 && error.message.startsWith("Malformed JSON"))
    return new AppError("BAD_REQUEST_INVALID_JSON");
  if (error.status < 500) return new AppError("BAD_REQUEST", error.message);
  return new AppError("UNKNOWN_ERROR", undefined, { cause: error });
}

function answer(c: Context<AppEnv>, error: AppError): Response {
  const spec = ERRORS[error.code];
  const body: ErrorBody = { success: false, error: error.message };
  if (!("hiddenCode" in spec)) body.code = error.code;
  if (c.req.path.startsWith(RESEARCH_PATH)) body.detail = error.message;
  if ("feedbackErrorCode" in spec) body.feedbackErrorCode = spec.feedbackErrorCode;
  if (error.details !== undefined) body.details = error.details;
  if (error.code === "thread_busy") body.runId = runIdOf(error.details);
  // The cost of a look-up would tell an ID of another team from one that never existed.
  if (c.var.work !== undefined && error.code !== "JOB_NOT_FOUND") body.receipt = receiptOf(c);
  if (error.retryAfterSeconds !== undefined) c.header("Retry-After", String(error.retryAfterSeconds));
  if (spec.status === 401) c.header("WWW-Authenticate", "Bearer");
  if (error.cause !== undefined) logCause(c, error);
  return c.json(body, spec.status);
}

/** The run that holds a thread, from the details of `thread_busy`. */
function runIdOf(details: unknown): string {
  const { runId } = Object(details) as { runId?: unknown };
  return typeof runId === "string" ? runId : "";
}

/** Logs the cause, which is for the operator and not for callers. Without dependencies the settings are at fault. */
function logCause(c: Context<AppEnv>, { code, cause }: AppError): void {
  const event = { event: "error", requestId: c.var.requestId, code, cause: stackOf(cause) };
  const deps: AppEnv["Variables"]["deps"] | undefined = c.var.deps;
  if (deps === undefined) console.error(toLogLine(event));
  else deps.log(event);
}
