import { ask } from "../api/client.ts";
import { useLoaded } from "../api/use-loaded.ts";
import { toCount, toDateTime } from "../parts/format.ts";

interface CreditUsage {
  data: { remainingCredits: number; planCredits: number; billingPeriodEnd: string | null };
}
/** Credits of a plan from which on the service has no limit. */
const NO_LIMIT = 1_000_000_000;

/** The remaining credits of the key in this billing period. */
export function CreditsLeft() {
  const { value } = useLoaded((signal) => ask<CreditUsage>("/v2/team/credit-usage", { signal }), []);
  if (value === undefined) return null;
  const { remainingCredits, planCredits, billingPeriodEnd } = value.data;
  if (planCredits >= NO_LIMIT) return <p class="faint">This key has no credit limit.</p>;
  return (
    <div class="credits-left">
      <meter
        min={0}
        max={Math.max(1, planCredits)}
        value={remainingCredits}
        aria-label={`${toCount(remainingCredits)} of ${toCount(planCredits)} credits remaining`}
      />
      <p class="faint">
        {toCount(remainingCredits)} of {toCount(planCredits)} credits remaining
        {billingPeriodEnd !== null && ` · resets ${toDateTime(billingPeriodEnd)}`}
      </p>
    </div>
  );
}
