import type { PageTimes } from "../job-types.ts";

/** Intervals that are shown at least, so that the chart of a short job is not one wide bar. */
const MIN_INTERVALS = 10;
/** Time without a page after which a running job is said to be quiet. */
export const QUIET_MS = 30_000;
const X_TICKS = 5;
const X_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 21_600, 43_200, 86_400];

export interface PageChart {
  /** Pages per second in each interval, oldest first. */
  bars: number[];
  /** Values of the y axis, ascending from 0. The last one is the top. */
  yTicks: number[];
  /** Values of the x axis in seconds since the start, with their place between 0 and 1. */
  xTicks: { seconds: number; place: number }[];
}

/** Returns the bars and axes of a job's pages over its whole time so far. */
export function pageChart({ stepMs, counts }: PageTimes, durationMs: number): PageChart {
  const intervals = Math.max(MIN_INTERVALS, counts.length, Math.ceil(durationMs / stepMs));
  const bars = Array.from({ length: intervals }, (_, at) => ((counts[at] ?? 0) * 1_000) / stepMs);
  const seconds = (intervals * stepMs) / 1_000;
  const step = X_STEPS.find((each) => seconds / each <= X_TICKS) ?? Math.ceil(seconds / X_TICKS / 86_400) * 86_400;
  const xTicks = Array.from({ length: Math.floor(seconds / step) + 1 }, (_, at) => ({
    seconds: at * step,
    place: (at * step) / seconds,
  }));
  return { bars, yTicks: niceTicks(Math.max(...bars)), xTicks };
}

/** Returns a time on the x axis: `45 s`, `3 min`, `2 h`. */
export function tickLabel(seconds: number): string {
  if (seconds < 60 || seconds % 60 !== 0) return `${seconds} s`;
  if (seconds < 3_600 || seconds % 3_600 !== 0) return `${seconds / 60} min`;
  return `${seconds / 3_600} h`;
}

/** Returns the time since the last page, or a little less: the end of the interval in which it was scraped counts. */
export function quietFor({ stepMs, counts }: PageTimes, durationMs: number): number {
  return Math.max(0, durationMs - counts.length * stepMs);
}

/** Returns 0, a middle and a top for values up to `most`, with a top of 1, 2 or 5 times a power of ten. */
function niceTicks(most: number): number[] {
  if (most <= 0) return [0, 0.5, 1];
  const power = 10 ** Math.floor(Math.log10(most));
  const top = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= most * 0.999) ?? most;
  return [0, top / 2, top];
}
