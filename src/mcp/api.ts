import { ERRORS } from "../core/errors.ts";

/**
 * The service's own HTTP API as the MCP server uses it. Tools go through it, so that a tool call is validated, admitted,
 * paid and logged exactly as the same request of any other client.
 */
export type Dispatch = (request: Request) => Promise<Response>;

/** As much of an OpenAPI 3.1 document as tools' input schemas are made from. */
export interface OpenApi {
  paths?: Record<string, Record<string, Operation | undefined> | undefined>;
  components?: { schemas?: Record<string, JsonSchema> };
}

export interface Operation {
  parameters?: readonly Parameter[];
  requestBody?: Content;
  responses?: Record<string, Content | undefined>;
  /** Endpoints of which a key needs one (`http/account/key-scope.ts`). */
  "x-key-scope"?: string | readonly string[];
}

interface Content {
  content?: Record<string, { schema?: JsonSchema }>;
}

export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema?: JsonSchema;
}

export interface JsonSchema {
  [keyword: string]: unknown;
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
}

/** A parsed API response: its JSON object, and whether it is a success. */
export interface ApiResponse {
  isSuccess: boolean;
  /** The HTTP status of a failure. */
  status?: number;
  body: Record<string, unknown>;
}

/** One caller's way to the API: his own key and origin go with every request. */
export interface Caller {
  /** `more` has further headers. */
  call(method: string, path: string, body?: unknown, more?: Readonly<Record<string, string>>): Promise<ApiResponse>;
}

/** @param request the MCP request, whose bearer key and host every call takes over. */
export function callerOf(dispatch: Dispatch, request: Request): Caller {
  const headers = new Headers({ "Content-Type": "application/json" });
  for (const name of ["Authorization", "X-Forwarded-Proto"]) {
    const value = request.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  // The activity names the MCP server and its client.
  headers.set("User-Agent", `mcp ${request.headers.get("User-Agent") ?? ""}`.trim());
  return {
    async call(method, path, body, more = {}) {
      const url = new URL(path, request.url);
      // When the client leaves, the call ends as a request of its own would.
      const all = new Headers(headers);
      for (const [name, value] of Object.entries(more)) all.set(name, value);
      const common = { method, headers: all, signal: request.signal };
      const init = body === undefined ? common : { ...common, body: JSON.stringify(body) };
      const response = await dispatch(new Request(url, init));
      const answer: unknown = await response.json().catch(() => undefined);
      const object = isObject(answer)
        ? answer
        : { success: false, error: `The response was not JSON (${response.status})` };
      if (response.status === 200 && object.success !== false) return { isSuccess: true, body: object };
      return { isSuccess: false, status: response.status, body: { code: onlyCodeOf(response.status), ...object } };
    },
  };
}

/** The API leaves codes out that its clients do not expect. Where a status has one code alone, it is known all the same. */
function onlyCodeOf(status: number): string | undefined {
  const codes = Object.entries(ERRORS).filter(([, spec]) => spec.status === status);
  return codes.length === 1 ? codes[0]?.[0] : undefined;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns a value as one segment of a path. Half of a surrogate pair has no encoding; it becomes U+FFFD. */
export function toSegment(value: unknown): string {
  return encodeURIComponent(String(value ?? "").toWellFormed());
}
