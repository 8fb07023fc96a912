import type { Context, MiddlewareHandler } from "hono";
import type { Endpoint } from "../core/account/api-key.ts";
import { toReceipt, type Receipt } from "../core/account/receipt.ts";
import type { AppEnv } from "./context.ts";

/** The work that a request has done, as opposed to reading stored results. */
export interface Work {
  endpoint: Endpoint;
  /** The id of the work; the request's own id by default. */
  id?: string;
  /** Number of pages in the response. */
  pages?: number;
  /** The engine that loaded the page. */
  engine?: string;
}

/** Sets the id and the result of this request's work. Ignored for a request without work. */
export function nameWork(c: Context<AppEnv>, about: Omit<Work, "endpoint">): void {
  const { work } = c.var;
  if (work !== undefined) c.set("work", { ...work, ...about });
}

/** Returns the receipt of this request, which is final after the first call: later costs are not counted. */
export function receiptOf(c: Context<AppEnv>): Receipt {
  const known = c.var.receipt;
  if (known !== undefined) return known;
  const { meter } = c.var.deps;
  // The work is recorded after the response, and is part of its cost.
  meter.add("durableObjectRequests");
  meter.add("durableObjectRowsWritten");
  const receipt = toReceipt(meter.counts);
  c.set("receipt", receipt);
  return receipt;
}

/** Records work when its response is ready, with the response's receipt. The response does not wait for it. */
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

/** Adds the receipt to a JSON response without one, so that every sum can be checked by its parts. */
async function showReceipt(c: Context<AppEnv>): Promise<void> {
  const isJson = c.res.headers.get("Content-Type")?.startsWith("application/json") === true;
  if (c.var.receipt !== undefined || !isJson) return;
  const text = await c.res.text();
  const isOpen = text.startsWith("{") && text.endsWith("}") && text.length > 2;
  c.res = new Response(isOpen ? `${text.slice(0, -1)},"receipt":${JSON.stringify(receiptOf(c))}}` : text, c.res);
}

/** Returns the target of the work from the body, which is parsed already; null for zero data retention. */
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
