import type { ApiKey } from "../../core/account/api-key.ts";
import { combineUsage, NO_USAGE, type UsageRow, type UsageTotals } from "../../core/account/usage.ts";
import { nextTurn } from "../../core/in-turns.ts";
import type { Caller, Deps } from "../deps.ts";
import { sumTeam } from "./team-keys.ts";

export const USAGE_GROUPS = ["day", "endpoint", "key"] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

/** Totals of one combination of day, endpoint and key, as far as the request groups by these. */
export interface UsageLine {
  day?: string;
  endpoint?: string;
  key?: Pick<ApiKey, "id" | "name" | "prefix">;
  totals: UsageTotals;
}

export interface UsageQuery {
  fromDay: string;
  toDay: string;
  groupBy: readonly UsageGroup[];
}

/** Reads the usage of the caller's team between two days, both included. The lines add up to the totals. */
export async function readUsage(
  deps: Pick<Deps, "keys" | "keyLedger" | "clock">,
  caller: Caller,
  { fromDay, toDay, groupBy }: UsageQuery,
): Promise<{ lines: UsageLine[]; totals: UsageTotals; warning?: string }> {
  const lines = new Map<string, UsageLine>();
  let totals = NO_USAGE;
  const whole = await eachRow(deps, caller, { fromDay, toDay }, (key, row) => {
    const group = {
      ...(groupBy.includes("day") ? { day: row.day } : {}),
      ...(groupBy.includes("endpoint") ? { endpoint: row.endpoint } : {}),
      ...(groupBy.includes("key") ? { key: { id: key.id, name: key.name, prefix: key.prefix } } : {}),
    };
    const name = JSON.stringify(group);
    lines.set(name, { ...group, totals: combineUsage(lines.get(name)?.totals ?? NO_USAGE, row.totals) });
    totals = combineUsage(totals, row.totals);
  });
  return { lines: [...lines.values()].toSorted(compareLines), totals, ...whole };
}

/** Calls `add` with the usage of each day and endpoint, key by key, as `sumTeam` does. */
async function eachRow(
  deps: Pick<Deps, "keys" | "keyLedger" | "clock">,
  caller: Caller,
  { fromDay, toDay }: Pick<UsageQuery, "fromDay" | "toDay">,
  add: (key: ApiKey, row: UsageRow) => void,
): Promise<{ warning?: string }> {
  let added = 0;
  return await sumTeam(deps, caller, {
    ask: ({ id }) => deps.keyLedger.usageDays(id, fromDay, toDay),
    add: async (key, rows) => {
      for (const row of rows) {
        add(key, row);
        if (++added % ROWS_A_TURN === 0) await nextTurn();
      }
    },
  });
}

function compareLines(left: UsageLine, right: UsageLine): number {
  const order = (line: UsageLine): string => `${line.day ?? ""} ${line.endpoint ?? ""} ${line.key?.id ?? ""}`;
  return order(left) < order(right) ? -1 : 1;
}

/** Usage of a team in one calendar month (UTC), of all keys together or of one. */
export interface UsagePeriod {
  startMs: number;
  /** Undefined for the current month. */
  endMs: number | undefined;
  keyName?: string;
  credits: number;
  tokens: number;
}

/** Rows that take some 10 ms. */
const ROWS_A_TURN = 200;
const HISTORY_MS = 400 * 86_400_000;

/** Reads the usage month by month, oldest first, as far back as totals are stored. */
export async function readHistory(
  deps: Pick<Deps, "keys" | "keyLedger" | "clock">,
  caller: Caller,
  { byKey }: { byKey: boolean },
): Promise<UsagePeriod[]> {
  const nowMs = deps.clock.now();
  const days = {
    fromDay: new Date(nowMs - HISTORY_MS).toISOString().slice(0, 10),
    toDay: new Date(nowMs).toISOString().slice(0, 10),
  };
  const periods = new Map<string, UsagePeriod & { order: string }>();
  await eachRow(deps, caller, days, (key, { day, totals }) => {
    const month = day.slice(0, "2026-11".length);
    const order = `${month} ${byKey ? key.id : ""}`;
    const known = periods.get(order) ?? { ...monthOf(month, nowMs), ...(byKey ? { keyName: key.name } : {}), order };
    const { credits, modelTokens } = totals.receipt;
    known.credits += credits;
    known.tokens += modelTokens.input + modelTokens.output;
    periods.set(order, known);
  });
  const sorted = [...periods.values()].toSorted((left, right) => (left.order < right.order ? -1 : 1));
  return sorted.map(({ order: _order, ...period }) => period);
}

function monthOf(month: string, nowMs: number): UsagePeriod {
  const start = new Date(`${month}-01T00:00:00Z`);
  const endMs = Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 1);
  return { startMs: start.getTime(), endMs: endMs > nowMs ? undefined : endMs, credits: 0, tokens: 0 };
}
