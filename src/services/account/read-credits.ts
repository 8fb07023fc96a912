import { dayKey } from "../../core/account/day-key.ts";
import type { Caller, Deps } from "../deps.ts";

/** Value for “no limit” where clients expect a number. */
const UNLIMITED = 1_000_000_000_000;

/** Credits or tokens that a key has left in this calendar month (UTC). */
export interface Allowance {
  remaining: number;
  plan: number;
  periodStartMs: number;
  periodEndMs: number;
}

type Uses = Pick<Deps, "keyLedger" | "settings">;

/** Reads the budget of the caller's key. */
export async function readCredits({ keyLedger, settings }: Uses, { key }: Caller): Promise<Allowance> {
  const { creditsUsed, periodStartMs, periodEndMs } = await keyLedger.usage(key.id);
  const plan = key.monthlyCredits ?? settings.creditsPerMonth ?? UNLIMITED;
  return { remaining: Math.max(0, plan - creditsUsed), plan, periodStartMs, periodEndMs };
}

/** Reads the model tokens that the caller's key has used. Tokens have no budget. */
export async function readTokens({ keyLedger }: Pick<Deps, "keyLedger">, { key }: Caller): Promise<Allowance> {
  const { periodStartMs, periodEndMs } = await keyLedger.usage(key.id);
  const rows = await keyLedger.usageDays(key.id, dayKey(periodStartMs), dayKey(periodEndMs - 1));
  const used = rows.reduce((sum, { totals }) => {
    const { input, output } = totals.receipt.modelTokens;
    return sum + input + output;
  }, 0);
  return { remaining: UNLIMITED - used, plan: UNLIMITED, periodStartMs, periodEndMs };
}
