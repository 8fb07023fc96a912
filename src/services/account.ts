import { AppError } from "../core/errors.ts";
import type { Caller, Deps } from "./deps.ts";

/** What one request has been charged so far, so that it can be brought to what the work came to, and no further. */
export interface Account {
  readonly chargedCredits: number;
  /**
   * Charges or gives back the difference to what is owed.
   * @throws AppError `INSUFFICIENT_CREDITS` when more is owed than the key has left; then nothing more is taken.
   */
  settle(owedCredits: number): Promise<void>;
}

/** Opens the account of a request whose first credits were taken when it was admitted. */
export function openAccount(
  deps: Pick<Deps, "keyGate" | "settings" | "clock">,
  { key }: Caller,
  takenCredits: number,
): Account {
  const chargedAtMs = deps.clock.now();
  let chargedCredits = takenCredits;
  return {
    get chargedCredits() {
      return chargedCredits;
    },
    async settle(owedCredits) {
      const credits = owedCredits - chargedCredits;
      if (credits === 0) return;
      const monthlyCredits = key.monthlyCredits ?? deps.settings.creditsPerMonth;
      const isSettled = await deps.keyGate.adjustCredits(key.id, { credits, monthlyCredits, chargedAtMs });
      if (!isSettled) throw insufficient(owedCredits);
      chargedCredits = owedCredits;
    },
  };
}

function insufficient(owedCredits: number): AppError {
  return new AppError(
    "INSUFFICIENT_CREDITS",
    `Insufficient credits: this document costs ${owedCredits} credits, more than the key has left. Ask for fewer pages with parsers[].maxPages.`,
  );
}
