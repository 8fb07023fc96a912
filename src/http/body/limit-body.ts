import type { Context, MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { AppError, isAppError } from "../../core/errors.ts";
import { countJsonValues, isDeeperThan } from "../../core/text/count-json-values.ts";
import { bodyInTime } from "./body-in-time.ts";
import { limitParts } from "./limit-parts.ts";
import type { AppEnv } from "../context.ts";

const MAX_JSON_BYTES = 10 * 1024 * 1024;
/**
 * Objects, lists, fields and list entries of a JSON body: a batch of 20,000 URLs has a fifth. Parsing 300,000 fields takes a
 * second, and ten million brackets two.
 */
const MAX_JSON_VALUES = 100_000;
/** Objects and lists of a JSON body within each other: what reads them calls itself, and the stack has room for some thousand. */
const MAX_JSON_LEVELS = 1_000;
/** Limit of forms: the file's own limit, and space for the form around it. */
const MAX_FORM_BYTES = 52_428_800 + 1_000_000;
/** Most that is read of a refused body so that its sender can finish: Cloudflare's limit on most plans. */
const MAX_DISCARDED_BYTES = 100_000_000;

/** Refuses bodies that are too large, by the bytes that are read and not only by `Content-Length`, and bodies that are too slow. */
export const limitBody: MiddlewareHandler<AppEnv> = (c, next) => {
  assertNotPacked(c);
  // Its handler looks at the reference before it reads anything, for which no key is needed.
  if (isFile(c)) return next();
  return isForm(c) ? limitUpload(c, next) : limitJson(c, next);
};

/** Reports whether the body is a file that `readFileBody` reads. */
function isFile({ req }: Context): boolean {
  return req.method === "PUT" && req.path.startsWith("/v2/parse/upload/");
}

/** Reports whether the body is a form with a file; `/v2/parse` also takes JSON, with a reference to a file. */
function isForm({ req }: Context): boolean {
  return req.path === "/v2/parse" && req.header("Content-Type")?.startsWith("application/json") !== true;
}

/**
 * Reads a file that is the whole body, in the time that a body has.
 * @throws AppError `PAYLOAD_TOO_LARGE` for more than `maxBytes`, `REQUEST_TIMEOUT`, `BAD_REQUEST` for a broken body
 */
export async function readFileBody(c: Context<AppEnv>, maxBytes: number): Promise<Uint8Array> {
  if (declaredBytes(c) <= maxBytes) return await readWhole(c, maxBytes);
  await discard(c);
  throw new AppError("PAYLOAD_TOO_LARGE");
}

/**
 * Refuses JSON of too many objects, lists, fields and list entries, or of too many levels, before it is parsed.
 *
 * @throws AppError `BAD_REQUEST`
 */
function assertFewValues(json: Uint8Array): void {
  if (json.byteLength > MAX_JSON_VALUES && countJsonValues(json, MAX_JSON_VALUES) > MAX_JSON_VALUES) {
    throw new AppError(
      "BAD_REQUEST",
      `The request body has more than ${MAX_JSON_VALUES.toLocaleString("en")} objects, lists, fields and list entries`,
    );
  }
  if (json.byteLength > MAX_JSON_LEVELS && isDeeperThan(json, MAX_JSON_LEVELS))
    throw new AppError(
      "BAD_REQUEST",
      `The request body is more than ${MAX_JSON_LEVELS.toLocaleString("en")} levels deep`,
    );
}

/**
 * Refuses a JSON text within a request that is longer than a body may be, or has too many values.
 *
 * @throws AppError `PAYLOAD_TOO_LARGE`, `BAD_REQUEST`
 */
export function assertSmallJson(text: string): void {
  if (text.length > MAX_JSON_BYTES) throw new AppError("PAYLOAD_TOO_LARGE");
  assertFewValues(new TextEncoder().encode(text));
}

/** Refuses compressed bodies, whose decoded size is unknown; no client of these routes compresses one. */
function assertNotPacked(c: Context): void {
  const coding = c.req.header("Content-Encoding")?.trim().toLowerCase() ?? "";
  if (coding === "" || coding === "identity") return;
  throw new AppError("UNSUPPORTED_MEDIA_TYPE", "The request body must be sent without Content-Encoding");
}

const limitUpload: MiddlewareHandler<AppEnv> = async (c, next) => {
  const { body } = c.req.raw;
  if (body !== null) {
    const inTime = bodyInTime(body, c.var.deps.settings.bodyTimeMs);
    // Node requires `duplex` for a stream.
    const init = { body: limitParts(inTime, c.req.header("Content-Type")), duplex: "half" };
    c.req.raw = new Request(c.req.raw, init);
  }
  try {
    // Failures of what follows do not arrive here: they are answered first.
    return await limitForm(c, next);
  } catch (error) {
    throw brokenBody(error);
  }
};

/** Limits a form without reading it: 50 MB need not be in memory twice. */
const limitForm: MiddlewareHandler<AppEnv> = bodyLimit({
  maxSize: MAX_FORM_BYTES,
  onError: async (c) => {
    await discard(c);
    throw new AppError("PAYLOAD_TOO_LARGE");
  },
});

/**
 * Reads the whole body, so that its size is known before it is parsed. An empty body counts as none, whatever its type,
 * and one without a content type is JSON, the only type that these routes accept.
 */
const limitJson: MiddlewareHandler<AppEnv> = async (c, next) => {
  // The Fetch standard allows no body here; clients that send one anyway do not depend on it.
  if (c.req.method === "GET" || c.req.method === "HEAD") return await next();
  if (declaredBytes(c) > MAX_JSON_BYTES) {
    await discard(c);
    throw new AppError("PAYLOAD_TOO_LARGE");
  }
  const body = await readWhole(c, MAX_JSON_BYTES);
  assertFewValues(body);
  c.req.raw = withBody(c, body);
  return await next();
};

/** Reads the rest of a refused body: a client that is still sending would report a lost connection instead. */
async function discard(c: Context<AppEnv>): Promise<void> {
  if (declaredBytes(c) > MAX_DISCARDED_BYTES) return;
  let size = 0;
  try {
    for await (const chunk of incomingBody(c)) {
      size += chunk.byteLength;
      if (size > MAX_DISCARDED_BYTES) return;
    }
  } catch {
    // The rest of the body is broken or late, and is not used anyway.
  }
}

/** Returns the error for a body that could not be received to its end, such as one in damaged chunks. */
export function brokenBody(cause: unknown): AppError {
  if (isAppError(cause)) return cause;
  return new AppError(
    "BAD_REQUEST",
    "The request body could not be received: its chunks are invalid, or the connection was lost",
  );
}

function declaredBytes(c: Context): number {
  return Number(c.req.header("Content-Length") ?? 0);
}

function incomingBody({ req, var: { deps } }: Context<AppEnv>): AsyncIterable<Uint8Array> | [] {
  return req.raw.body === null ? [] : bodyInTime(req.raw.body, deps.settings.bodyTimeMs);
}

async function readWhole(c: Context<AppEnv>, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of incomingBody(c)) {
      size += chunk.byteLength;
      if (size > maxBytes) throw new AppError("PAYLOAD_TOO_LARGE");
      chunks.push(chunk);
    }
  } catch (error) {
    throw brokenBody(error);
  }
  const whole = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return whole;
}

/** Returns the request with a new body, even an empty one: a request whose body was read needs one to be copied. */
function withBody(c: Context<AppEnv>, body: Uint8Array<ArrayBuffer>): Request {
  const headers = new Headers(c.req.raw.headers);
  if (body.byteLength === 0) headers.delete("Content-Type");
  else if (!headers.has("Content-Type")) headers.set("Content-Type", "application/json");
  return new Request(c.req.raw, { method: c.req.method, headers, body });
}
