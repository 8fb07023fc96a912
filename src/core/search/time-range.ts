import { withoutPrototype } from "../without-prototype.ts";

/** A time range, and the dates of the text that are none. */
export interface ParsedRange {
  range: TimeRange | undefined;
  invalid: string[];
}

/** A time range; an absent end is open. */
export interface TimeRange {
  fromMs?: number;
  toMs?: number;
  /** Newest first instead of best first. */
  newestFirst?: boolean;
  /** The shortest unit that holds the range, when it ends now: most search engines offer units alone. */
  unit?: TimeUnit;
}

export type TimeUnit = "hour" | "day" | "week" | "month" | "year";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const UNITS: Record<string, { unit: TimeUnit; ms: number }> = withoutPrototype({
  h: { unit: "hour", ms: HOUR_MS },
  d: { unit: "day", ms: DAY_MS },
  w: { unit: "week", ms: 7 * DAY_MS },
  m: { unit: "month", ms: 31 * DAY_MS },
  y: { unit: "year", ms: 366 * DAY_MS },
});
const LARGER: TimeUnit[] = ["hour", "day", "week", "month", "year"];

/**
 * Parses Google's `tbs`: `qdr:h`, `qdr:d3`, `cdr:1,cd_min:12/31/2024,cd_max:…` (month first), `sbd:1` for newest first.
 * The range is undefined when no part of the text is valid.
 */
export function parseTimeRange(tbs: string, nowMs: number): ParsedRange {
  const parts = new Map(
    tbs.split(",").map((part): [string, string] => {
      const [name = "", value = ""] = part.split(/:(.*)/s);
      return [name.trim().toLowerCase(), value.trim()];
    }),
  );
  const custom = customOf(parts);
  const recent = custom.fromMs === undefined ? recentOf(parts.get("qdr"), nowMs) : {};
  const range: TimeRange = { ...recent, ...custom };
  if (parts.get("sbd") === "1") range.newestFirst = true;
  const dates = [parts.get("cd_min") ?? "", parts.get("cd_max") ?? ""];
  return {
    range: Object.keys(range).length === 0 ? undefined : range,
    invalid: dates.filter((date) => date !== "" && dayOf(date) === undefined),
  };
}

function recentOf(text: string | undefined, nowMs: number): TimeRange {
  const match = /^([hdwmy])(\d{0,3})$/i.exec(text ?? "");
  const known = UNITS[match?.[1]?.toLowerCase() ?? ""];
  if (match === null || known === undefined) return {};
  const spanMs = known.ms * (match[2] === "" ? 1 : Number(match[2]));
  const unit = LARGER.find((name) => Object.values(UNITS).some((entry) => entry.unit === name && entry.ms >= spanMs));
  return { fromMs: nowMs - spanMs, ...(unit === undefined ? {} : { unit }) };
}

function customOf(parts: ReadonlyMap<string, string>): TimeRange {
  const fromMs = dayOf(parts.get("cd_min"));
  const lastDayMs = dayOf(parts.get("cd_max"));
  return {
    ...(fromMs === undefined ? {} : { fromMs }),
    ...(lastDayMs === undefined ? {} : { toMs: lastDayMs + DAY_MS - 1 }),
  };
}

/** Parses month, day, year; or the order of ISO 8601. */
function dayOf(text = ""): number | undefined {
  const american = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text);
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(text);
  const [year, month, day] = american ? [american[3], american[1], american[2]] : [iso?.[1], iso?.[2], iso?.[3]];
  if (year === undefined) return undefined;
  const ms = Date.UTC(Number(year), Number(month) - 1, Number(day));
  // Days and months beyond the last one would be counted on into the next month or year.
  return isoDay(ms) === [year, month, day].map((part = "") => part.padStart(2, "0")).join("-") ? ms : undefined;
}

/** Returns an ISO date, `YYYY-MM-DD`. */
export function isoDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
