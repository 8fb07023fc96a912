import { keys } from "./keys.ts";

/** An answer that is no success, in the service's own words (or ours, when it could not be reached). */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** 0 when there was no answer at all. */
  readonly status: number;
  readonly code: string | undefined;
  readonly details: unknown;

  constructor(message: string, about: { status: number; code?: string | undefined; details?: unknown }) {
    super(message);
    this.status = about.status;
    this.code = about.code;
    this.details = about.details;
  }
}

export interface ApiCall {
  method?: string;
  /** Sent as JSON unless it is a form. */
  body?: unknown;
  /** Which key is sent. Default: the one of the sign-in. */
  as?: "caller" | "admin";
  signal?: AbortSignal;
}

/** What came back, whichever way it went. */
export interface ApiAnswer {
  status: number;
  headers: Headers;
  text: string;
  /** undefined when the text is no JSON. */
  body: unknown;
  ms: number;
}

/** One request to this service. @throws ApiError only when there was no answer. */
export async function send(path: string, { method, body, as = "caller", signal }: ApiCall = {}): Promise<ApiAnswer> {
  const startedAt = performance.now();
  const isForm = body instanceof FormData;
  const headers = new Headers(authorization(as));
  if (body !== undefined && !isForm) headers.set("Content-Type", "application/json");
  try {
    const response = await fetch(path, {
      method: method ?? (body === undefined ? "GET" : "POST"),
      headers,
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    const text = await response.text();
    const ms = Math.round(performance.now() - startedAt);
    return { status: response.status, headers: response.headers, text, body: parse(text), ms };
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw new ApiError("The service does not answer. Is it still running?", { status: 0 });
  }
}

/**
 * The body of a successful answer. The caller says what it expects; the service's OpenAPI document says the same.
 * @throws ApiError for everything else.
 */
export async function ask<Body>(path: string, call: ApiCall = {}): Promise<Body> {
  const answer = await send(path, call);
  const failure = failureOf(answer);
  if (failure !== undefined) throw failure;
  return answer.body as Body;
}

/** The error that an answer is; undefined for a success. */
export function failureOf({ status, body }: Pick<ApiAnswer, "status" | "body">): ApiError | undefined {
  const fields = (typeof body === "object" && body !== null ? body : {}) as {
    success?: unknown;
    error?: unknown;
    code?: unknown;
    details?: unknown;
  };
  if (status === 200 && fields.success !== false) return undefined;
  const message = typeof fields.error === "string" ? fields.error : `The service answered with status ${status}`;
  const code = typeof fields.code === "string" ? fields.code : undefined;
  return new ApiError(message, { status, code, details: fields.details });
}

function authorization(as: "caller" | "admin"): [string, string][] {
  const current = keys.get();
  const key = as === "admin" ? (current?.adminKey ?? current?.key) : current?.key;
  return key === undefined || key === "" ? [] : [["Authorization", `Bearer ${key}`]];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
