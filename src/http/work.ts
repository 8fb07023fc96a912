import type { Context, MiddlewareHandler } from "hono";
import type { Endpoint } from "../core/account/api-key.ts";
import { toReceipt, type Receipt } from "../core/account/receipt.ts";
import type { AppEnv } from "./context.ts";

/** What a request has done, beyond reading something back. */
export interface Work {
  endpoint: Endpoint;
  /** What the work is known by; the request's own id when nobody gave it a name. */
  id?: string;
  /** Pages that the answer holds. */
  pages?: number;
  /** What brought the page. */
  engine?: string;
}

/** Says what the work of this request is known by and what came of it. Without work there is nothing to name. */
export function nameWork(c: Context<AppEnv>, about: Omit<Work, "endpoint">): void {
  const { work } = c.var;
  if (work !== undefined) c.set("work", { ...work, ...about });
}

/** The receipt of this request, the same each time: what comes after the first look at it is no longer counted. */
export function receiptOf(c: Context<AppEnv>): Receipt {
  const known = c.var.receipt;
  if (known !== undefined) return known;
  const { meter } = c.var.deps;
  // Writing the work down comes after the answer, and is part of what it costs.
  meter.add("durableObjectRequests");
  meter.add("durableObjectRowsWritten");
  const receipt = toReceipt(meter.counts);
  c.set("receipt", receipt);
  return receipt;
}

/** Writes work down when its answer is ready, with the receipt that the answer shows. The answer does not wait for it. */
export const recordWork: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next();
  const { work, deps, caller, requestId, startedAtMs } = c.var;
  if (work === undefined) return;
  await showReceipt(c);
  const { endpoint, id = requestId, pages = 0 } = work;
  const record = {
    requestId,
    id,
    endpoint,
    apiVersion: c.req.path.startsWith("/v1/") ? ("v1" as const) : ("v2" as const),
    target: await targetOf(c),
    ms: Date.now() - startedAtMs,
    hasFailed: c.error !== undefined || c.res.status >= 400,
    pages,
    receipt: receiptOf(c),
  };
  deps.defer(deps.keyLedger.record(caller.key.id, record));
};

/** An answer that says nothing of its cost is given the receipt here, so that every sum can be checked by its parts. */
async function showReceipt(c: Context<AppEnv>): Promise<void> {
  const isJson = c.res.headers.get("Content-Type")?.startsWith("application/json") === true;
  if (c.var.receipt !== undefined || !isJson) return;
  const text = await c.res.text();
  const isOpen = text.startsWith("{") && text.endsWith("}") && text.length > 2;
  c.res = new Response(isOpen ? `${text.slice(0, -1)},"receipt":${JSON.stringify(receiptOf(c))}}` : text, c.res);
}

/** What the work was about, in the caller's words; null where nothing of it may be kept. The body was read before and is at hand. */
async function targetOf(c: Context<AppEnv>): Promise<string | null> {
  const body = await bodyOf(c);
  if (body["zeroDataRetention"] === true) return null;
  const { url, urls, query, file } = body;
  const target = url ?? (Array.isArray(urls) ? (urls as unknown[])[0] : undefined) ?? query;
  if (typeof target === "string") return target;
  return file instanceof File ? file.name : null;
}

async function bodyOf(c: Context<AppEnv>): Promise<Record<string, unknown>> {
  if (c.req.method === "GET") return {};
  const cached = c.req.bodyCache;
  try {
    if (cached.json !== undefined || cached.text !== undefined)
      return Object(await c.req.json()) as Record<string, unknown>;
    if (cached.formData === undefined) return {};
    const form = await c.req.formData();
    const options = form.get("options");
    const parsed = typeof options === "string" && options !== "" ? (JSON.parse(options) as object) : {};
    return { ...parsed, file: form.get("file") };
  } catch {
    return {};
  }
}
