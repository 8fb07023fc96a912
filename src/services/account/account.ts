import { AppError } from "../../core/errors.ts";
import type { Deps, Payer } from "../deps.ts";

/** Credits charged for one piece of work so far; settling adjusts them to the final cost. */
export interface Account {
  readonly chargedCredits: number;
  /**
   * Charges or refunds the difference to the final cost. A refund takes effect when the work is recorded.
   * @throws AppError `INSUFFICIENT_CREDITS` when the key has fewer credits left than the cost; then nothing more is
   * taken.
   */
  settle(owedCredits: number): Promise<void>;
}

type Uses = Pick<Deps, "keyLedger" | "settings" | "meter">;

/** Opens the account of work whose first credits were taken at admission. */
export function openAccount(deps: Uses, payer: Payer, takenCredits: number): Account {
  let chargedCredits = takenCredits;
  return {
    get chargedCredits() {
      return chargedCredits;
    },
    async settle(owedCredits) {
      const credits = owedCredits - chargedCredits;
      if (credits > 0 && !(await takeCredits(deps, payer, credits))) throw insufficient(owedCredits);
      if (credits < 0) giveBack(deps, -credits);
      chargedCredits = owedCredits;
    },
  };
}

/** Runs work whose credits were taken, and gives them back when it fails. */
export async function withRefund<Result>(
  { defer }: Pick<Deps, "defer">,
  account: Account,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    defer(account.settle(0));
    throw error;
  }
}

/** Takes credits for work in progress. @returns false when the key has fewer left; then nothing is taken. */
export async function takeCredits(
  { keyLedger, settings, meter }: Uses,
  payer: Payer,
  credits: number,
): Promise<boolean> {
  const { key, creditSource } = payer;
  const monthlyCredits = key.monthlyCredits ?? settings.creditsPerMonth;
  const isTaken = await (creditSource.kind === "hold"
    ? keyLedger.addHold(key.id, { holdId: creditSource.holdId, credits, monthlyCredits })
    : creditSource.take(credits));
  if (isTaken) meter.add("credits", credits);
  return isTaken;
}

/** Reduces the credits that the work will be recorded with. The rest of its hold is then released. */
export function giveBack({ meter }: Pick<Deps, "meter">, credits: number): void {
  meter.add("credits", -credits);
}

export function insufficient(owedCredits: number): AppError {
  return new AppError(
    "INSUFFICIENT_CREDITS",
    `Insufficient credits: this document costs ${owedCredits} credits, more than the key has left. Ask for fewer pages with parsers[].maxPages.`,
  );
}
