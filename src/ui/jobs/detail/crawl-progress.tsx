import { useEffect, useState } from "preact/hooks";
import { toCount, toDuration } from "../../parts/format.ts";
import type { UrlLine } from "../crawl-types.ts";
import { isUnderWay } from "../job-types.ts";
import type { JobDetails, JobPages } from "../job-types.ts";
import type { LivePages } from "../live/use-live-pages.ts";
import type { WatchedJob } from "../live/use-job.ts";
import { depthsOf } from "./depths.ts";
import { PagesChart } from "./pages-chart.tsx";

/** Minimum duration in seconds for a meaningful rate. */
const MIN_SECONDS = 0.5;
const CONNECTION_WORDS = {
  unread: "Running",
  opening: "Connecting…",
  live: "Live",
  ended: "Ended",
  lost: "Live updates disconnected. Refreshing every second.",
} as const;

interface ProgressProps {
  watched: WatchedJob & { details: JobDetails };
  connection: LivePages["connection"];
  lines: readonly UrlLine[];
}

/** The counters of a crawl or batch, all of one response, with its throughput and depth. */
export function CrawlProgress({ watched: { details, atMs }, connection, lines }: ProgressProps) {
  const { job, pages, pageTimes, receipt } = details;
  const isRunning = isUnderWay(job);
  const durationMs = details.durationMs + useElapsed(isRunning, atMs);
  if (pages === null) return <p class="faint">The numbers of this job are not stored.</p>;
  const { completed, total, limit, failed, pending, skipped, discovered, creditsUsed, changes } = pages;
  const seconds = durationMs / 1_000;
  const facts: [string, string][] = [
    ["Scraped", toCount(completed)],
    ["Pending", toCount(pending)],
    ["Failed", toCount(failed)],
    ...(changes === undefined ? [] : changeFacts(changes)),
    ["Skipped", toCount(skipped)],
    ["Discovered", toCount(discovered)],
    ["Page limit", limit === null ? "None" : toCount(limit)],
    ["Credits", toCount(receipt?.credits ?? creditsUsed)],
    ["Duration", toDuration(durationMs)],
    ["Pages per second", seconds >= MIN_SECONDS ? (completed / seconds).toFixed(1) : "–"],
  ];
  return (
    <section class="card progress" aria-label="Progress">
      <div class="progress-head">
        <span class="faint" role="status">
          {isRunning && connection === "live" && <span class="pulse" aria-hidden="true" />}
          {isRunning ? CONNECTION_WORDS[connection] : "Ended"}
        </span>
        <span class="faint">
          {toCount(completed)} of {toCount(total)} pages
        </span>
      </div>
      <progress max={Math.max(1, total)} value={completed} aria-label="Pages scraped" />
      <dl class="facts facts-large">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <div class="progress-charts">
        {pageTimes !== null && <PagesChart times={pageTimes} durationMs={durationMs} isRunning={isRunning} />}
        <Depths lines={lines} />
      </div>
    </section>
  );
}

function changeFacts(changes: NonNullable<JobPages["changes"]>): [string, string][] {
  return [
    ["New", toCount(changes.new)],
    ["Changed", toCount(changes.changed)],
    ["Unchanged", toCount(changes.unchanged)],
    ["Removed", toCount(changes.removed)],
  ];
}

/** The number of pages at each depth. */
function Depths({ lines }: { lines: readonly UrlLine[] }) {
  const depths = depthsOf(lines);
  const most = Math.max(1, ...depths);
  if (depths.length === 0) return null;
  return (
    <div>
      <h2>Pages by depth</h2>
      <ul class="bars">
        {depths.map((count, depth) => (
          <li key={depth}>
            <span>{depth === 0 ? "Start, sitemap" : `Depth ${depth}`}</span>
            <meter min={0} max={most} value={count} aria-label={`Depth ${depth}: ${count} pages`} />
            <span>{toCount(count)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Returns the time in ms since the last response, so that a running job's duration does not stand still. */
function useElapsed(isTicking: boolean, sinceMs: number): number {
  const [nowMs, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isTicking) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [isTicking]);
  return isTicking ? Math.max(0, nowMs - sinceMs) : 0;
}
