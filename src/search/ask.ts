import type { z } from "zod";
import { retryAfterMs } from "../core/scrape/retry-after.ts";
import type { Http, OutboundRequest } from "../ports/outbound/http.ts";
import type { Clock } from "../ports/system.ts";
import type { FailureReason, ProviderOutcome, SearchHit, SearchQuery } from "./provider.ts";

/** Dependencies of every provider that is called over HTTP. */
export interface ProviderWeb {
  http: Http;
  clock: Clock;
  userAgent: string;
  ownHosts: readonly string[];
}

export type ProviderRequest = Pick<OutboundRequest, "url" | "method" | "headers" | "body">;

type Failed = Extract<ProviderOutcome, { kind: "failed" }> & {
  /** The HTTP status, of a response that is a failure. */
  status?: number;
};
export type Asked<Value> = { kind: "answered"; value: Value } | Failed;

/** Answers of search services are small; anything larger is none. */
const MAX_BODY_BYTES = 5_000_000;
/** How long to leave a provider alone that says "too many" without saying for how long. */
const DEFAULT_PAUSE_MS = 60_000;
/** After it a provider is asked again, whatever it has said: one answer must not switch it off for a day. */
const MAX_PAUSE_MS = 3_600_000;

/** Asks and reads JSON; what does not fit the schema is malformed, and not an empty answer. */
export async function askJson<Schema extends z.ZodType>(
  web: ProviderWeb,
  query: Pick<SearchQuery, "deadlineMs">,
  { schema, ...request }: ProviderRequest & { schema: Schema },
): Promise<Asked<z.output<Schema>>> {
  const headers = { accept: "application/json", ...request.headers };
  const asked = await askText(web, query, { ...request, headers });
  if (asked.kind === "failed") return asked;
  let json: unknown;
  try {
    json = JSON.parse(asked.value);
  } catch {
    return malformed("it is no JSON");
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return { kind: "answered", value: parsed.data };
  const issue = parsed.error.issues[0];
  return malformed(`${issue?.path.join(".") ?? ""}: ${issue?.message ?? "unexpected"}`);
}

/** Asks and gives the body as text; every status but 200 is a failure. */
export async function askText(
  web: ProviderWeb,
  { deadlineMs }: Pick<SearchQuery, "deadlineMs">,
  request: ProviderRequest,
): Promise<Asked<string>> {
  const outcome = await web.http.request({
    ...request,
    headers: { "user-agent": web.userAgent, ...request.headers },
    deadlineMs,
    maxBodyBytes: MAX_BODY_BYTES,
    ownHosts: web.ownHosts,
  });
  if (outcome.kind === "failed") {
    if (outcome.code === "SCRAPE_TIMEOUT") return failed("timed_out", "It did not answer in time");
    return failed("unreachable", `It could not be reached (${outcome.message})`);
  }
  const { statusCode, headers, body } = outcome.response;
  if (statusCode !== 200) return statusFailure(statusCode, headers, web.clock.now());
  return { kind: "answered", value: new TextDecoder().decode(body) };
}

export function failed(reason: FailureReason, message: string, retryAfterMs?: number): Failed {
  return { kind: "failed", reason, message, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}

export function malformed(why: string): Failed {
  return failed("malformed", `Its answer could not be read (${why})`);
}

/** Statuses that providers return when a plan's quota is used up. */
const QUOTA_STATUSES = new Set([402, 432, 433]);
const QUOTA_PAUSE_MS = 3_600_000;

function statusFailure(status: number, headers: Record<string, string>, nowMs: number): Failed {
  const asksForPause = headers["retry-after"] !== undefined;
  const isSpent = status === 403 && headers["x-ratelimit-remaining"] === "0";
  if (status === 429 || isSpent) {
    const pauseMs = pauseOf(headers, nowMs);
    const seconds = Math.ceil(pauseMs / 1000);
    return failed("rate_limited", `It is rate-limited for ${seconds} s (${status})`, pauseMs);
  }
  if (status === 401 || status === 403)
    return failed("unauthorized", `It refuses the request or its key is not valid (${status})`);
  if (QUOTA_STATUSES.has(status))
    return failed("refused", `The quota of its plan is spent (${status})`, QUOTA_PAUSE_MS);
  if (status >= 500)
    return failed("server_error", `It answered ${status}`, asksForPause ? pauseOf(headers, nowMs) : undefined);
  return { ...failed("refused", `It answered ${status}`), status };
}

/** Reports whether a provider answered that it does not have what was requested: 404 or 410. */
export function isAbsent(asked: Asked<unknown>): boolean {
  return asked.kind === "failed" && (asked.status === 404 || asked.status === 410);
}

/** `Retry-After`, or the reset time that some services give instead. */
function pauseOf(headers: Record<string, string>, nowMs: number): number {
  const text = headers["retry-after"];
  const asked = text === undefined ? resetOf(headers["x-ratelimit-reset"], nowMs) : retryAfterMs(text, nowMs);
  return Math.min(MAX_PAUSE_MS, Math.max(1000, asked ?? DEFAULT_PAUSE_MS));
}

/** Seconds since the epoch, or seconds from now; of several windows the first, which is the shortest. */
function resetOf(text: string | undefined, nowMs: number): number | undefined {
  const seconds = Number((text ?? "").split(",", 1)[0]);
  if (text === undefined || !Number.isFinite(seconds)) return undefined;
  return seconds > 1_000_000_000 ? seconds * 1000 - nowMs : seconds * 1000;
}

/** Turns what was asked into hits. */
export function toOutcome<Value>(asked: Asked<Value>, read: (value: Value) => SearchHit[]): ProviderOutcome {
  return asked.kind === "failed" ? asked : { kind: "answered", hits: read(asked.value) };
}

/**
 * Pages one after the other until there is enough, or a page is not full. What was found stays found when a later page
 * fails.
 */
export async function askPages(
  limit: number,
  { size, maxPages }: { size: number; maxPages: number },
  askPage: (page: number) => Promise<ProviderOutcome>,
): Promise<ProviderOutcome> {
  const hits: SearchHit[] = [];
  for (let page = 0; page < maxPages && hits.length < limit; page++) {
    const outcome = await askPage(page);
    if (outcome.kind === "failed") return page === 0 ? outcome : { kind: "answered", hits };
    hits.push(...outcome.hits);
    if (outcome.hits.length < Math.min(size, limit)) break;
  }
  return { kind: "answered", hits };
}
