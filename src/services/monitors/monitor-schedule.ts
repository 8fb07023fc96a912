import { Cron } from "croner";

const MIN_GAP_MS = 300_000;
const DAY_MS = 86_400_000;
/** Enough runs to include every gap that a pattern of minutes and hours can have. */
const SAMPLED_RUNS = 300;
/** Enough time to include a leap day. Listing 300 leap days takes 40 ms, and they are never closer than years. */
const SAMPLED_MS = 5 * 366 * DAY_MS;

/** Schedule as the caller writes it: exactly one of `cron` and `text`. */
export interface WrittenSchedule {
  cron?: string | undefined;
  text?: string | undefined;
  timezone?: string | undefined;
}

export interface Schedule {
  cron: string;
  timezone: string;
}

/**
 * Converts a schedule to a cron expression of five fields (api-contract.md, “Monitors”).
 * @returns an error message when the schedule cannot be used.
 */
export function readSchedule({ cron, text, timezone = "UTC" }: WrittenSchedule, nowMs: number): Schedule | string {
  if ((cron === undefined) === (text === undefined)) return "schedule must have exactly one of cron and text";
  const pattern = cron?.trim() ?? fromText(text ?? "");
  if (pattern === undefined) return `schedule.text cannot be read: ${TEXT_FORMS}`;
  if (pattern.split(/\s+/).length !== 5) return "schedule.cron must have 5 fields";
  try {
    // Refuses an unknown time zone. The gaps are the same in all of them, but for a change of the clocks.
    nextRun({ cron: pattern, timezone }, nowMs);
    const { count, leastGapMs } = sampleRuns(pattern, nowMs);
    if (count === 0) return "schedule.cron never runs";
    const isTooOften = leastGapMs < MIN_GAP_MS;
    return isTooOften ? "schedule must leave at least 5 minutes between runs" : { cron: pattern, timezone };
  } catch (error) {
    return `schedule cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** @returns the first run after a moment, in ms since the epoch. */
export function nextRun({ cron, timezone }: Schedule, afterMs: number): number | undefined {
  return new Cron(cron, { timezone, paused: true }).nextRun(new Date(afterMs))?.getTime();
}

/** Returns the number of runs in 30 days from the beginning of a day, UTC. */
export function runsAMonth({ cron }: Schedule, nowMs: number): number {
  const { count, spanMs } = sampleRuns(cron, nowMs);
  return count < 2 ? count : Math.max(1, Math.round((30 * DAY_MS * (count - 1)) / spanMs));
}

interface RunSample {
  count: number;
  /** Time in ms from the first run to the last one; 0 with fewer than two. */
  spanMs: number;
  /** Shortest time in ms between two runs; Infinity with fewer than two. */
  leastGapMs: number;
}

/** Samples by pattern and day: listing 300 runs takes some ms, and lists of monitors are long. */
const samples = new Map<string, RunSample>();
const MAX_SAMPLES = 1000;

/**
 * Lists the first runs of a day, UTC. A fixed offset is used, since the runs of a time zone take three times as long to list.
 * @throws when the pattern cannot be read
 */
function sampleRuns(cron: string, nowMs: number): RunSample {
  const dayMs = nowMs - (nowMs % DAY_MS);
  const key = `${dayMs} ${cron}`;
  const known = samples.get(key);
  if (known !== undefined) return known;
  const runs = listRuns(new Cron(cron, { utcOffset: 0, paused: true }), dayMs);
  const gaps = runs.slice(1).map((run, index) => run - (runs[index] ?? run));
  const sample = {
    count: runs.length,
    spanMs: (runs.at(-1) ?? 0) - (runs[0] ?? 0),
    leastGapMs: Math.min(Infinity, ...gaps),
  };
  if (samples.size >= MAX_SAMPLES) samples.clear();
  samples.set(key, sample);
  return sample;
}

/** Returns the first runs after a moment, at least two where there are any more. */
function listRuns(cron: Cron, afterMs: number): number[] {
  const runs: number[] = [];
  let next = cron.nextRun(new Date(afterMs));
  while (next !== null && runs.length < SAMPLED_RUNS) {
    runs.push(next.getTime());
    if (runs.length > 1 && next.getTime() - afterMs > SAMPLED_MS) break;
    next = cron.nextRun(next);
  }
  return runs;
}

const TEXT_FORMS =
  "every N minutes [starting at :MM] (N divides 60), hourly [at :MM], every N hours (N divides 24), daily [at H[:MM][am|pm]], weekly";

function fromText(written: string): string | undefined {
  const text = written.trim().toLowerCase().replace(/\s+/g, " ");
  const minutes = /^every (\d{1,2}) minutes?(?: starting at :(\d{2}))?$/.exec(text);
  if (minutes !== null) return everyMinutes(Number(minutes[1]), Number(minutes[2] ?? 0));
  const hourly = /^(?:hourly|every hour)(?: at :(\d{2}))?$/.exec(text);
  if (hourly !== null) return Number(hourly[1] ?? 0) > 59 ? undefined : `${Number(hourly[1] ?? 0)} * * * *`;
  const hours = /^every (\d{1,2}) hours?$/.exec(text);
  if (hours !== null) {
    const every = Number(hours[1]);
    return every > 0 && 24 % every === 0
      ? `0 ${every === 1 ? "*" : `*/${every}`} * * *`.replace("*/24", "0")
      : undefined;
  }
  if (text === "weekly") return "0 0 * * 1";
  const daily = /^daily(?: at (\d{1,2})(?::(\d{2}))? ?(am|pm)?)?$/.exec(text);
  return daily === null ? undefined : everyDay(Number(daily[1] ?? 0), Number(daily[2] ?? 0), daily[3]);
}

function everyMinutes(every: number, start: number): string | undefined {
  if (every === 0 || 60 % every !== 0 || start > 59) return undefined;
  const first = start % every;
  if (every === 60) return `${first} * * * *`;
  return first === 0 ? `*/${every} * * * *` : `${first}-59/${every} * * * *`;
}

function everyDay(hour: number, minute: number, half: string | undefined): string | undefined {
  if (minute > 59 || hour > (half === undefined ? 23 : 12) || (half !== undefined && hour === 0)) return undefined;
  const hours = half === undefined ? hour : (hour % 12) + (half === "pm" ? 12 : 0);
  return `${minute} ${hours} * * *`;
}
