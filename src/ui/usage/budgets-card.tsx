import { ask } from "../api/client.ts";
import { useLoaded } from "../api/use-loaded.ts";
import { toCount, toDateTime } from "../parts/format.ts";
import { ErrorNotice, Loading } from "../parts/notices.tsx";
import { hrefOf } from "../routes.ts";
import type { BudgetsResponse } from "./usage-types.ts";

/** The monthly budget of each key, and how much of it is used. */
export function BudgetsCard() {
  const { value, error, reload } = useLoaded((signal) => ask<BudgetsResponse>("/v2/team/budgets", { signal }), []);
  return (
    <section class="card stack" aria-label="Budgets">
      <div class="row spread">
        <h2>Budgets this month</h2>
        <a href={hrefOf("keys")}>Keys</a>
      </div>
      {error !== undefined && <ErrorNotice error={error} retry={reload} />}
      {value === undefined && error === undefined && <Loading what="budgets" />}
      <ul class="records">
        {value?.data.map(({ key, creditsUsed, monthlyCredits, periodEnd }) => (
          <li key={key.id} class="record budget">
            <span class="breaking">
              <strong>{key.name === "" ? "Key" : key.name}</strong> <code class="faint">{key.prefix}…</code>
            </span>
            {monthlyCredits === null ? (
              <span class="faint">No limit</span>
            ) : (
              <meter
                min={0}
                max={Math.max(1, monthlyCredits)}
                high={monthlyCredits * 0.9}
                value={creditsUsed}
                aria-label={`${key.name}: ${toCount(creditsUsed)} of ${toCount(monthlyCredits)} credits used`}
              />
            )}
            <span class="faint">
              {monthlyCredits === null
                ? `${toCount(creditsUsed)} credits used`
                : `${toCount(creditsUsed)} of ${toCount(monthlyCredits)} credits · resets ${toDateTime(periodEnd)}`}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
