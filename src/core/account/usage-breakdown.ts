import { z } from "zod";
import type { ActivityEntry } from "./usage.ts";

/** Ways to break usage down besides day, endpoint and key. */
export const BREAKDOWNS = ["hour", "host", "engine", "failure"] as const;
export type Breakdown = (typeof BREAKDOWNS)[number];

/** Names of one day that are counted on their own; further ones are counted together. */
const MAX_NAMES = 300;
/** Names of a report: the hours of more than two years, or as many hosts. */
const MAX_REPORTED = 20_000;
export const OTHER_NAMES = "other";

/** Number of requests, of failed ones, and of credits. */
export const PartSums = z.object({ requests: z.number(), errors: z.number(), credits: z.number() });
export type PartSums = z.infer<typeof PartSums>;

/** Sums of one day by breakdown and name: the hour (`2026-11-21T10`), the host, the engine or the error code. */
export const DayParts = z.partialRecord(z.enum(BREAKDOWNS), z.record(z.string(), PartSums));
export type DayParts = z.infer<typeof DayParts>;

/** Adds an entry of the activity list to the parts of its day, in place. */
export function addEntry(parts: DayParts, entry: ActivityEntry): void {
  const sums: PartSums = { requests: 1, errors: entry.hasFailed ? 1 : 0, credits: entry.credits };
  addPart(parts, "hour", { name: hourOf(entry.atMs), sums });
  const host = hostOf(entry.target);
  if (host !== undefined) addPart(parts, "host", { name: host, sums });
  if (entry.engine !== undefined) addPart(parts, "engine", { name: entry.engine, sums });
  if (entry.hasFailed) addPart(parts, "failure", { name: entry.code ?? "UNKNOWN_ERROR", sums });
}

/** Adds the credits of a job, and its failure, to the parts of its day, in place. Its request was counted when it started. */
export function addJob(
  parts: DayParts,
  job: { createdAtMs: number; target: string | null; errors: number; credits: number },
): void {
  const sums: PartSums = { requests: 0, errors: job.errors, credits: job.credits };
  addPart(parts, "hour", { name: hourOf(job.createdAtMs), sums });
  const host = hostOf(job.target);
  if (host !== undefined) addPart(parts, "host", { name: host, sums });
  if (job.errors !== 0) addPart(parts, "failure", { name: "JOB_FAILED", sums });
}

/** Adds the parts of another day or key to those of a report, in place. */
export function addParts(parts: DayParts, more: DayParts): void {
  for (const breakdown of BREAKDOWNS)
    for (const [name, sums] of Object.entries(more[breakdown] ?? {}))
      addPart(parts, breakdown, { name, sums, maxNames: MAX_REPORTED });
}

interface Part {
  name: string;
  sums: PartSums;
  /** Names that are counted on their own. */
  maxNames?: number;
}

function addPart(parts: DayParts, breakdown: Breakdown, { name, sums, maxNames = MAX_NAMES }: Part): void {
  const group = (parts[breakdown] ??= {});
  const size = sizes.get(group) ?? Object.keys(group).length;
  const isKnown = Object.hasOwn(group, name);
  // An assignment to this name would set the object's prototype.
  const place = name !== "__proto__" && (isKnown || size < maxNames) ? name : OTHER_NAMES;
  const { requests, errors, credits } = group[place] ?? { requests: 0, errors: 0, credits: 0 };
  sizes.set(group, Object.hasOwn(group, place) ? size : size + 1);
  group[place] = {
    requests: requests + sums.requests,
    errors: errors + sums.errors,
    credits: credits + sums.credits,
  };
}

/** Number of names of each group, since counting them takes long for a long group. */
const sizes = new WeakMap<object, number>();

function hourOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, "2026-11-21T10".length);
}

function hostOf(target: string | null): string | undefined {
  if (target === null || !/^https?:/i.test(target) || !URL.canParse(target)) return undefined;
  return new URL(target).host;
}
