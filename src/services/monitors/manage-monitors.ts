import { v7 as uuidv7 } from "uuid";
import type { Endpoint } from "../../core/account/api-key.ts";
import { assertQuickPatterns, compileRules } from "../../core/crawl/crawl-scope.ts";
import { assertKnownProxy } from "../../core/egress-routes.ts";
import { AppError } from "../../core/errors.ts";
import { MonitorTarget, type Monitor, type MonitorCheck, type MonitorConfig } from "../../core/monitors/monitor.ts";
import { MAX_CONFIG_BYTES_OF_FULL, MOST_MONITORS } from "../../core/monitors/monitor-limits.ts";
import { utf8Length } from "../../core/text/utf8.ts";
import type { MonitorChanges } from "../../ports/monitors.ts";
import { ScrapeOptions } from "../../formats/scrape-options.ts";
import { assertProfile } from "../sessions/scrape-profile.ts";
import { checkMonitorFormats } from "../account/check-scope.ts";
import type { Caller, Deps } from "../deps.ts";
import { withStoredOptions, withStoredWebhook } from "./hidden-values.ts";
import { nextRun, readSchedule, type Schedule, type WrittenSchedule } from "./monitor-schedule.ts";
import { estimateOfMonitor } from "../estimate/kept-estimates.ts";
import { assertPublicWebhook } from "../webhooks/assert-public-webhook.ts";

type DistributiveOptionalId<Target> = Target extends { id: string }
  ? Omit<Target, "id"> & { id?: string | undefined }
  : never;

/** A target that may not have an ID yet. */
export type NewTarget = DistributiveOptionalId<MonitorTarget>;

/** Options of a monitor; in an update, absent options stay unchanged. */
export interface MonitorOptions {
  name?: string | undefined;
  status?: Monitor["status"] | undefined;
  schedule?: WrittenSchedule | undefined;
  targets?: NewTarget[] | undefined;
  webhook?: string | MonitorConfig["webhook"] | undefined;
  retentionDays?: number | undefined;
  goal?: string | null | undefined;
  judgeEnabled?: boolean | undefined;
}

/** D1 limits rows to 2 MB. */
const MAX_TARGETS_BYTES = 1_000_000;
/** A monitor is one row of the database, which has 2 MB at most. */
const MAX_WEBHOOK_BYTES = 100_000;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Creates a monitor. With the `id` of one that exists, which a lost request has created, that one is returned.
 * @throws AppError BAD_REQUEST for an unusable schedule, an unknown proxy, or a search without a goal; PROFILE_NOT_FOUND,
 * PROFILE_FOREIGN_ORIGIN; MONITOR_LIMIT_REACHED.
 */
export async function createMonitor(
  deps: Pick<Deps, "monitors" | "profiles" | "clock" | "settings" | "estimates" | "databaseRoom">,
  caller: Caller,
  requested: MonitorOptions & {
    id: string | undefined;
    /** Fingerprint by which an earlier estimate of the request is found. */
    fingerprint?: string;
    name: string;
    schedule: WrittenSchedule;
    publicOrigin: string;
  },
): Promise<Monitor> {
  const webhook = readWebhook(deps, requested.webhook, { stored: null, isOwn: true });
  await assertLoadOptions(deps, caller, requested.targets);
  const nowMs = deps.clock.now();
  const goal = requested.goal ?? null;
  assertGoal({ goal, judgeEnabled: requested.judgeEnabled ?? true, targets: requested.targets ?? [] });
  const schedule = scheduleOf(requested.schedule, nowMs);
  const config: MonitorConfig = {
    schedule,
    targets: targetsOf(requested.targets ?? [], caller),
    webhook: webhook ?? null,
    retentionDays: requested.retentionDays ?? 30,
    goal,
    judgeEnabled: requested.judgeEnabled ?? goal !== null,
    isJudgeSet: requested.judgeEnabled !== undefined,
    publicOrigin: requested.publicOrigin,
    ownHosts: deps.settings.ownHosts,
    ...(await estimateOfMonitor(deps, caller, requested.fingerprint)),
  };
  const monitor: Monitor = {
    id: requested.id ?? uuidv7(),
    teamId: caller.key.teamId,
    keyId: caller.key.id,
    name: requested.name,
    status: "active",
    config,
    nextRunAtMs: nextRun(schedule, nowMs),
    lastRunAtMs: undefined,
    currentCheckId: undefined,
    lastSummary: undefined,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
  return await insertMonitor(deps, caller, monitor);
}

/** @returns the stored monitor, which an earlier request may have created with other options */
async function insertMonitor(
  deps: Pick<Deps, "monitors" | "databaseRoom">,
  caller: Caller,
  monitor: Monitor,
): Promise<Monitor> {
  const isLarge = isTooLargeForFull(deps, monitor.config);
  const isInserted = !isLarge && (await deps.monitors.insert(monitor, MOST_MONITORS));
  if (isInserted) return monitor;
  const existing = await deps.monitors.find(monitor.id);
  if (existing !== undefined) return await findMonitor(deps, caller, monitor.id);
  throw isLarge ? noRoomInDatabase() : new AppError("MONITOR_LIMIT_REACHED");
}

/** Reports whether the database, which is nearly full, has no room for a configuration of this length. */
function isTooLargeForFull({ databaseRoom }: Pick<Deps, "databaseRoom">, config: MonitorConfig): boolean {
  return databaseRoom.isNearlyFull && utf8Length(JSON.stringify(config)) > MAX_CONFIG_BYTES_OF_FULL;
}

function noRoomInDatabase(): AppError {
  const words = `The database is nearly full: a monitor's configuration may take ${MAX_CONFIG_BYTES_OF_FULL} bytes at most until it has room`;
  return new AppError("MONITOR_LIMIT_REACHED", words);
}

/**
 * Updates the given options and nothing else: fields that the cron has written meanwhile stay unchanged.
 * @throws AppError as `findUsableMonitor` and `createMonitor` do.
 */
export async function updateMonitor(
  deps: Pick<Deps, "monitors" | "profiles" | "clock" | "settings" | "databaseRoom">,
  caller: Caller,
  { id, requested: written }: { id: string; requested: MonitorOptions },
): Promise<Monitor> {
  const before = await findUsableMonitor(deps, caller, id);
  const { targets: shown, ...others } = written;
  const requested: MonitorOptions =
    shown === undefined ? others : { ...others, targets: withStoredOptions(shown, before.config.targets) };
  const webhook = readWebhook(deps, requested.webhook, {
    stored: before.config.webhook,
    isOwn: before.keyId === caller.key.id,
  });
  await assertLoadOptions(deps, caller, requested.targets, before);
  const nowMs = deps.clock.now();
  const { name, status, retentionDays, goal } = requested;
  const isGoalAdded = before.config.goal === null && goal !== null && goal !== undefined;
  const judgeEnabled = requested.judgeEnabled ?? (isGoalAdded && before.config.isJudgeSet !== true ? true : undefined);
  const targets = requested.targets && targetsOf(requested.targets, caller);
  const changed = {
    goal: goal === undefined ? before.config.goal : goal,
    judgeEnabled: judgeEnabled ?? before.config.judgeEnabled,
    targets: targets ?? before.config.targets,
  };
  assertGoal(changed, before.config);
  const schedule = requested.schedule && scheduleOf(requested.schedule, nowMs);
  const atMs = nextRun(schedule ?? before.config.schedule, nowMs);
  const keptTargets = targets?.filter((target) => isListedAlike(target, before)).map((target) => target.id);
  const config: Partial<MonitorConfig> = {
    ...(schedule && { schedule }),
    ...(targets && { targets }),
    ...(webhook !== undefined && { webhook }),
    ...(retentionDays !== undefined && { retentionDays }),
    ...(goal !== undefined && { goal }),
    ...(judgeEnabled !== undefined && { judgeEnabled }),
    ...(requested.judgeEnabled === undefined ? {} : { isJudgeSet: true }),
    // The estimate was of other pages.
    ...(targets === undefined ? {} : { estimate: null, revisions: revisionsOf(targets, keptTargets ?? [], before) }),
  };
  const isUpdated = await deps.monitors.update(id, {
    name,
    status,
    config,
    room: roomFor(deps, before.config, config),
    keptTargets,
    ...(schedule === undefined && status === undefined
      ? {}
      : { nextRun: { atMs, isReplaced: schedule !== undefined } }),
    updatedAtMs: nowMs,
  });
  const monitor = await findMonitor(deps, caller, id);
  if (!isUpdated) throw new AppError("MONITOR_LIMIT_REACHED");
  return monitor;
}

/**
 * Returns the room that a changed configuration needs; undefined for one that does not grow.
 * @throws AppError MONITOR_LIMIT_REACHED for a large one while the database is nearly full
 */
function roomFor(
  deps: Pick<Deps, "databaseRoom">,
  before: MonitorConfig,
  changes: Partial<MonitorConfig>,
): MonitorChanges["room"] {
  const after = { ...before, ...changes };
  const bytes = utf8Length(JSON.stringify(after));
  if (bytes <= utf8Length(JSON.stringify(before))) return undefined;
  if (isTooLargeForFull(deps, after)) throw noRoomInDatabase();
  return { bytes, mostBytes: MOST_MONITORS.configBytes };
}

/** @throws AppError JOB_NOT_FOUND also for a monitor of another team. */
export async function findMonitor(deps: Pick<Deps, "monitors">, { key }: Caller, id: string): Promise<Monitor> {
  if (!UUID.test(id)) throw new AppError("INVALID_JOB_ID", "Invalid monitor ID format. It must be a valid UUID.");
  const monitor = await deps.monitors.find(id);
  if (monitor === undefined || monitor.teamId !== key.teamId) throw new AppError("JOB_NOT_FOUND", "Monitor not found");
  return monitor;
}

/**
 * Finds a monitor whose results the caller may have: to change it, to run it, or to read its checks.
 * @throws AppError as `findMonitor` does, and FORMAT_RESTRICTED.
 */
export async function findUsableMonitor(deps: Pick<Deps, "monitors">, caller: Caller, id: string): Promise<Monitor> {
  const monitor = await findMonitor(deps, caller, id);
  checkMonitorFormats(caller.key, monitor);
  return monitor;
}

/** @throws AppError JOB_NOT_FOUND */
export async function findCheck(
  deps: Pick<Deps, "monitors">,
  monitor: Monitor,
  checkId: string,
): Promise<MonitorCheck> {
  if (!UUID.test(checkId)) throw new AppError("INVALID_JOB_ID", "Invalid check ID format. It must be a valid UUID.");
  const check = await deps.monitors.findCheck(checkId);
  if (check?.monitorId !== monitor.id) throw new AppError("JOB_NOT_FOUND", "Check not found");
  return check;
}

/**
 * Reports whether a target lists pages by the same rules as before. If not, it starts anew: known URLs may be out of
 * scope.
 */
function isListedAlike(target: MonitorTarget, { config }: Monitor): boolean {
  const before = config.targets.find(({ id }) => id === target.id);
  if (target.type !== "crawl" || before?.type !== "crawl") return target.type === before?.type;
  const rulesOf = ({ url, crawlOptions }: typeof target): string => JSON.stringify([url, crawlOptions]);
  return rulesOf(target) === rulesOf(before);
}

/** Returns the revisions of targets: new ones where the states of the pages are not kept, so that a running check adds none. */
function revisionsOf(
  targets: readonly MonitorTarget[],
  kept: readonly string[],
  { config }: Monitor,
): Record<string, string> {
  const revisions: Record<string, string> = {};
  for (const { id } of targets) {
    const revision = kept.includes(id) ? config.revisions?.[id] : uuidv7();
    if (revision !== undefined) revisions[id] = revision;
  }
  return revisions;
}

type CrawlTarget = Extract<NewTarget, { type: "crawl" }>;
type PatternField = "includePaths" | "excludePaths";

/** Returns the lists of patterns of a target that have others than the same list of the stored target. */
function newPatternsOf(target: CrawlTarget, before: Monitor | undefined): Record<PatternField, readonly string[]> {
  const stored = before?.config.targets.find(({ id }) => id === target.id);
  const newOf = (field: PatternField): readonly string[] => {
    const patterns = target.crawlOptions?.[field] ?? [];
    const known = stored?.type === "crawl" ? stored.crawlOptions?.[field] : undefined;
    return areAmong(patterns, known ?? []) ? [] : patterns;
  };
  return { includePaths: newOf("includePaths"), excludePaths: newOf("excludePaths") };
}

/** Reports whether texts are all among others, each of which stands for one. */
function areAmong(texts: readonly string[], others: readonly string[]): boolean {
  const left = new Map<string, number>();
  for (const text of others) left.set(text, (left.get(text) ?? 0) + 1);
  return texts.every((text) => {
    const count = left.get(text) ?? 0;
    left.set(text, count - 1);
    return count > 0;
  });
}

/**
 * @param before The monitor that is updated: its stored patterns pass, since earlier versions had no limit of Unicode classes.
 * @throws AppError as `assertProfile` does, for the profile of any target, and BAD_REQUEST for an unknown proxy and for an
 * invalid regular expression
 */
export async function assertLoadOptions(
  deps: Pick<Deps, "profiles" | "settings">,
  { key }: Caller,
  targets: readonly NewTarget[] = [],
  before?: Monitor,
): Promise<void> {
  withStoredOptions(targets, before?.config.targets);
  for (const target of targets) {
    if (target.type === "crawl") {
      assertQuickPatterns(newPatternsOf(target, before));
      compileRules(target.url, target.crawlOptions ?? {});
    }
    const options = target.type === "search" ? {} : ScrapeOptions.parse(target.scrapeOptions ?? {});
    assertKnownProxy(deps.settings.egress, options.proxy);
    const urls = target.type === "search" ? [] : target.type === "scrape" ? target.urls : [target.url];
    await assertProfile(deps, key.teamId, { profile: options.profile, urls });
  }
}

type JudgedFields = Pick<MonitorConfig, "goal" | "judgeEnabled"> & { targets: readonly NewTarget[] };

/**
 * @param before The fields of the monitor that is updated: unchanged ones pass, since earlier versions stored some without a goal.
 * @throws AppError BAD_REQUEST for a search that is judged without a goal
 */
function assertGoal(fields: JudgedFields, before?: JudgedFields): void {
  const { goal, judgeEnabled, targets } = fields;
  if (goal !== null || !judgeEnabled || !targets.some(({ type }) => type === "search")) return;
  if (before !== undefined && isJudgedAlike(fields, before)) return;
  throw refused("goal", "goal is required with search targets, unless judgeEnabled is false");
}

/** Reports whether the goal, `judgeEnabled` and the targets, all of which have IDs, are the same. */
function isJudgedAlike(one: JudgedFields, other: JudgedFields): boolean {
  // Parsing gives the fields of requested targets the order of stored ones.
  const textOf = ({ goal, judgeEnabled, targets }: JudgedFields): string =>
    JSON.stringify([goal, judgeEnabled, targets.map((target) => MonitorTarget.parse(target))]);
  return textOf(one) === textOf(other);
}

/** Returns the targets with IDs. Targets that remain keep their IDs, and with them the states of their pages. */
function targetsOf(requested: NonNullable<MonitorOptions["targets"]>, { key }: Caller): MonitorTarget[] {
  // The ID is the only field that was optional: hence the cast.
  const targets = requested.map((target) => ({ ...target, id: target.id ?? uuidv7() }) as MonitorTarget);
  assertAllowed(key.scopes.endpoints, targets);
  if (new Set(targets.map(({ id }) => id)).size < targets.length)
    throw refused("targets", "targets must have different ids");
  if (utf8Length(JSON.stringify(targets)) > MAX_TARGETS_BYTES)
    throw refused("targets", `targets must not take more than ${MAX_TARGETS_BYTES} bytes together`);
  return targets;
}

/** Returns the webhook as it is stored. @throws AppError BAD_REQUEST for a private or a large one */
function readWebhook(
  deps: Pick<Deps, "settings">,
  requested: MonitorOptions["webhook"],
  { stored, isOwn }: { stored: MonitorConfig["webhook"]; isOwn: boolean },
): MonitorConfig["webhook"] | undefined {
  const written = typeof requested === "string" ? { url: requested } : requested;
  const webhook = written && withStoredWebhook(written, stored, { isOwn });
  assertPublicWebhook(deps, webhook);
  if (utf8Length(JSON.stringify(webhook ?? null)) > MAX_WEBHOOK_BYTES)
    throw refused("webhook", `webhook must not take more than ${MAX_WEBHOOK_BYTES} bytes`);
  return webhook;
}

function scheduleOf(written: WrittenSchedule, nowMs: number): Schedule {
  const schedule = readSchedule(written, nowMs);
  if (typeof schedule === "string") throw refused("schedule", schedule);
  return schedule;
}

function refused(field: string, message: string): AppError {
  return new AppError("BAD_REQUEST", message, { details: [{ code: "custom", path: [field], message }] });
}

/** Refuses targets of endpoints that the key may not use. */
function assertAllowed(allowed: readonly Endpoint[] | undefined, targets: readonly MonitorTarget[]): void {
  if (allowed === undefined || targets.every(({ type }) => allowed.includes(type))) return;
  throw new AppError(
    "ENDPOINT_RESTRICTED",
    `This API key is restricted to the following endpoints: ${allowed.join(", ")}.`,
  );
}
