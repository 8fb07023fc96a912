import { toCount, toDuration } from "../parts/format.ts";
import type { UsageSums } from "./usage-types.ts";

/** What can be drawn by day. */
export interface Measure {
  name: string;
  label: string;
  /** One line of the chart each. */
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
      { label: "Half are faster than (p50)", read: ({ latencyMs }) => latencyMs?.p50 ?? null },
      { label: "95 % are faster than (p95)", read: ({ latencyMs }) => latencyMs?.p95 ?? null },
    ],
    show: toDuration,
  },
  {
    name: "browser",
    label: "Browser time",
    series: one("Browser time", ({ browserMs }) => browserMs),
    show: toDuration,
  },
  { name: "dollars", label: "Dollars", series: one("Dollars", ({ dollars }) => dollars), show: toDollars },
];

/** Small sums keep the digits that say something. */
export function toDollars(dollars: number): string {
  if (dollars === 0) return "$0";
  return dollars < 0.01 ? `$${dollars.toPrecision(2)}` : `$${dollars.toFixed(2)}`;
}

const DAY_MS = 86_400_000;

/** Every day from one to another, both included, as `2026-11-21`. */
export function daysBetween(from: string, to: string): string[] {
  const count = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
  return Array.from({ length: Math.max(0, count) }, (_, at) =>
    new Date(Date.parse(from) + at * DAY_MS).toISOString().slice(0, 10),
  );
}

/** The first day of a range that ends today (UTC). */
export function firstDay(days: number, nowMs = Date.now()): string {
  return new Date(nowMs - (days - 1) * DAY_MS).toISOString().slice(0, 10);
}
