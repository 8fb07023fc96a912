import { addParts, type Breakdown, type DayParts } from "../../core/account/usage-breakdown.ts";
import type { Caller, Deps } from "../deps.ts";
import { sumTeam } from "./team-keys.ts";

export interface BreakdownLine {
  name: string;
  requests: number;
  errors: number;
  credits: number;
}

/**
 * Reads the usage of the caller's team between two days, both included, by hour, host, engine or error code. Hours are in
 * order; other names are sorted by their requests.
 */
export async function readBreakdown(
  deps: Pick<Deps, "keys" | "keyLedger" | "clock">,
  caller: Caller,
  { by, fromDay, toDay }: { by: Breakdown; fromDay: string; toDay: string },
): Promise<{ lines: BreakdownLine[]; warning?: string }> {
  const sums: DayParts = {};
  const whole = await sumTeam(deps, caller, {
    ask: ({ id }) => deps.keyLedger.usageParts(id, fromDay, toDay),
    add: (_key, answer) => addParts(sums, answer),
  });
  const lines = Object.entries(sums[by] ?? {}).map(([name, part]) => ({ name, ...part }));
  return { lines: lines.toSorted(by === "hour" ? byName : byRequests), ...whole };
}

function byName(left: BreakdownLine, right: BreakdownLine): number {
  return left.name < right.name ? -1 : 1;
}

function byRequests(left: BreakdownLine, right: BreakdownLine): number {
  return right.requests - left.requests || right.credits - left.credits || byName(left, right);
}
