import { v7 as uuidv7 } from "uuid";
import type { Endpoint } from "../core/api-key.ts";
import { AppError } from "../core/errors.ts";
import type { Monitor, MonitorCheck, MonitorConfig, MonitorTarget } from "../core/monitor.ts";
import type { Caller, Deps } from "./deps.ts";
import { nextRun, readSchedule, type Schedule, type WrittenSchedule } from "./monitor-schedule.ts";

type Uses = Pick<Deps, "monitors" | "clock">;
type DistributiveOptionalId<Target> = Target extends { id: string }
  ? Omit<Target, "id"> & { id?: string | undefined }
  : never;

/** A monitor as its caller writes it; what is left out of a change stays as it is. */
export interface MonitorWishes {
  name?: string | undefined;
  status?: Monitor["status"] | undefined;
  schedule?: WrittenSchedule | undefined;
  targets?: DistributiveOptionalId<MonitorTarget>[] | undefined;
  webhook?: MonitorConfig["webhook"] | undefined;
  retentionDays?: number | undefined;
  goal?: string | null | undefined;
  judgeEnabled?: boolean | undefined;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** @throws AppError BAD_REQUEST for a schedule that cannot be kept, or a search without a goal. */
export async function createMonitor(
  deps: Uses,
  caller: Caller,
  wishes: MonitorWishes & { name: string; schedule: WrittenSchedule; publicOrigin: string },
): Promise<Monitor> {
  const nowMs = deps.clock.now();
  const goal = wishes.goal ?? null;
  const blank: MonitorConfig = {
    schedule: { cron: "0 * * * *", timezone: "UTC" },
    targets: [],
    webhook: null,
    retentionDays: 30,
    goal,
    judgeEnabled: wishes.judgeEnabled ?? goal !== null,
    publicOrigin: wishes.publicOrigin,
  };
  const base: Monitor = {
    id: uuidv7(),
    teamId: caller.key.teamId,
    keyId: caller.key.id,
    name: wishes.name,
    status: "active",
    config: blank,
    nextRunAtMs: undefined,
    lastRunAtMs: undefined,
    currentCheckId: undefined,
    lastSummary: undefined,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
  const needsGoal = wishes.targets?.some(({ type }) => type === "search") === true && wishes.judgeEnabled !== false;
  if (needsGoal && goal === null)
    throw refused("goal", "goal is required with search targets, unless judgeEnabled is false");
  const monitor = changed(base, caller, { wishes, nowMs });
  await deps.monitors.insert(monitor);
  return monitor;
}

export async function updateMonitor(
  deps: Uses,
  caller: Caller,
  { id, wishes }: { id: string; wishes: MonitorWishes },
): Promise<Monitor> {
  const before = await findMonitor(deps, caller, id);
  const monitor = changed(before, caller, { wishes, nowMs: deps.clock.now() });
  await deps.monitors.update(monitor);
  return monitor;
}

/** @throws AppError JOB_NOT_FOUND also for a monitor of another team. */
export async function findMonitor(deps: Pick<Deps, "monitors">, { key }: Caller, id: string): Promise<Monitor> {
  if (!UUID.test(id)) throw new AppError("INVALID_JOB_ID", "Invalid monitor ID format. It must be a valid UUID.");
  const monitor = await deps.monitors.find(id);
  if (monitor === undefined || monitor.teamId !== key.teamId) throw new AppError("JOB_NOT_FOUND", "Monitor not found");
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
  if (check?.monitorId !== monitor.id) throw new AppError("JOB_NOT_FOUND", "Monitor check not found");
  return check;
}

function changed(
  before: Monitor,
  { key }: Caller,
  { wishes, nowMs }: { wishes: MonitorWishes; nowMs: number },
): Monitor {
  const { config } = before;
  const schedule = wishes.schedule === undefined ? config.schedule : scheduleOf(wishes.schedule, nowMs);
  const targets = wishes.targets?.map((target) => ({ ...target, id: target.id ?? uuidv7() }) as MonitorTarget);
  if (targets !== undefined) {
    assertAllowed(key.scopes.endpoints, targets);
    if (new Set(targets.map(({ id }) => id)).size < targets.length)
      throw refused("targets", "targets must have different ids");
  }
  const status = wishes.status ?? before.status;
  const keepsRun = wishes.schedule === undefined && status === before.status && before.nextRunAtMs !== undefined;
  return {
    ...before,
    name: wishes.name ?? before.name,
    status,
    config: {
      ...config,
      schedule,
      targets: targets ?? config.targets,
      webhook: wishes.webhook === undefined ? config.webhook : wishes.webhook,
      retentionDays: wishes.retentionDays ?? config.retentionDays,
      goal: wishes.goal === undefined ? config.goal : wishes.goal,
      judgeEnabled: wishes.judgeEnabled ?? config.judgeEnabled,
    },
    nextRunAtMs: status === "paused" ? undefined : keepsRun ? before.nextRunAtMs : nextRun(schedule, nowMs),
    updatedAtMs: nowMs,
  };
}

function scheduleOf(written: WrittenSchedule, nowMs: number): Schedule {
  const schedule = readSchedule(written, nowMs);
  if (typeof schedule === "string") throw refused("schedule", schedule);
  return schedule;
}

function refused(field: string, message: string): AppError {
  return new AppError("BAD_REQUEST", message, { details: [{ code: "custom", path: [field], message }] });
}

/** What a key may not do itself, it may not have done for it. */
function assertAllowed(allowed: readonly Endpoint[] | undefined, targets: readonly MonitorTarget[]): void {
  if (allowed === undefined || targets.every(({ type }) => allowed.includes(type))) return;
  throw new AppError(
    "ENDPOINT_RESTRICTED",
    `This API key is restricted to the following endpoints: ${allowed.join(", ")}.`,
  );
}
