import { useState } from "preact/hooks";
import { ask } from "../api/client.ts";
import { readLinked } from "../api/read-parts.ts";
import { useLoaded } from "../api/use-loaded.ts";
import { toAgo } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";
import { EmptyState, ErrorNotice, Loading } from "../parts/notices.tsx";
import { GuideLink, PageHead } from "../parts/page-head.tsx";
import { hrefOf } from "../routes.ts";
import { countsInWords, targetInWords } from "./monitor-types.ts";
import type { MonitorInfo } from "./monitor-types.ts";

const RELOAD_MS = 10_000;
/** The most that one request lists. */
const MONITORS_AT_ONCE = 100;

/** The team's monitors with their state and the outcome of their last check. */
export function MonitorList() {
  const [count, setCount] = useState(MONITORS_AT_ONCE);
  const { value, error, isLoading, reload } = useLoaded(
    (signal) =>
      readLinked(`/v2/monitor?limit=${MONITORS_AT_ONCE}`, count, (path) =>
        ask<{ data: MonitorInfo[]; next?: string }>(path, { signal }),
      ),
    [count],
    RELOAD_MS,
  );
  return (
    <>
      <PageHead title="Monitors" lead="Check pages on a schedule and see what changed.">
        <GuideLink of="monitors" />
        <a class="button button-main" href={hrefOf("monitors", "new")}>
          <Icon name="plus" /> Create monitor
        </a>
      </PageHead>
      {error !== undefined && <ErrorNotice error={error} retry={reload} />}
      {value === undefined && error === undefined && <Loading what="monitors" />}
      {value !== undefined && <Listed monitors={value.items} />}
      {value?.hasMore === true && (
        <button
          type="button"
          class="button spaced"
          disabled={isLoading}
          onClick={() => setCount(value.items.length + MONITORS_AT_ONCE)}
        >
          Load older monitors
        </button>
      )}
    </>
  );
}

function Listed({ monitors }: { monitors: readonly MonitorInfo[] }) {
  if (monitors.length === 0) {
    return (
      <EmptyState icon="monitors" title="No monitors yet">
        <p>A monitor scrapes pages on a schedule and reports each change of their text, fields or look.</p>
        <p>
          <a href={hrefOf("monitors", "new")}>Create the first monitor</a> or{" "}
          <a href="/docs/monitors" target="_blank">
            read the guide
          </a>
          .
        </p>
      </EmptyState>
    );
  }
  return (
    <section class="card" aria-label="Monitors">
      <ul class="records">
        {monitors.map((monitor) => (
          <MonitorRecord key={monitor.id} monitor={monitor} />
        ))}
      </ul>
    </section>
  );
}

function MonitorRecord({ monitor }: { monitor: MonitorInfo }) {
  const { id, name, status, currentCheckId, lastRunAt, nextRunAt, lastCheckSummary, targets } = monitor;
  const outcome = countsInWords(lastCheckSummary);
  const [first] = targets;
  return (
    <li class="record">
      <span class="breaking">
        <a class="record-name" href={hrefOf("monitors", id)}>
          {name}
        </a>
        <span class="record-sub">{first !== undefined && targetInWords(first)}</span>
      </span>
      <MonitorChip status={status} isChecking={currentCheckId !== null} />
      <span class="faint">
        {lastRunAt === null ? "not checked yet" : [outcome, toAgo(lastRunAt)].filter(Boolean).join(" · ")}
        {nextRunAt !== null && <span class="record-sub">Next check {toAgo(nextRunAt)}</span>}
      </span>
    </li>
  );
}

export function MonitorChip({ status, isChecking }: { status: MonitorInfo["status"]; isChecking: boolean }) {
  if (isChecking) return <span class="chip-status busy">Checking</span>;
  return status === "paused" ? (
    <span class="chip-status warn">Paused</span>
  ) : (
    <span class="chip-status good">Active</span>
  );
}
