import { useMemo } from "preact/hooks";
import { toDuration } from "../../parts/format.ts";
import type { PageTimes } from "../job-types.ts";
import { QUIET_MS, pageChart, quietFor, tickLabel } from "./page-chart.ts";

const HEIGHT = 100;

interface ChartProps {
  times: PageTimes;
  durationMs: number;
  isRunning: boolean;
}

/** Pages per second over the whole time of a job. The service stores the times, so that the chart survives a reload. */
export function PagesChart({ times, durationMs, isRunning }: ChartProps) {
  const { bars, yTicks, xTicks } = useMemo(() => pageChart(times, durationMs), [times, Math.floor(durationMs / 1_000)]);
  const top = yTicks.at(-1) ?? 1;
  const quietMs = quietFor(times, durationMs);
  const most = Math.max(...bars);
  return (
    <div>
      <h2>Pages per second</h2>
      <div class="pages-chart" role="img" aria-label={`Pages per second since the start, at most ${show(most)}`}>
        <div class="chart-y" aria-hidden="true">
          {yTicks.toReversed().map((tick) => (
            <span key={tick}>{show(tick)}</span>
          ))}
        </div>
        <svg viewBox={`0 0 ${bars.length} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          {yTicks.map((tick) => {
            const y = HEIGHT - (tick / top) * HEIGHT;
            return <line key={tick} x1={0} x2={bars.length} y1={y} y2={y} vector-effect="non-scaling-stroke" />;
          })}
          {bars.map((value, at) => {
            const height = (value / top) * HEIGHT;
            return height === 0 ? null : (
              <rect key={at} x={at + 0.08} y={HEIGHT - height} width={0.84} height={height} />
            );
          })}
        </svg>
        <div class="chart-x" aria-hidden="true">
          {xTicks.map(({ seconds, place }) => (
            <span key={seconds} class={place > 0.92 ? "chart-end" : undefined} style={{ left: `${place * 100}%` }}>
              {tickLabel(seconds)}
            </span>
          ))}
        </div>
      </div>
      {isRunning && quietMs >= QUIET_MS && (
        <p class="faint" role="status">
          No page for {toDuration(quietMs)}. The site may be slow, or throttle requests.
        </p>
      )}
    </div>
  );
}

function show(perSecond: number): string {
  return perSecond >= 10 || Number.isInteger(perSecond)
    ? String(Math.round(perSecond))
    : String(Number(perSecond.toPrecision(2)));
}
