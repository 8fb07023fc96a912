import { AppError } from "../../core/errors.ts";
import type { Deps, Payer } from "../deps.ts";

/** What one piece of work has been charged so far, so that it can be brought to what it came to, and no further. */
export interface Account {
  readonly chargedCredits: number;
  /**
   * Charges or gives back the difference to what is owed. What is given back is free again when the work is written down.
   * @throws AppError `INSUFFICIENT_CREDITS` when more is owed than the key has left; then nothing more is taken.
   */
  settle(owedCredits: number): Promise<void>;
}

type Uses = Pick<Deps, "keyLedger" | "settings" | "meter">;

/** Opens the account of work whose first credits were taken when it was admitted. */
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

/** Takes credits for work that is under way. @returns false when the key has fewer left; then nothing is taken. */
export async function takeCredits(
  { keyLedger, settings, meter }: Uses,
  payer: Payer,
  credits: number,
): Promise<boolean> {
  const { key, purse } = payer;
  const monthlyCredits = key.monthlyCredits ?? settings.creditsPerMonth;
  const isTaken = await (purse.kind === "hold"
    ? keyLedger.addHold(key.id, { holdId: purse.holdId, credits, monthlyCredits })
    : purse.take(credits));
  if (isTaken) meter.add("credits", credits);
  return isTaken;
}

/** Takes credits off what the work will be written down with. What is held for it beyond that then goes back. */
export function giveBack({ meter }: Pick<Deps, "meter">, credits: number): void {
  meter.add("credits", -credits);
}

function insufficient(owedCredits: number): AppError {
  return new AppError(
    "INSUFFICIENT_CREDITS",
    `Insufficient credits: this document costs ${owedCredits} credits, more than the key has left. Ask for fewer pages with parsers[].maxPages.`,
  );
}
