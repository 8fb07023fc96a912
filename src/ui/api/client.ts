import { keys } from "./keys.ts";

/** An error response with the service's message, or a message of the dashboard if there was no response. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** HTTP status; 0 if there was no response. */
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
  /** Sent as JSON unless it is a `FormData`. */
  body?: unknown;
  /** The key to send. Default: `caller`, the key of the sign-in. */
  as?: "caller" | "admin";
  signal?: AbortSignal;
}

/** A response with any status. */
export interface ApiResponse {
  status: number;
  headers: Headers;
  text: string;
  /** Size of the body as it was sent, after decompression. */
  bytes: number;
  /** undefined if the text is not JSON. */
  body: unknown;
  ms: number;
}

/** Sends a request to this service. @throws ApiError only if there is no response. */
export async function send(path: string, { method, body, as = "caller", signal }: ApiCall = {}): Promise<ApiResponse> {
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
    const sent = await response.arrayBuffer();
    const text = new TextDecoder().decode(sent);
    const ms = Math.round(performance.now() - startedAt);
    return { status: response.status, headers: response.headers, text, bytes: sent.byteLength, body: parse(text), ms };
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw new ApiError("Cannot reach the service. Check that it is running.", { status: 0 });
  }
}

/**
 * Sends a request and returns the body of its successful response. `Body` follows the OpenAPI document.
 * @throws ApiError for any other response, and if there is none.
 */
export async function ask<Body>(path: string, call: ApiCall = {}): Promise<Body> {
  const answer = await send(path, call);
  const failure = failureOf(answer);
  if (failure !== undefined) throw failure;
  return answer.body as Body;
}

/** Requests a file. @throws ApiError for a response without one, and if there is none. */
export async function askFile(path: string): Promise<{ file: Blob; headers: Headers }> {
  const response = await fetch(path, { headers: authorization("caller") }).catch(() => undefined);
  if (response === undefined) throw new ApiError("Cannot reach the service. Check that it is running.", { status: 0 });
  if (response.ok) return { file: await response.blob(), headers: response.headers };
  const { status } = response;
  throw failureOf({ status, body: parse(await response.text()) }) ?? new ApiError("No file came", { status });
}

/** Returns the error of a response; undefined for a successful one. */
export function failureOf({ status, body }: Pick<ApiResponse, "status" | "body">): ApiError | undefined {
  const fields = (typeof body === "object" && body !== null ? body : {}) as {
    success?: unknown;
    error?: unknown;
    code?: unknown;
    details?: unknown;
  };
  if (status === 200 && fields.success !== false) return undefined;
  const message = typeof fields.error === "string" ? fields.error : `Request failed with status ${status}`;
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
