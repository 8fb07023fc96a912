import { ask } from "../api/client.ts";
import { useLoaded } from "../api/use-loaded.ts";
import { ErrorNotice, Loading } from "../parts/notices.tsx";
import { HourChart } from "./hour-chart.tsx";
import type { BreakdownResponse } from "./usage-types.ts";

/** Requests by hour, from the start of a day (UTC). */
export function HourCard({ from }: { from: string }) {
  const { value, error, reload } = useLoaded(
    (signal) => ask<BreakdownResponse>(`/v2/team/usage/breakdown?by=hour&from=${from}`, { signal }),
    [from],
  );
  return (
    <section class="card stack" aria-label="By hour">
      <h2>By hour</h2>
      {error !== undefined && <ErrorNotice error={error} retry={reload} />}
      {value === undefined && error === undefined && <Loading what="hours" />}
      {value !== undefined && <HourChart lines={value.data} from={from} />}
    </section>
  );
}
