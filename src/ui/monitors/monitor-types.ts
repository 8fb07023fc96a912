/** The fields of monitors and their checks that the views show (`Monitor`, `MonitorCheck` and `MonitorPage` of the API). */

export interface Counts {
  totalPages: number;
  same: number;
  changed: number;
  new: number;
  removed: number;
  error: number;
}

export interface WatchedTarget {
  id?: string;
  type: "scrape" | "crawl" | "search";
  urls?: string[];
  url?: string;
  queries?: string[];
  scrapeOptions?: WatchedOptions;
  [option: string]: unknown;
}

export interface WatchedOptions {
  formats?: (string | { type: string; [option: string]: unknown })[];
  includeTags?: string[];
  excludeTags?: string[];
  [option: string]: unknown;
}

export interface MonitorWebhook {
  url: string;
  headers?: Record<string, string>;
  metadata?: Record<string, string>;
  events?: string[];
}

export interface MonitorInfo {
  id: string;
  name: string;
  status: "active" | "paused";
  schedule: { cron: string; timezone: string };
  nextRunAt: string | null;
  lastRunAt: string | null;
  currentCheckId: string | null;
  targets: WatchedTarget[];
  webhook: MonitorWebhook | null;
  retentionDays: number;
  estimatedCreditsPerMonth: number;
  lastCheckSummary: Counts | null;
  goal: string | null;
}

export interface CheckInfo {
  id: string;
  status: string;
  trigger: "scheduled" | "manual";
  startedAt: string | null;
  finishedAt: string | null;
  createdAt: string;
  actualCredits: number;
  summary: Counts;
  error: string | null;
}

export interface CheckedPage {
  id: string;
  targetId: string;
  url: string;
  status: "same" | "new" | "changed" | "removed" | "error";
  previousScrapeId: string | null;
  currentScrapeId: string | null;
  statusCode: number | null;
  error: string | null;
  metadata: { title?: string } | null;
  diff: { text?: string; json: Record<string, unknown> } | null;
  snapshot?: { json: unknown };
  judgment: { meaningful: boolean; confidence: string; reason: string } | null;
  warning?: string;
}

export interface CheckDetail extends CheckInfo {
  pages: CheckedPage[];
}

type Word = readonly [label: string, tone: string];

const CHECK_WORDS: Record<string, Word | undefined> = {
  queued: ["Queued", "busy"],
  running: ["Running", "busy"],
  completed: ["Completed", "good"],
  partial: ["Partly failed", "warn"],
  failed: ["Failed", "bad"],
  skipped_overlap: ["Skipped: a check was running", "warn"],
  skipped_no_credits: ["Skipped: not enough credits", "warn"],
};

const PAGE_WORDS: Record<CheckedPage["status"], Word> = {
  same: ["No change", ""],
  new: ["New", "busy"],
  changed: ["Changed", "warn"],
  removed: ["Removed", "bad"],
  error: ["Failed", "bad"],
};

export function checkWords(status: string): Word {
  return CHECK_WORDS[status] ?? [status, ""];
}

export function pageWords(status: CheckedPage["status"]): Word {
  return PAGE_WORDS[status];
}

export function isOpen({ status }: Pick<CheckInfo, "status">): boolean {
  return status === "queued" || status === "running";
}

/** Returns the outcome of a check in words, such as "1 changed, 2 new"; undefined without pages. */
export function countsInWords(counts: Counts | null): string | undefined {
  if (counts === null || counts.totalPages === 0) return undefined;
  const { changed, removed, error } = counts;
  const parts = [
    [changed, "changed"],
    [counts.new, "new"],
    [removed, "removed"],
    [error, "failed"],
  ] as const;
  const words = parts.filter(([count]) => count > 0).map(([count, label]) => `${count} ${label}`);
  return words.length === 0 ? "no change" : words.join(", ");
}

/** Returns a target as one line: its first URL or query, and the number of the others. */
export function targetInWords({ type, urls = [], url, queries = [] }: WatchedTarget): string {
  if (type === "crawl") return `${url ?? ""} (site)`;
  const [first = "", ...others] = type === "search" ? queries : urls;
  const shown = type === "search" ? `“${first}”` : first;
  return others.length === 0 ? shown : `${shown} and ${others.length} more`;
}

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/** Returns a cron expression of a usual form in words, such as "Every day at 09:30", and any other one as it is. */
export function scheduleInWords({ cron, timezone }: MonitorInfo["schedule"]): string {
  const [minute = "", hour = "", day, month, weekday = ""] = cron.trim().split(/\s+/);
  const every = /^\*\/(\d+)$/;
  const isDaily = day === "*" && month === "*";
  const at = /^\d+$/.test(minute) && /^\d+$/.test(hour) ? `${hour.padStart(2, "0")}:${minute.padStart(2, "0")}` : "";
  const zoned = (words: string): string => `${words} (${timezone})`;
  if (!isDaily) return zoned(cron);
  if (weekday === "*" && hour === "*" && every.test(minute)) return `Every ${every.exec(minute)?.[1]} minutes`;
  if (weekday === "*" && hour === "*" && /^\d+$/.test(minute)) return "Every hour";
  if (weekday === "*" && every.test(hour) && /^\d+$/.test(minute)) return `Every ${every.exec(hour)?.[1]} hours`;
  if (weekday === "*" && at !== "") return zoned(`Every day at ${at}`);
  const name = WEEKDAYS[Number(weekday)];
  return at !== "" && name !== undefined ? zoned(`Every ${name} at ${at}`) : zoned(cron);
}

/** Returns the first page of a monitor that a preview can load; undefined for searches. */
export function pageOf({ targets }: Pick<MonitorInfo, "targets">): { target: WatchedTarget; url: string } | undefined {
  for (const target of targets) {
    const url = target.type === "crawl" ? target.url : target.urls?.[0];
    if (url !== undefined) return { target, url };
  }
  return undefined;
}
