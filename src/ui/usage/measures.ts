import { toCount, toDuration } from "../parts/format.ts";
import type { UsageSums } from "./usage-types.ts";

/** A metric by day. */
export interface Measure {
  name: string;
  label: string;
  /** The series of the chart. */
  series: { label: string; read: (sums: UsageSums) => number | null }[];
  show: (value: number) => string;
}

const one = (label: string, read: (sums: UsageSums) => number | null): Measure["series"] => [{ label, read }];

export const MEASURES: readonly Measure[] = [
  { name: "requests", label: "Requests", series: one("Requests", ({ requests }) => requests), show: toCount },
  { name: "credits", label: "Credits", series: one("Credits", ({ credits }) => credits), show: toCount },
  { name: "pages", label: "Pages", series: one("Pages", ({ pages }) => pages), show: toCount },
  { name: "errors", label: "Errors", series: one("Errors", ({ errors }) => errors), show: toCount },
  {
    name: "latency",
    label: "Latency",
    series: [
      { label: "p50", read: ({ latencyMs }) => latencyMs?.p50 ?? null },
      { label: "p95", read: ({ latencyMs }) => latencyMs?.p95 ?? null },
    ],
    show: toDuration,
  },
  {
    name: "browser",
    label: "Browser time",
    series: one("Browser time", ({ browserMs }) => browserMs),
    show: toDuration,
  },
  { name: "dollars", label: "Cost", series: one("Cost", ({ dollars }) => dollars), show: toDollars },
];

/** Formats a sum in dollars. Sums below one cent have two significant digits. */
export function toDollars(dollars: number): string {
  if (dollars === 0) return "$0";
  return dollars < 0.01 ? `$${dollars.toPrecision(2)}` : `$${dollars.toFixed(2)}`;
}

const DAY_MS = 86_400_000;

/** Returns all days of a range, both ends included, as `2026-11-21`. */
export function daysBetween(from: string, to: string): string[] {
  const count = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
  return Array.from({ length: Math.max(0, count) }, (_, at) =>
    new Date(Date.parse(from) + at * DAY_MS).toISOString().slice(0, 10),
  );
}

/** Returns the first day of a range of `days` days that ends today (UTC). */
export function firstDay(days: number, nowMs = Date.now()): string {
  return new Date(nowMs - (days - 1) * DAY_MS).toISOString().slice(0, 10);
}
