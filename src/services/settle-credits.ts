import { AppError } from "../core/errors.ts";
import type { Caller, Deps } from "./deps.ts";

/**
 * Brings the credits that were taken before the work to what the work came to.
 * @throws AppError `INSUFFICIENT_CREDITS` when more is owed than the key has left; then nothing more is taken.
 */
export async function settleCredits(
  deps: Pick<Deps, "keyGate" | "settings">,
  { key }: Caller,
  { takenCredits, owedCredits }: { takenCredits: number; owedCredits: number },
): Promise<void> {
  const credits = owedCredits - takenCredits;
  if (credits === 0) return;
  const monthlyCredits = key.monthlyCredits ?? deps.settings.creditsPerMonth;
  const settled = await deps.keyGate.adjustCredits(key.id, { credits, monthlyCredits });
  if (settled) return;
  throw new AppError(
    "INSUFFICIENT_CREDITS",
    `Insufficient credits: this document costs ${owedCredits} credits, more than the key has left. Ask for fewer pages with parsers[].maxPages.`,
  );
}
