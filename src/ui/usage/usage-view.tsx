import { useState } from "preact/hooks";
import { ask } from "../api/client.ts";
import type { ApiError } from "../api/client.ts";
import { useLoaded } from "../api/use-loaded.ts";
import { toBytes, toCount, toDuration } from "../parts/format.ts";
import { EmptyState, ErrorNotice, Loading } from "../parts/notices.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { hrefOf } from "../routes.ts";
import { ActivityLog } from "./activity-log.tsx";
import { BreakdownCard } from "./breakdown-card.tsx";
import { BudgetsCard } from "./budgets-card.tsx";
import { CreditsLeft } from "./credits-left.tsx";
import { DayChart } from "./day-chart.tsx";
import { ExportButtons } from "./export-buttons.tsx";
import { HourCard } from "./hour-card.tsx";
import { StorageCard } from "./storage-card.tsx";
import { MEASURES, firstDay, toDollars } from "./measures.ts";
import type { UsageResponse, UsageSums } from "./usage-types.ts";
import { UsageTable } from "./usage-table.tsx";

const RANGES: readonly { days: number; label: string }[] = [
  { days: 2, label: "2 days by hour" },
  { days: 7, label: "7 days" },
  { days: 30, label: "30 days" },
  { days: 90, label: "90 days" },
  { days: 365, label: "12 months" },
];

interface Loadings {
  byDay: UsageResponse;
  byEndpoint: UsageResponse;
  byKey: UsageResponse;
}

/** The team's usage and cost by day, endpoint and key, and its latest requests. */
export function UsageView() {
  const [days, setDays] = useState(30);
  const [measureName, setMeasure] = useState("requests");
  const { value, error, isStale, reload } = useLoaded((signal) => loadUsage(days, signal), [days]);
  const measure = MEASURES.find(({ name }) => name === measureName) ?? MEASURES[0];
  return (
    <>
      <PageHead title="Usage" lead="Requests, latency and cost. Days are in UTC.">
        <div class="chips" role="group" aria-label="Date range">
          {RANGES.map((range) => (
            <button
              key={range.days}
              type="button"
              class="chip"
              aria-pressed={range.days === days}
              onClick={() => setDays(range.days)}
            >
              {range.label}
            </button>
          ))}
        </div>
      </PageHead>
      {error !== undefined && <NoUsage error={error} retry={reload} />}
      {value === undefined && error === undefined && <Loading what="usage" />}
      {value !== undefined && (
        <div class="stack">
          <section class="card stack" aria-label="Totals" aria-busy={isStale}>
            <Totals totals={value.byDay.totals} />
            <div class="row spread wrapping">
              <CreditsLeft />
              <ExportButtons days={days} />
            </div>
          </section>
          {value.byDay.totals.requests === 0 ? (
            <EmptyState icon="usage" title="No usage in this period">
              <p>
                <a href={hrefOf("playground")}>Scrape a page in the playground</a> to see usage here.
              </p>
            </EmptyState>
          ) : (
            <>
              {days === 2 && <HourCard from={firstDay(2)} />}
              <section class="card stack" aria-label="By day">
                <div class="chips" role="group" aria-label="Metric">
                  {MEASURES.map(({ name, label }) => (
                    <button
                      key={name}
                      type="button"
                      class="chip"
                      aria-pressed={name === measureName}
                      onClick={() => setMeasure(name)}
                    >
                      {label}
                    </button>
                  ))}
                </div>
                {measure !== undefined && <DayChart answer={value.byDay} measure={measure} />}
              </section>
              <UsageTable title="By endpoint" answer={value.byEndpoint} nameOf={({ endpoint }) => endpoint ?? ""} />
              <UsageTable title="By key" answer={value.byKey} nameOf={({ key }) => key?.name ?? ""} />
              <BreakdownCard from={firstDay(days)} />
            </>
          )}
          <div class="halves">
            <BudgetsCard />
            <StorageCard />
          </div>
          <ActivityLog />
        </div>
      )}
    </>
  );
}

async function loadUsage(days: number, signal: AbortSignal): Promise<Loadings> {
  const load = (group: string): Promise<UsageResponse> =>
    ask<UsageResponse>(`/v2/team/usage?from=${firstDay(days)}&groupBy=${group}`, { signal });
  const [byDay, byEndpoint, byKey] = await Promise.all([load("day"), load("endpoint"), load("key")]);
  return { byDay, byEndpoint, byKey };
}

function Totals({ totals }: { totals: UsageSums }) {
  const { requests, errors, pages, credits, browserMs, bytesFetched, dollars, latencyMs } = totals;
  const facts: [string, string][] = [
    ["Requests", toCount(requests)],
    ["Errors", toCount(errors)],
    ["Pages", toCount(pages)],
    ["Credits", toCount(credits)],
    ["Latency p50", latencyMs === null ? "–" : toDuration(latencyMs.p50)],
    ["Latency p95", latencyMs === null ? "–" : toDuration(latencyMs.p95)],
    ["Browser time", toDuration(browserMs)],
    ["Data fetched", toBytes(bytesFetched)],
    ["Estimated cost", toDollars(dollars)],
  ];
  return (
    <dl class="facts facts-large">
      {facts.map(([name, text]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

function NoUsage({ error, retry }: { error: ApiError; retry: () => void }) {
  if (error.status !== 404 && error.status !== 501) return <ErrorNotice error={error} retry={retry} />;
  return (
    <EmptyState icon="usage" title="Usage reporting is not available">
      <p>
        {error.message} (<code>{error.code ?? error.status}</code>)
      </p>
    </EmptyState>
  );
}
