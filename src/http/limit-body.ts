import type { Context, MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { AppError } from "../core/errors.ts";
import type { AppEnv } from "./context.ts";

const MAX_JSON_BYTES = 10 * 1024 * 1024;
/** Uploads may be larger than JSON bodies: the file's own limit and room for the form around it. */
const MAX_UPLOAD_BYTES = 52_428_800 + 1_000_000;
/** Of a body that says how long it is, as much as Cloudflare takes on most plans is read only to let its sender finish. */
const MAX_DISCARDED_BYTES = 100_000_000;

/** Refuses bodies that are too large, by what is read and not only by what `Content-Length` says. */
export const limitBody: MiddlewareHandler<AppEnv> = (c, next) => {
  assertNotPacked(c);
  return c.req.path.startsWith("/v2/parse") ? limitUpload(c, next) : limitJson(c, next);
};

/** A packed body would have a size of its own inside; no client of these routes packs one. */
function assertNotPacked(c: Context): void {
  const coding = c.req.header("Content-Encoding")?.trim().toLowerCase() ?? "";
  if (coding === "" || coding === "identity") return;
  throw new AppError("UNSUPPORTED_MEDIA_TYPE", "The request body must be sent without Content-Encoding");
}

/** Leaves a form where it is until it is parsed: 50 MB need not stand in memory twice. */
const limitUpload = bodyLimit({
  maxSize: MAX_UPLOAD_BYTES,
  onError: async (c) => {
    await discard(c);
    throw new AppError("PAYLOAD_TOO_LARGE");
  },
});

/**
 * Reads the body whole, so that its size is known before anything is parsed. An empty one counts as none, whatever
 * type it claims, and one without a content type is JSON, which is all that these routes take.
 */
const limitJson: MiddlewareHandler<AppEnv> = async (c, next) => {
  // The Fetch standard gives these no body; clients that attach one all the same do not mean anything by it.
  if (c.req.method === "GET" || c.req.method === "HEAD") return await next();
  if (declaredBytes(c) > MAX_JSON_BYTES) {
    await discard(c);
    throw new AppError("PAYLOAD_TOO_LARGE");
  }
  const body = await readWhole(c.req.raw.body, MAX_JSON_BYTES);
  c.req.raw = withBody(c, body);
  return await next();
};

/** A client that is still sending when the answer comes would see a lost connection in its place. */
async function discard(c: Context): Promise<void> {
  if (declaredBytes(c) > MAX_DISCARDED_BYTES) return;
  let size = 0;
  for await (const chunk of c.req.raw.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_DISCARDED_BYTES) return;
  }
}

function declaredBytes(c: Context): number {
  return Number(c.req.header("Content-Length") ?? 0);
}

async function readWhole(body: ReadableStream<Uint8Array> | null, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new AppError("PAYLOAD_TOO_LARGE");
    chunks.push(chunk);
  }
  const whole = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return whole;
}

/** An empty body is still handed on as a body: a request whose own was read cannot be made anew with none. */
function withBody(c: Context<AppEnv>, body: Uint8Array<ArrayBuffer>): Request {
  const headers = new Headers(c.req.raw.headers);
  if (body.byteLength === 0) headers.delete("Content-Type");
  else if (!headers.has("Content-Type")) headers.set("Content-Type", "application/json");
  return new Request(c.req.raw, { method: c.req.method, headers, body });
}
