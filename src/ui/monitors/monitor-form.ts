import type { MonitorInfo, MonitorWebhook, WatchedOptions, WatchedTarget } from "./monitor-types.ts";

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

/** Short names of events that the API accepts as well. */
const FULL_EVENTS: Readonly<Record<string, string | undefined>> = {
  page: "monitor.page",
  check: "monitor.check.completed",
  completed: "monitor.check.completed",
  "check.completed": "monitor.check.completed",
};

/** Page limit of a site without `crawlOptions.limit`. */
const DEFAULT_LIMIT = 20;
const CRON = /^\S+(?:\s+\S+){4}$/;
const WORDED = /^(?:every|hourly|daily|weekly)\b/i;
const FIELD_TYPES: ReadonlySet<string> = new Set(["string", "number", "integer", "boolean", "array"]);
const TEXT_FORMAT = "markdown";

export function emptyMonitorForm({ url = "", timezone = "UTC" }: { url?: string; timezone?: string }): MonitorForm {
  return {
    name: "",
    kind: "scrape",
    urls: url,
    limit: String(DEFAULT_LIMIT),
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

/** Returns the form of a monitor, to change it. The target is the one that `editableTarget` returns. */
export function formOf(monitor: MonitorInfo): MonitorForm {
  const { name, schedule, goal, webhook } = monitor;
  const target = editableTarget(monitor);
  const { formats = [], excludeTags = [], includeTags = [] } = target?.scrapeOptions ?? {};
  const tracking = formats.find((format) => typeof format === "object" && format.type === "changeTracking");
  const { modes, schema } = (typeof tracking === "object" ? tracking : {}) as { modes?: unknown; schema?: unknown };
  const comparesFields = Array.isArray(modes) && modes.includes("json");
  return {
    ...emptyMonitorForm({ timezone: schedule.timezone }),
    name,
    kind: target?.type === "crawl" ? "crawl" : "scrape",
    urls: (target?.type === "crawl" ? [target.url ?? ""] : (target?.urls ?? [])).join("\n"),
    limit: String(limitOf(target)),
    schedule: "custom",
    customSchedule: schedule.cron,
    compare: !comparesFields ? "text" : modes.includes("git-diff") ? "both" : "fields",
    fields: fieldLines(schema),
    hasPicture: formats.some((format) => typeOf(format) === "screenshot"),
    excludeTags: excludeTags.join("\n"),
    includeTags: includeTags.join("\n"),
    goal: goal ?? "",
    webhookUrl: webhook?.url ?? "",
    events: [...new Set((webhook?.events ?? []).map((event) => FULL_EVENTS[event] ?? event))],
  };
}

function limitOf(target: WatchedTarget | undefined): number {
  const { limit = DEFAULT_LIMIT } = (target?.["crawlOptions"] ?? {}) as { limit?: number };
  return limit;
}

/**
 * Returns the target that the form can change: the only one of a monitor, of pages or a site. The targets of other
 * monitors stay as they are.
 */
export function editableTarget({ targets }: Pick<MonitorInfo, "targets">): WatchedTarget | undefined {
  const [target, ...others] = targets;
  return others.length === 0 && target?.type !== "search" ? target : undefined;
}

/** Returns the body of `PATCH /v2/monitor/{id}`. Options that the form does not show keep their values. */
export function changeOf(form: MonitorForm, monitor: MonitorInfo): Record<string, unknown> {
  const target = editableTarget(monitor);
  const { name, schedule, webhook, goal } = bodyOf(form) as {
    name: string;
    schedule: object;
    [field: string]: unknown;
  };
  const others = {
    name,
    schedule,
    webhook: webhook === undefined ? null : { ...monitor.webhook, events: undefined, ...(webhook as MonitorWebhook) },
    goal: goal ?? null,
  };
  if (target === undefined || hasSameTarget(form, formOf(monitor))) return others;
  return { ...others, targets: [changedTarget(form, target)] };
}

/** Fields of the form that make up the target. */
const TARGET_FIELDS = [
  "kind",
  "urls",
  "limit",
  "compare",
  "fields",
  "hasPicture",
  "excludeTags",
  "includeTags",
] as const satisfies readonly (keyof MonitorForm)[];

function hasSameTarget(form: MonitorForm, earlier: MonitorForm): boolean {
  return TARGET_FIELDS.every((field) => form[field] === earlier[field]);
}

function changedTarget(form: MonitorForm, target: WatchedTarget): WatchedTarget {
  const { id, scrapeOptions, urls: _, url: __, ...rest } = target;
  const urls = linesOf(form.urls);
  // The service compares these options as they are written: others drop the known pages of the site.
  const limit = Number(form.limit) === limitOf(target) ? {} : { limit: Number(form.limit) };
  const crawlOptions = { ...(rest["crawlOptions"] as object | undefined), ...limit };
  const hasOptions = rest["crawlOptions"] !== undefined || "limit" in limit;
  const places = form.kind === "crawl" ? { url: urls[0] ?? "", ...(hasOptions ? { crawlOptions } : {}) } : { urls };
  const options = changedOptions(form, scrapeOptions);
  return {
    // A target of another kind has no common history.
    ...(form.kind === target.type ? { ...rest, ...(id === undefined ? {} : { id }) } : {}),
    type: form.kind,
    ...places,
    ...(options === undefined ? {} : { scrapeOptions: options }),
  };
}

/** Returns how the pages are scraped after a change. Options that the form does not show keep their values. */
export function changedOptions(form: MonitorForm, earlier: WatchedOptions = {}): WatchedOptions | undefined {
  const { formats = [], excludeTags: _, includeTags: __, ...others } = earlier;
  const { formats: chosen = [], ...rules } = optionsOf(form) ?? {};
  const kept = formats.filter(
    (format) => !FORM_FORMATS.has(typeOf(format)) || (form.compare === "text" && isTextTracking(format)),
  );
  const earlierOf = (format: NonNullable<WatchedOptions["formats"]>[number]) =>
    formats.find((one) => typeOf(one) === typeOf(format) && typeof one === "object");
  const merged = [
    ...chosen.map((format) => {
      const known = earlierOf(format);
      if (typeof known !== "object" || typeof format !== "object") return format;
      return format.type === "screenshot" ? known : withFields(form.fields, { known, format });
    }),
    ...kept,
  ];
  const withText = merged.length > 0 && !merged.some((one) => typeOf(one) === TEXT_FORMAT) ? [TEXT_FORMAT] : [];
  const options = { ...others, ...rules, ...(merged.length === 0 ? {} : { formats: [...withText, ...merged] }) };
  return Object.keys(options).length === 0 ? undefined : options;
}

/** True for a comparison of the text with options of its own, such as a tag. */
function isTextTracking(format: string | FormatObject): boolean {
  if (typeof format === "string" || format.type !== "changeTracking") return false;
  return !(Array.isArray(format["modes"]) && format["modes"].includes("json"));
}

type FormatObject = { type: string; [option: string]: unknown };

/** Returns the comparison with the schema as it was, unless the lines of the form have changed. */
function withFields(lines: string, { known, format }: { known: FormatObject; format: FormatObject }): FormatObject {
  const { schema, ...rest } = format;
  if (schema === undefined) return { ...known, ...rest };
  if (lines === fieldLines(known["schema"])) return { ...known, ...rest };
  return { ...known, ...rest, schema: mergedSchema(lines, known["schema"]) };
}

/** Returns the schema of the lines, in which the fields with an unchanged line keep their own schemas. */
function mergedSchema(lines: string, earlier: unknown): Record<string, unknown> {
  const { properties: known = {}, required, ...others } = (earlier ?? {}) as Properties & { required?: unknown };
  const kept = new Map(Object.entries(known).map(([name, field]) => [lineOf(name, field), [name, field] as const]));
  const properties = Object.fromEntries(
    linesOf(lines).flatMap((line): (readonly [string, unknown])[] => {
      const field = kept.get(line);
      return field === undefined ? Object.entries(schemaOf(line).properties) : [field];
    }),
  );
  const needed = Array.isArray(required) ? required.filter((name) => String(name) in properties) : [];
  return { ...others, type: "object", properties, ...(needed.length === 0 ? {} : { required: needed }) };
}

/** Formats that the form sets. */
const FORM_FORMATS: ReadonlySet<string> = new Set(["markdown", "changeTracking", "screenshot"]);

function typeOf(format: string | { type: string }): string {
  return typeof format === "string" ? format : format.type;
}

/** Returns the fields of a schema as lines of the form. */
function fieldLines(schema: unknown): string {
  const { properties = {} } = (schema ?? {}) as Properties;
  return Object.entries(properties)
    .map(([name, field]) => lineOf(name, field))
    .join("\n");
}

interface Properties {
  /** JSON Schemas by the names of the fields. */
  properties?: Record<string, unknown>;
}

function lineOf(name: string, field: unknown): string {
  const { type = "string" } = (typeof field === "object" ? (field ?? {}) : {}) as { type?: unknown };
  return type === "string" ? name : `${name}: ${String(type)}`;
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
  const areAll = EVENTS.every(([event]) => events.includes(event));
  return { url, ...(events.length === 0 || areAll ? {} : { events }) };
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

/**
 * Returns the message for the first field that cannot be sent; undefined when all can.
 * @param hasTarget False for a form without the fields of a target.
 * @param earlier The form of the monitor that is changed.
 */
export function problemOf(
  form: MonitorForm,
  hasTarget = true,
  earlier?: MonitorForm,
): { field: keyof MonitorForm; message: string } | undefined {
  if (form.schedule === "custom" && form.customSchedule.trim() === "")
    return { field: "customSchedule", message: "Enter a cron expression, or words such as “daily at 9:30am”." };
  return hasTarget ? targetProblem(form, earlier) : undefined;
}

function targetProblem(
  form: MonitorForm,
  earlier?: MonitorForm,
): { field: keyof MonitorForm; message: string } | undefined {
  const urls = linesOf(form.urls);
  const wrong = urls.find((url) => !URL.canParse(url) || !/^https?:/.test(url));
  if (urls.length === 0) return { field: "urls", message: "Enter the URL of a page." };
  if (wrong !== undefined) return { field: "urls", message: `${wrong} is not an http or https URL.` };
  if (form.kind === "crawl" && urls.length > 1) return { field: "urls", message: "A site has one URL." };
  const limit = Number(form.limit);
  if (form.kind === "crawl" && !(Number.isInteger(limit) && limit >= 1 && limit <= 100))
    return { field: "limit", message: "The limit is a number from 1 to 100." };
  // Fields may also be described by a prompt or a schema that has no lines.
  const isWithoutLines = earlier !== undefined && earlier.compare !== "text" && linesOf(earlier.fields).length === 0;
  if (form.compare !== "text" && linesOf(form.fields).length === 0 && !isWithoutLines)
    return { field: "fields", message: "Enter the name of a field." };
  return undefined;
}
