import { ask } from "../api/client.ts";
import { useLoaded } from "../api/use-loaded.ts";
import { toCount, toDateTime } from "../parts/format.ts";

interface CreditUsage {
  data: { remainingCredits: number; planCredits: number; billingPeriodEnd: string | null };
}
/** A plan of so many credits is none: the service has no limit. */
const NO_LIMIT = 1_000_000_000;

/** How much of this month's credits the key has left. */
export function CreditsLeft() {
  const { value } = useLoaded((signal) => ask<CreditUsage>("/v2/team/credit-usage", { signal }), []);
  if (value === undefined) return null;
  const { remainingCredits, planCredits, billingPeriodEnd } = value.data;
  if (planCredits >= NO_LIMIT) return <p class="faint">This key has no limit of credits.</p>;
  return (
    <div class="credits-left">
      <meter
        min={0}
        max={Math.max(1, planCredits)}
        value={remainingCredits}
        aria-label={`${toCount(remainingCredits)} of ${toCount(planCredits)} credits left`}
      />
      <p class="faint">
        {toCount(remainingCredits)} of {toCount(planCredits)} credits left
        {billingPeriodEnd !== null && ` until ${toDateTime(billingPeriodEnd)}`}
      </p>
    </div>
  );
}
