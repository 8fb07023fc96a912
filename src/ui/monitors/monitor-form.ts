import type { MonitorWebhook, WatchedOptions } from "./monitor-types.ts";

/** The fields of the form of a monitor, as typed. */
export interface MonitorForm {
  name: string;
  kind: "scrape" | "crawl";
  /** URLs, one on a line. A site has one. */
  urls: string;
  /** Page limit of a site. */
  limit: string;
  /** One of `SCHEDULES`, or `custom`. */
  schedule: string;
  /** Cron expression or text of a custom schedule. */
  customSchedule: string;
  timezone: string;
  compare: "text" | "fields" | "both";
  /** Names of the fields to compare, one on a line, each with an optional type: `price: number`. */
  fields: string;
  hasPicture: boolean;
  /** CSS selectors, one on a line. */
  excludeTags: string;
  includeTags: string;
  goal: string;
  webhookUrl: string;
  /** Empty for all events. */
  events: string[];
}

export const SCHEDULES = [
  ["every 15 minutes", "Every 15 minutes"],
  ["hourly", "Every hour"],
  ["every 6 hours", "Every 6 hours"],
  ["daily", "Every day"],
  ["weekly", "Every week"],
  ["custom", "Custom…"],
] as const;

export const EVENTS = [
  ["monitor.page", "Every page that was checked"],
  ["monitor.check.completed", "Every check that ended"],
] as const;

const CRON = /^\S+(?:\s+\S+){4}$/;
const WORDED = /^(?:every|hourly|daily|weekly)\b/i;
const FIELD_TYPES: ReadonlySet<string> = new Set(["string", "number", "integer", "boolean", "array"]);
const TEXT_FORMAT = "markdown";

export function emptyMonitorForm({ url = "", timezone = "UTC" }: { url?: string; timezone?: string }): MonitorForm {
  return {
    name: "",
    kind: "scrape",
    urls: url,
    limit: "20",
    schedule: "daily",
    customSchedule: "",
    timezone,
    compare: "text",
    fields: "",
    hasPicture: false,
    excludeTags: "",
    includeTags: "",
    goal: "",
    webhookUrl: "",
    events: [],
  };
}

export function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** Adds a line to a text of lines, unless it has it, or removes it. */
export function toggleLine(text: string, line: string): string {
  const lines = linesOf(text);
  return (lines.includes(line) ? lines.filter((one) => one !== line) : [...lines, line]).join("\n");
}

/** Returns the JSON Schema of fields that are written as `name` or `name: type`, one on a line. */
export function schemaOf(text: string): { type: "object"; properties: Record<string, { type: string }> } {
  const properties = linesOf(text).map((line): [string, { type: string }] => {
    const [name = "", type = "string"] = line.split(":").map((part) => part.trim());
    return [name, { type: FIELD_TYPES.has(type) ? type : "string" }];
  });
  return { type: "object", properties: Object.fromEntries(properties) };
}

/** Returns how the pages are scraped; undefined when everything has its default. */
export function optionsOf(form: MonitorForm): WatchedOptions | undefined {
  const formats: NonNullable<WatchedOptions["formats"]> = [];
  if (form.compare !== "text") {
    const modes = form.compare === "both" ? ["git-diff", "json"] : ["json"];
    formats.push({ type: "changeTracking", modes, schema: schemaOf(form.fields) });
  }
  if (form.hasPicture) formats.push({ type: "screenshot", fullPage: true });
  const excludeTags = linesOf(form.excludeTags);
  const includeTags = linesOf(form.includeTags);
  const options = {
    ...(formats.length === 0 ? {} : { formats: [TEXT_FORMAT, ...formats] }),
    ...(excludeTags.length === 0 ? {} : { excludeTags }),
    ...(includeTags.length === 0 ? {} : { includeTags }),
  };
  return Object.keys(options).length === 0 ? undefined : options;
}

/** Returns the schedule of the request: a cron expression or the words of a schedule. */
export function scheduleOf({ schedule, customSchedule, timezone }: MonitorForm): Record<string, string> {
  const text = (schedule === "custom" ? customSchedule : schedule).trim();
  const isCron = CRON.test(text) && !WORDED.test(text);
  return { ...(isCron ? { cron: text } : { text }), timezone };
}

export function webhookOf({ webhookUrl, events }: MonitorForm): MonitorWebhook | undefined {
  const url = webhookUrl.trim();
  if (url === "") return undefined;
  return { url, ...(events.length === 0 || events.length === EVENTS.length ? {} : { events }) };
}

/** Returns the body of `POST /v2/monitor`. */
export function bodyOf(form: MonitorForm): Record<string, unknown> {
  const urls = linesOf(form.urls);
  const scrapeOptions = optionsOf(form);
  const target =
    form.kind === "crawl"
      ? { type: "crawl", url: urls[0] ?? "", crawlOptions: { limit: Number(form.limit) } }
      : { type: "scrape", urls };
  const webhook = webhookOf(form);
  const goal = form.goal.trim();
  return {
    name: form.name.trim() === "" ? nameOf(urls[0] ?? "") : form.name.trim(),
    schedule: scheduleOf(form),
    targets: [{ ...target, ...(scrapeOptions === undefined ? {} : { scrapeOptions }) }],
    ...(webhook === undefined ? {} : { webhook }),
    ...(goal === "" ? {} : { goal }),
  };
}

/** Returns the default name of a monitor: the host and path of its page. */
export function nameOf(url: string): string {
  if (!URL.canParse(url)) return url;
  const { host, pathname } = new URL(url);
  return `${host}${pathname === "/" ? "" : pathname}`.slice(0, 100);
}

/** Returns the message for the first field that cannot be sent; undefined when all can. */
export function problemOf(form: MonitorForm): { field: keyof MonitorForm; message: string } | undefined {
  const urls = linesOf(form.urls);
  const wrong = urls.find((url) => !URL.canParse(url) || !/^https?:/.test(url));
  if (urls.length === 0) return { field: "urls", message: "Enter the URL of a page." };
  if (wrong !== undefined) return { field: "urls", message: `${wrong} is not an http or https URL.` };
  if (form.kind === "crawl" && urls.length > 1) return { field: "urls", message: "A site has one URL." };
  const limit = Number(form.limit);
  if (form.kind === "crawl" && !(Number.isInteger(limit) && limit >= 1 && limit <= 100))
    return { field: "limit", message: "The limit is a number from 1 to 100." };
  if (form.compare !== "text" && linesOf(form.fields).length === 0)
    return { field: "fields", message: "Enter the name of a field." };
  if (form.schedule === "custom" && form.customSchedule.trim() === "")
    return { field: "customSchedule", message: "Enter a cron expression, or words such as “daily at 9:30am”." };
  return undefined;
}
