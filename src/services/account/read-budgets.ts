import type { ApiKey } from "../../core/account/api-key.ts";
import type { Caller, Deps } from "../deps.ts";
import { askTeam } from "./team-keys.ts";

/** The monthly budget of a key, and how much of it is used. */
export interface Budget {
  key: Pick<ApiKey, "id" | "name" | "prefix">;
  creditsUsed: number;
  /** undefined for no limit. */
  monthlyCredits: number | undefined;
  periodEndMs: number;
}

/** Reads the budgets of the team's keys that are not revoked, in the calendar month (UTC). */
export async function readBudgets(
  deps: Pick<Deps, "keys" | "keyLedger" | "settings" | "clock">,
  caller: Caller,
): Promise<Budget[]> {
  const answers = await askTeam(deps, caller, async (key) =>
    key.revokedAtMs === undefined ? await deps.keyLedger.usage(key.id) : undefined,
  );
  return answers.flatMap(({ key: { id, name, prefix, monthlyCredits }, answer }) => {
    if (answer === undefined) return [];
    const { creditsUsed, periodEndMs } = answer;
    const limit = monthlyCredits ?? deps.settings.creditsPerMonth;
    return [{ key: { id, name, prefix }, creditsUsed, monthlyCredits: limit, periodEndMs }];
  });
}
