import type { Context, MiddlewareHandler } from "hono";
import { AppError } from "../../core/errors.ts";
import { NOBODY, ownerOf, type Owner } from "../../core/fair-order.ts";
import { countJsonValues, isDeeperThan } from "../../core/text/count-json-values.ts";
import { FILE_WAIT_MS, SHORT_BYTES } from "../../core/waits/take-room.ts";
import { limitParts } from "./limit-parts.ts";
import { assertDeclaredWithin, limitedBody, MAX_DISCARDED_BYTES, readWhole } from "./read-body.ts";
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
/** Ms that a long JSON body waits for room. */
const JSON_WAIT_MS = 60_000;
const MCP_PATH = "/mcp";

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
 * @returns the file, and a function that frees its room
 * @throws AppError `PAYLOAD_TOO_LARGE` for more than `maxBytes`, `REQUEST_TIMEOUT`, `BAD_REQUEST` for a broken body, `RATE_LIMITED`
 */
export async function readFileBody(
  c: Context<AppEnv>,
  { maxBytes, owner }: { maxBytes: number; owner: Owner },
): Promise<{ bytes: Uint8Array; release: () => void }> {
  await assertDeclaredWithin(c, maxBytes);
  return await readWhole(c, { maxBytes, owner, waitMs: FILE_WAIT_MS });
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

/** Limits a form without reading it: 50 MB need not be in memory twice. */
const limitUpload: MiddlewareHandler<AppEnv> = async (c, next) => {
  const { body } = c.req.raw;
  if (body === null) return await next();
  await assertDeclaredWithin(c, MAX_FORM_BYTES);
  const owner = ownerOf(c.var.caller.key);
  const limits = { maxBytes: MAX_FORM_BYTES, owner, waitMs: FILE_WAIT_MS, mostDropped: MAX_DISCARDED_BYTES };
  const { stream, release } = limitedBody(c, body, limits);
  // Node requires `duplex` for a stream.
  const init = { body: limitParts(stream, c.req.header("Content-Type")), duplex: "half" };
  c.req.raw = new Request(c.req.raw, init);
  try {
    await next();
  } finally {
    release();
  }
};

/**
 * Reads the whole body, so that its size is known before it is parsed. An empty body counts as none, whatever its type,
 * and one without a content type is JSON, the only type that these routes accept.
 */
const limitJson: MiddlewareHandler<AppEnv> = async (c, next) => {
  // The Fetch standard allows no body here; clients that send one anyway do not depend on it.
  if (c.req.method === "GET" || c.req.method === "HEAD") return await next();
  const release = await readJson(c);
  try {
    await next();
  } finally {
    release();
  }
};

/** @returns a function that frees the room of the body */
async function readJson(c: Context<AppEnv>): Promise<() => void> {
  const owner = ownerOfJson(c);
  const maxBytes = owner === undefined ? SHORT_BYTES : MAX_JSON_BYTES;
  await assertDeclaredWithin(c, maxBytes);
  const { bytes, release } = await readWhole(c, { maxBytes, owner: owner ?? NOBODY, waitMs: JSON_WAIT_MS });
  try {
    assertFewValues(bytes);
    if (bytes.byteLength <= SHORT_BYTES || !keepParsed(c, bytes)) c.req.raw = withBody(c, bytes);
    return release;
  } catch (error) {
    release();
    throw error;
  }
}

/**
 * Returns whose memory a JSON body takes; undefined without a key. It is not counted with what its team holds else: a request that
 * waits for room there has its body already, and those of others could fill the room. Calls of tools are requests within `/mcp`.
 */
function ownerOfJson(c: Context<AppEnv>): Owner | undefined {
  const { caller } = c.var as Partial<AppEnv["Variables"]>;
  if (caller === undefined) return undefined;
  const { teamId, keyId } = ownerOf(caller.key);
  return { teamId: `${c.req.path === MCP_PATH ? "messages" : "bodies"} of ${teamId}`, keyId };
}

/**
 * Keeps the value of a long JSON body in place of its bytes and its text, which requests would hold to their end.
 * @returns false for a body that is no JSON, or that is read from the request itself
 */
function keepParsed(c: Context<AppEnv>, bytes: Uint8Array): boolean {
  const type = c.req.header("Content-Type") ?? "application/json";
  if (!type.includes("json") || c.req.path === MCP_PATH) return false;
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return false;
  }
  const headers = new Headers(c.req.raw.headers);
  headers.set("Content-Type", type);
  c.req.raw = new Request(c.req.raw, { method: c.req.method, headers, body: new Uint8Array() });
  // The same value for all that ask for it: the framework would parse the text anew each time.
  c.req.json = async <Value>() => value as Value;
  c.req.text = async () => JSON.stringify(value);
  return true;
}

/** Returns the request with a new body, even an empty one: a request whose body was read needs one to be copied. */
function withBody(c: Context<AppEnv>, body: Uint8Array<ArrayBuffer>): Request {
  const headers = new Headers(c.req.raw.headers);
  if (body.byteLength === 0) headers.delete("Content-Type");
  else if (!headers.has("Content-Type")) headers.set("Content-Type", "application/json");
  return new Request(c.req.raw, { method: c.req.method, headers, body });
}
