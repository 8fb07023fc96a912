import type { Endpoint } from "../../core/account/api-key.ts";
import { AppError } from "../../core/errors.ts";
import { compareActivity, type ActivityCursor, type ActivityEntry } from "../../core/account/usage.ts";
import type { ActivityOutcome } from "../../ports/account/key-ledger.ts";
import { checkEndpoint } from "./check-scope.ts";
import type { Caller, Deps } from "../deps.ts";
import { sumTeam } from "./team-keys.ts";

const WINDOW_MS = 86_400_000;

/** Endpoints that activity can be filtered by (api-contract.md, “Team”). */
export const ACTIVITY_ENDPOINTS = [
  "scrape", "parse", "crawl", "batch_scrape", "search", "extract", "llmstxt", "deep_research", "map", "agent", "browser",
  "interact", "monitor", "feedback",
] as const; // prettier-ignore
type ActivityEndpoint = (typeof ACTIVITY_ENDPOINTS)[number];

/** Scopes of the activity endpoints that have another name than their scope. */
const SCOPE_OF: Partial<Record<ActivityEndpoint, Endpoint>> = {
  llmstxt: "agent",
  deep_research: "agent",
  interact: "browser",
  feedback: "search",
};
const scopeOf = (endpoint: ActivityEndpoint): Endpoint =>
  SCOPE_OF[endpoint] ?? (endpoint as Exclude<ActivityEndpoint, "llmstxt" | "deep_research" | "interact" | "feedback">);

export interface ActivityPage {
  entries: ActivityEntry[];
  /** Cursor of the next page; undefined for the last one. */
  cursor: string | undefined;
}

/**
 * Lists the activity of the caller's team within the last day, newest first. A key with `scopes.endpoints` gets the
 * activity of these alone.
 * @throws AppError BAD_REQUEST for an unknown endpoint and for an invalid cursor; ENDPOINT_RESTRICTED.
 */
export async function listActivity(
  deps: Pick<Deps, "keys" | "keyLedger" | "clock">,
  caller: Caller,
  query: {
    endpoint?: string | undefined;
    outcome?: ActivityOutcome | undefined;
    limit: number;
    cursor?: string | undefined;
  },
): Promise<ActivityPage> {
  const { endpoint, outcome, limit } = query;
  const cursor = query.cursor === undefined || query.cursor === "" ? undefined : readCursor(query.cursor);
  const sinceMs = deps.clock.now() - WINDOW_MS;
  const endpoints = readableEndpoints(caller, endpoint);
  let found: ActivityEntry[] = [];
  await sumTeam(deps, caller, {
    ask: async ({ id }) => {
      const ask = (each: string | undefined) =>
        deps.keyLedger.activity(id, { sinceMs, limit: limit + 1, endpoint: each, outcome, cursor });
      return (await Promise.all(endpoints.map(ask))).flat();
    },
    add: (_key, answer) => {
      found = [...found, ...answer].toSorted(compareActivity).slice(0, limit + 1);
    },
  });
  const entries = found.slice(0, limit);
  const last = entries.at(-1);
  return { entries, cursor: found.length > limit && last !== undefined ? writeCursor(last) : undefined };
}

/** Returns the endpoints to query, one by one; undefined means all endpoints. */
function readableEndpoints({ key }: Caller, asked: string | undefined): (ActivityEndpoint | undefined)[] {
  if (asked === undefined) {
    const allowed = key.scopes.endpoints;
    if (allowed === undefined) return [undefined];
    return ACTIVITY_ENDPOINTS.filter((endpoint) => allowed.includes(scopeOf(endpoint)));
  }
  const endpoint = ACTIVITY_ENDPOINTS.find((name) => name === asked);
  if (endpoint === undefined) {
    throw new AppError("BAD_REQUEST", `Invalid endpoint filter. It must be one of ${ACTIVITY_ENDPOINTS.join(", ")}.`);
  }
  checkEndpoint(key, scopeOf(endpoint));
  return [endpoint];
}

function writeCursor({ atMs, id }: ActivityCursor): string {
  return btoa(`${atMs}:${id}`).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function readCursor(text: string): ActivityCursor {
  const [, atMs, id] = /^(\d{1,15}):([0-9a-f-]{36})$/.exec(decode(text)) ?? [];
  if (atMs === undefined || id === undefined) throw new AppError("BAD_REQUEST", "Invalid cursor.");
  return { atMs: Number(atMs), id };
}

function decode(text: string): string {
  try {
    return atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    return "";
  }
}
