import { useEffect, useState } from "preact/hooks";
import { toCount, toDuration } from "../../parts/format.ts";
import type { CrawlCounts, UrlLine } from "../crawl-types.ts";
import { depthsOf, perSecond } from "./pace.ts";
import { SpeedChart } from "./speed-chart.tsx";
import type { WatchedCrawl } from "../use-crawl.ts";

const SHOWN_SECONDS = 30;
/** Minimum duration in seconds for a meaningful rate. */
const MIN_SECONDS = 0.5;
const CONNECTION_WORDS = {
  opening: "Connecting…",
  live: "Live",
  ended: "Ended",
  lost: "Live updates disconnected. Refreshing every 2 seconds.",
} as const;

interface ProgressProps {
  crawl: WatchedCrawl;
  counts: CrawlCounts | undefined;
  lines: readonly UrlLine[];
}

/** The crawl's counters, throughput and depth. */
export function CrawlProgress({ crawl, counts, lines }: ProgressProps) {
  const { status, statusAtMs, seen, arrivalsMs, connection } = crawl;
  const isRunning = status?.status === "scraping";
  const nowMs = useNow(isRunning);
  const pace = perSecond(arrivalsMs, { nowMs, seconds: SHOWN_SECONDS });
  const completed = Math.max(status?.completed ?? 0, counts?.completed ?? 0, seen);
  const total = Math.max(status?.total ?? 0, completed + (isRunning ? (counts?.pending ?? 0) : 0));
  // Adds the time since the status was received, because pages since then are counted as well.
  const seconds = (status?.duration ?? 0) + (isRunning ? Math.max(0, nowMs - statusAtMs) / 1_000 : 0);
  const facts: [string, string][] = [
    ["Scraped", toCount(completed)],
    ["Pending", toCount(counts?.pending ?? Math.max(0, total - completed))],
    ["Failed", toCount(counts?.failed ?? 0)],
    ["Skipped", toCount(counts?.skipped ?? 0)],
    ["Discovered", toCount(counts?.discovered ?? total)],
    ["Credits", toCount(status?.creditsUsed ?? 0)],
    ["Duration", toDuration(seconds * 1_000)],
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
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <div class="progress-charts">
        <SpeedChart counts={pace} isRunning={isRunning} />
        <Depths lines={lines} />
      </div>
    </section>
  );
}

/** The number of pages at each depth. */
function Depths({ lines }: { lines: readonly UrlLine[] }) {
  const depths = depthsOf(lines);
  const most = Math.max(1, ...depths);
  return (
    <div>
      <h3>Pages by depth</h3>
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

function useNow(isTicking: boolean): number {
  const [nowMs, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isTicking) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [isTicking]);
  return nowMs;
}
