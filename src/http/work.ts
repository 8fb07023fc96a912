import type { Work } from "./request-work.ts";
import type { Context, MiddlewareHandler } from "hono";
import { isAppError } from "../core/errors.ts";
import { toReceipt, type Receipt } from "../core/account/receipt.ts";
import type { WorkRecord } from "../core/account/usage.ts";
import type { AppEnv } from "./context.ts";

/** Longer user agents are stored in part. */
const MAX_CLIENT_CHARS = 100;

/** Sets the id and the result of this request's work. Ignored for a request without work. */
export function nameWork(c: Context<AppEnv>, about: Omit<Work, "endpoint" | "listedAs" | "target">): void {
  const { work } = c.var;
  if (work !== undefined) c.set("work", { ...work, ...about });
}

/** Returns the target of work: null for zero data retention. */
export function workTarget(target: string | undefined, zeroDataRetention: boolean): string | null {
  return zeroDataRetention ? null : (target ?? null);
}

/** Returns the receipt of this request, which is final after the first call: later costs are not counted. */
export function receiptOf(c: Context<AppEnv>): Receipt {
  const known = c.var.receipt;
  if (known !== undefined) return known;
  const { deps, caller, requestId } = c.var;
  const { meter, keyLedger } = deps;
  // The work is recorded after the response, and is part of its cost.
  meter.expect(keyLedger.recordCosts(caller.key.id, requestId));
  const receipt = toReceipt(meter.total());
  c.set("receipt", receipt);
  return receipt;
}

/** Records work when its response is ready, with the response's receipt. The response does not wait for it. */
export const recordWork: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next();
  const { work, deps, caller, requestId, startedAtMs } = c.var;
  if (work === undefined) return;
  const { endpoint, listedAs = endpoint, target, id = requestId, pages = 0, engine } = work;
  const record = {
    requestId,
    id,
    endpoint: listedAs,
    apiVersion: c.req.path.startsWith("/v1/") ? ("v1" as const) : ("v2" as const),
    target,
    ms: Date.now() - startedAtMs,
    hasFailed: c.error !== undefined || c.res.status >= 400,
    pages,
    receipt: receiptOf(c),
    client: c.req.header("user-agent")?.slice(0, MAX_CLIENT_CHARS),
    engine,
    ...failureOf(c),
    timing: stepsOf(c.res.headers.get("Server-Timing")),
  };
  deps.defer(deps.keyLedger.record(caller.key.id, record));
};

function failureOf({ error }: Context<AppEnv>): Pick<WorkRecord, "code" | "error" | "attempts"> {
  if (error === undefined) return {};
  if (!isAppError(error)) return { code: "UNKNOWN_ERROR" };
  return { code: error.code, error: error.message, attempts: error.attempts };
}

/** Returns the durations of a `Server-Timing` header without its counts, which are in the receipt. */
function stepsOf(header: string | null): string | undefined {
  const steps = (header ?? "").split(", ").filter((part) => part.includes(";dur="));
  return steps.length === 0 ? undefined : steps.join(", ");
}
