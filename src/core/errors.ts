import type { Attempt } from "./scrape/attempt.ts";

// prettier-ignore
type ErrorStatus = 200 | 400 | 401 | 402 | 403 | 404 | 405 | 408 | 409 | 410 | 413 | 414 | 415 | 421 | 429 | 500 | 501 | 502 | 503;

/** HTTP form of an error code: its status, its default message, and whether a retry can succeed. */
interface ErrorSpec {
  status: ErrorStatus;
  message: string;
  retryable: boolean;
  /** General 4xx errors are sent without `code` (api-contract.md, “Error envelope”); scrape errors and every 5xx do. */
  hiddenCode?: true;
  /** Code for clients of the feedback endpoints. */
  feedbackErrorCode?: string;
  /** Seconds after which a retry makes sense, where the error itself does not say. */
  retryAfterSeconds?: number;
}

const final = (status: ErrorSpec["status"], message: string) => ({ status, message, retryable: false }) as const;
const retryable = (status: ErrorSpec["status"], message: string) => ({ status, message, retryable: true }) as const;
const withoutCode = (status: ErrorSpec["status"], message: string) =>
  ({ status, message, retryable: false, hiddenCode: true }) as const;

const feedbackError = (status: ErrorSpec["status"], message: string, feedbackErrorCode: string) =>
  ({ status, message, retryable: false, hiddenCode: true, feedbackErrorCode }) as const;

/**
 * All error codes of the service. Errors carry the code; the HTTP layer looks up the status (`http/error-response.ts`).
 * Codes and statuses are those that Firecrawl clients expect (api-contract.md, “Error codes”).
 */
export const ERRORS = {
  BAD_REQUEST: final(400, "Bad Request"),
  BAD_REQUEST_INVALID_JSON: final(400, "Bad request, malformed JSON"),
  INVALID_JOB_ID: withoutCode(400, "Invalid job ID format. Job ID must be a valid UUID."),
  UNAUTHORIZED: withoutCode(401, "Unauthorized"),
  TOKEN_MISSING: withoutCode(401, "Unauthorized: Token missing"),
  TOKEN_INVALID: withoutCode(401, "Unauthorized: Invalid token"),
  INSUFFICIENT_CREDITS: withoutCode(402, "Insufficient credits to perform this request."),
  FORBIDDEN: withoutCode(403, "Forbidden"),
  ENDPOINT_RESTRICTED: withoutCode(403, "This key is restricted to the following endpoints"),
  FORMAT_RESTRICTED: withoutCode(403, "This key is restricted to the following formats"),
  ZERO_DATA_RETENTION_DISABLED: withoutCode(403, "Zero data retention is not enabled for this deployment"),
  ORIGIN_NOT_ALLOWED: final(403, "Requests from pages of this origin are refused. Add the origin to ALLOWED_ORIGINS."),
  HOST_NOT_ALLOWED: final(421, "Requests for this host are refused. Add the host to ALLOWED_HOSTS."),
  NOT_FOUND: withoutCode(404, "Not found"),
  METHOD_NOT_ALLOWED: withoutCode(405, "This path does not support this method"),
  JOB_NOT_FOUND: withoutCode(404, "Job not found."),
  KEY_NOT_FOUND: withoutCode(404, "API key not found"),
  WEBHOOK_NOT_FOUND: withoutCode(404, "No event with this id was given up, or it has expired"),
  BROWSER_SESSION_NOT_FOUND: withoutCode(404, "Browser session not found."),
  FILE_GONE: withoutCode(404, "This file does not exist or has expired"),
  thread_not_found: final(404, "Thread not found"),
  thread_expired: final(410, "This thread has expired"),
  thread_busy: retryable(409, "A run of this thread is in progress"),
  JOB_ENDED: withoutCode(409, "This job has ended already"),
  JOB_RUNNING: final(409, "This job is still running"),
  JOB_INTERRUPTED: final(
    500,
    "The service stopped during every one of the last runs of this job, which is not run again",
  ),
  IDEMPOTENCY_KEY_USED: withoutCode(409, "Idempotency key already used"),
  PROFILE_NOT_FOUND: final(404, "There is no saved profile of this name"),
  PROFILE_EXPIRED: final(400, "All cookies that this profile has for the page have expired"),
  PROFILE_FOREIGN_ORIGIN: final(400, "This profile has no cookies and no storage for the site of the URL"),
  PROFILE_LOCKED: withoutCode(409, "Another session uses this profile and saves its changes"),
  PROFILE_UNREADABLE: final(500, "This profile cannot be decrypted: it was saved with another PROFILE_ENCRYPTION_KEY"),
  PROFILES_NOT_CONFIGURED: final(
    503,
    "Profiles are stored encrypted, and this deployment has no PROFILE_ENCRYPTION_KEY",
  ),
  RECORDING_NOT_FOUND: withoutCode(404, "This session has no recording, or it has expired"),
  BROWSER_SESSION_ENDED: withoutCode(410, "Browser session has been destroyed."),
  REQUEST_TIMEOUT: retryable(408, "The request body did not arrive in time"),
  PAYLOAD_TOO_LARGE: withoutCode(413, "Request body is too large"),
  URL_TOO_LONG: final(414, "The URL of this request is too long; send long values in the request body"),
  UNSUPPORTED_MEDIA_TYPE: withoutCode(415, "The request body must be sent as application/json"),
  RATE_LIMITED: { status: 429, message: "Rate limit exceeded.", retryable: true, hiddenCode: true },
  CONCURRENCY_LIMITED: {
    status: 429,
    message: "Queue limit reached:",
    retryable: true,
    hiddenCode: true,
    retryAfterSeconds: 5,
  },
  UNKNOWN_ERROR: retryable(500, "An unexpected error occurred"),
  STORED_STATE_UNREADABLE: final(500, "Stored data cannot be read by this version of the service"),
  REPLAY_FAILED: retryable(502, "The scrape's page could not be restored"),
  REPLAY_UNAVAILABLE: withoutCode(409, "Replay context is unavailable for this scrape"),
  MODEL_NOT_CONFIGURED: final(503, "Prompts need a language model, and this deployment has none. Send code instead."),
  BROWSER_SESSION_FAILED: retryable(502, "No browser could be started for this session"),
  BROWSER_NOT_CONFIGURED: final(503, "Browser sessions need a browser, and this deployment has none"),
  NOT_AVAILABLE: final(501, "This deployment does not offer this operation"),
  SERVICE_UNAVAILABLE: retryable(503, "A part of the service is not ready; try again in a moment"),

  SCRAPE_TIMEOUT: retryable(408, "The page did not load in time"),
  SCRAPE_ALL_ENGINES_FAILED: retryable(500, "No engine could load content from this page"),
  SCRAPE_DNS_RESOLUTION_ERROR: final(200, "The host name of this URL does not resolve"),
  SCRAPE_SITE_ERROR: retryable(500, "The site could not be reached"),
  SCRAPE_SSL_ERROR: final(500, "The site's TLS certificate was not accepted"),
  SCRAPE_PROXY_SELECTION_ERROR: final(500, "No proxy is available for this location"),
  SCRAPE_PROXY_UNREACHABLE: retryable(502, "The proxy could not be reached, or did not reach the site"),
  SCRAPE_PROXY_DENIED: final(500, "The proxy refused the user and password, or the token, of this deployment"),
  SCRAPE_ACTION_ERROR: final(500, "An action on the page failed"),
  SCRAPE_ACTIONS_NOT_SUPPORTED: final(400, "Actions need a browser, and this deployment has none"),
  SCRAPE_AUDIO_UNSUPPORTED_URL: final(500, "Getting audio from this site is not supported"),
  SCRAPE_VIDEO_UNSUPPORTED_URL: final(500, "Getting video from this site is not supported"),
  SCRAPE_BRANDING_NOT_SUPPORTED: final(500, "The branding format needs a browser, and this deployment has none"),
  SCRAPE_BROWSER_UNAVAILABLE: retryable(503, "This request needs a browser, and none is available"),
  SCRAPE_UNSUPPORTED_FILE_ERROR: final(500, "This type of file cannot be read"),
  SCRAPE_BODY_TOO_LARGE: final(500, "The response is larger than this service reads"),
  SCRAPE_WORK_LIMIT: final(500, "Reading this page or file takes more work than this service allows"),
  SCRAPE_PDF_INSUFFICIENT_TIME_ERROR: final(
    500,
    "This PDF has more pages, which requires more processing time than your current timeout allows",
  ),
  SCRAPE_PDF_PREFETCH_FAILED: final(500, "The PDF could not be read"),
  SCRAPE_PDF_OCR_REQUIRED: final(500, "The PDF has no text layer, and OCR is not available"),
  SCRAPE_DOCUMENT_PREFETCH_FAILED: final(500, "The document could not be read"),
  SCRAPE_ZDR_VIOLATION_ERROR: final(500, "This option needs stored data, which zeroDataRetention forbids"),
  SCRAPE_NO_CACHED_DATA: final(404, "No cached copy of this page is old enough"),
  SCRAPE_LOCKDOWN_CACHE_MISS: final(404, "No cached copy of this page exists, and lockdown forbids loading it"),
  SCRAPE_JOB_CANCELLED: final(500, "The job was cancelled"),
  SCRAPE_RETRY_LIMIT: final(500, "The page failed too often"),
  SCRAPE_REDIRECT_ERROR: final(500, "The page redirects too often"),
  SCRAPE_PROMPT_INJECTION_DETECTED: final(500, "The page contains text that is addressed to language models"),
  MAP_TIMEOUT: retryable(408, "The map operation timed out"),
  MAP_FAILED: retryable(500, "The site could not be mapped"),
  EXTRACT_FAILED: final(500, "Nothing could be extracted"),
  MODEL_UNAVAILABLE: retryable(503, "The language model did not answer"),
  MODEL_TIMEOUT: retryable(408, "The language model did not answer in time"),
  MODEL_REFUSED: final(500, "The language model declined to answer"),
  MODEL_BAD_OUTPUT: final(500, "The language model's answer does not fit the schema"),
  INVALID_SEARCH: withoutCode(400, "Invalid request body"),
  INVALID_FEEDBACK: feedbackError(400, "Invalid request body", "INVALID_BODY"),
  FEEDBACK_SEARCH_NOT_FOUND: feedbackError(404, "Search not found", "SEARCH_NOT_FOUND"),
  FEEDBACK_JOB_NOT_FOUND: feedbackError(404, "Job not found", "JOB_NOT_FOUND"),
  FEEDBACK_WINDOW_EXPIRED: feedbackError(409, "The time for feedback on this has passed", "FEEDBACK_WINDOW_EXPIRED"),
  SEARCH_FAILED: retryable(500, "No search provider answered"),
  SAFE_MODE_BLOCKED: final(403, "This URL is not allowed"),

  MONITOR_LIMIT_REACHED: final(409, "A team may have 1,000 monitors, whose configurations take 20 MB together"),
  UNSUPPORTED_FILE_TYPE: final(400, "Unsupported upload type"),
  PARSE_UPLOAD_UNPARSED_LIMIT_REACHED: {
    status: 429,
    message: "Too many uploads of this team are waiting to be parsed: at most 10, and each for 10 minutes",
    retryable: true,
    retryAfterSeconds: 60,
  },
  PARSE_UNSUPPORTED_OPTIONS: final(400, "Parse uploads do not support this option"),
} as const satisfies Record<string, ErrorSpec>;

export type ErrorCode = keyof typeof ERRORS;

/** An error that a caller can act on. `message` is sent to the caller; `cause` is only logged. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: unknown;
  /** The engines that were tried, for a page that did not load. They are listed in the log, not in the response. */
  readonly attempts: readonly Attempt[] | undefined;
  /** Seconds after which a retry can succeed, when known. */
  readonly retryAfterSeconds: number | undefined;
  /** True when the request to the site was not sent, which says nothing about the site. */
  readonly isUnsent: boolean;

  constructor(
    code: ErrorCode,
    message?: string,
    options: {
      cause?: unknown;
      details?: unknown;
      attempts?: readonly Attempt[];
      retryAfterSeconds?: number;
      isUnsent?: boolean | undefined;
    } = {},
  ) {
    const spec: ErrorSpec = ERRORS[code];
    super(message ?? spec.message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "AppError";
    this.code = code;
    this.details = options.details;
    this.attempts = options.attempts;
    this.isUnsent = options.isUnsent ?? false;
    this.retryAfterSeconds = options.retryAfterSeconds ?? spec.retryAfterSeconds;
  }
}

/** Reports whether an error is an `AppError`, also after a Durable Object call, which retains own properties only. */
export function isAppError(error: unknown): error is AppError {
  return error instanceof Error && "code" in error && typeof error.code === "string" && error.code in ERRORS;
}

/** Returns the stack of an error for the log, which removes secrets from it. */
export function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? `${error.name}: ${error.message}`) : String(error);
}
