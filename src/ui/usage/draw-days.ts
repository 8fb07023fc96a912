import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { toCount } from "../parts/format.ts";
import type { Measure } from "./measures.ts";

const HEIGHT = 260;
const NARROW = 520;
/** Distances between the ticks of the day axis in seconds, all whole days. */
const DAY_STEPS = [1, 2, 3, 7, 14, 30].map((days) => days * 86_400);

/** Distances between the ticks of an axis of counts. */
const WHOLE_STEPS = Array.from({ length: 12 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();

interface Drawing {
  days: readonly string[];
  /** One row for each series of the measure. */
  rows: readonly (number | null)[][];
  measure: Measure;
}

/** Draws bars for one series and lines for several, as wide as `place`. @returns a function that removes the chart. */
export function drawDays(place: HTMLElement, { days, rows, measure }: Drawing): () => void {
  const colours = ["--accent", "--violet"].map((name) => colourOf(place, name));
  const text = colourOf(place, "--faint");
  const line = colourOf(place, "--line");
  const isBars = rows.length === 1;
  const axis = { stroke: text, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
  const xs = days.map((day) => Date.parse(day) / 1_000);
  const options: uPlot.Options = {
    width: place.clientWidth,
    height: HEIGHT,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), "Etc/UTC"),
    cursor: { drag: { x: false, y: false }, points: { show: !isBars } },
    scales: {
      x: { time: true, range: (_, least, most) => [least - 43_200, most + 43_200] },
      y: { range: (_, __, most) => [0, Math.max(most * 1.1, Number.EPSILON)] },
    },
    axes: [
      {
        ...axis,
        incrs: DAY_STEPS,
        values: (_, ticks) => ticks.map(dayLabel),
        space: place.clientWidth < NARROW ? 70 : 60,
      },
      {
        ...axis,
        size: 64,
        ...(measure.show === toCount ? { incrs: WHOLE_STEPS } : {}),
        values: (_, ticks) => ticks.map((tick) => measure.show(tick)),
      },
    ],
    series: [
      { label: "Day", value: (_, seconds) => (seconds === null ? "–" : dayLabel(seconds)) },
      ...measure.series.map(({ label }, row): uPlot.Series => ({
        label,
        stroke: colours[row] ?? text,
        width: isBars ? 0 : 2,
        ...(isBars ? { fill: colours[row] ?? text, paths: barPaths(), points: { show: false } } : {}),
        value: (_, value, __, at) => (at === null ? "" : value === null ? "–" : measure.show(value)),
      })),
    ],
  };
  const plot = new uPlot(options, [xs, ...rows.map((row) => [...row])], place);
  const watching = new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height: HEIGHT }));
  watching.observe(place);
  return () => {
    watching.disconnect();
    plot.destroy();
  };
}

function barPaths(): uPlot.Series.PathBuilder {
  const { bars, linear } = uPlot.paths;
  if (bars !== undefined) return bars({ size: [0.7, 48], radius: 0.15 });
  if (linear !== undefined) return linear();
  throw new Error("uPlot has no path builder");
}

function dayLabel(seconds: number): string {
  return new Date(seconds * 1_000).toLocaleDateString("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
}

/** Returns the computed colour of a custom property in the current theme. */
function colourOf(place: HTMLElement, name: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  place.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
