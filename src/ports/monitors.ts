import type {
  CheckPlan,
  CheckStatus,
  ListedCheck,
  Monitor,
  MonitorCheck,
  MonitorConfig,
  MonitorPage,
  MonitorSummary,
  PageState,
} from "../core/monitors/monitor.ts";
import type { DeliveryNote, OutboxEntry } from "./crawl/frontier.ts";

/** A webhook event of a check. */
export interface MonitorEvent {
  webhookId: string;
  event: "page" | "check.completed";
  data: unknown;
}

export interface NewCheck {
  monitor: Monitor;
  checkId: string;
  trigger: "scheduled" | "manual";
  /** Planned time of a scheduled check, which the claim compares with the monitor's next run. */
  scheduledForMs?: number;
  nextRunAtMs?: number;
  /** Event to post if the check is skipped because another one is running. */
  skippedEvent?: MonitorEvent | undefined;
  nowMs: number;
}

/** Changes to a monitor. Absent fields keep their stored values, whatever the caller has read before. */
export interface MonitorChanges {
  name?: string | undefined;
  status?: Monitor["status"] | undefined;
  /** Configuration fields to replace, each as a whole. */
  config: Partial<MonitorConfig>;
  /** Bytes of the changed configuration, and those that the configurations of the team may have with it. */
  room?: { bytes: number; mostBytes: number } | undefined;
  /** Ids of targets whose page states are retained; all when absent. */
  keptTargets?: readonly string[] | undefined;
  /**
   * Time of the next run if the monitor is active then; an already planned run is retained unless `isReplaced`. Paused
   * monitors have none.
   */
  nextRun?: { atMs: number | undefined; isReplaced: boolean } | undefined;
  updatedAtMs: number;
}

/** A due monitor's place in the order of runs. */
export interface DueMonitor {
  id: string;
  nextRunAtMs: number;
}

/** Outbox of checks. */
export interface MonitorOutbox {
  takeEvents(checkId: string, nowMs: number, limit: number): Promise<OutboxEntry[]>;
  /** Records delivery outcomes. Events that are given up stay stored with their check until they are replayed. */
  noteSent(notes: readonly DeliveryNote[], nowMs: number): Promise<void>;
  /** Resends events that were given up: the named ones, or all of the check's. @returns their webhook ids. */
  replayEvents(checkId: string, webhookIds: readonly string[] | undefined, nowMs: number): Promise<string[]>;
  /** Deletes the events of a deleted check. */
  dropEvents(checkId: string): Promise<void>;
  /** Returns ids of checks with due events. */
  checksWithEvents(nowMs: number, limit: number): Promise<string[]>;
}

/** A revision of a target, the first one if undefined: an update that deletes the states of its pages makes another one. */
export interface TargetRevision {
  targetId: string;
  revision: string | undefined;
}

/** States of the pages that monitors know. */
export interface MonitorStates {
  /**
   * Returns the state of a page, without one if it is not known.
   * @returns undefined when the monitor does not have this revision of the target any more.
   */
  state(monitorId: string, page: TargetRevision & { url: string }): Promise<{ state?: PageState } | undefined>;
  /** Returns URLs of a target's known pages, in their order: read before and not found gone since. */
  knownUrls(monitorId: string, targetId: string, limit: number): Promise<string[]>;
  /** Records that a check has listed its pages. */
  noteSeen(check: Pick<MonitorCheck, "id" | "monitorId">, nowMs: number): Promise<void>;
  /**
   * Deletes states of the targets that were listed at a moment: those of pages that were not seen since another one, and those
   * beyond the number of the target that were not seen for the longest time. States of targets that the monitor does not have,
   * which earlier versions have left, are deleted too. @returns how many pages are forgotten.
   */
  forgetStates(
    monitorId: string,
    range: { listedAtMs: number; seenSinceMs: number; most: Readonly<Record<string, number>>; limit: number },
  ): Promise<number>;
  /** Deletes objects whose states were replaced or deleted, or never stored. @returns their number. */
  purgeObjects(nowMs: number, limit: number): Promise<number>;
}

/** Monitors, their checks and results. */
export interface MonitorStore extends MonitorOutbox, MonitorStates {
  /**
   * Does nothing when the monitor already exists, or when the team would have more monitors than `count`, or configurations
   * of more than `configBytes` together. @returns whether it is inserted
   */
  insert(monitor: Monitor, most: { count: number; configBytes: number }): Promise<boolean>;
  find(id: string): Promise<Monitor | undefined>;
  /** Returns monitors, newest first: fewer than `limit` where their configurations have more than `maxBytes` characters. */
  list(
    teamId: string,
    range: { limit: number; offset: number; maxBytes: number },
  ): Promise<{ monitors: Monitor[]; hasMore: boolean }>;
  /** @returns false when the monitor does not exist, or the team has no room for the new configuration */
  update(id: string, changes: MonitorChanges): Promise<boolean>;
  /** Deletes a monitor, and its data up to a number of rows. */
  remove(id: string): Promise<void>;
  /** Deletes some of the data that deleted monitors have left. @returns true when there may be more. */
  purgeRemoved(): Promise<boolean>;
  /** Returns due monitors behind a place in the order of their runs: their ids and the times of their runs. */
  due(nowMs: number, page: { after: DueMonitor | undefined; limit: number }): Promise<DueMonitor[]>;
  /** Returns the ids of those of some monitors that are due. */
  dueAmong(ids: readonly string[], nowMs: number): Promise<string[]>;
  /** Returns a monitor if it is due. One that cannot be read is paused. */
  findDue(id: string, nowMs: number): Promise<Monitor | undefined>;
  /**
   * Starts a check and advances the next run, in one transaction. A scheduled check is recorded as skipped when the
   * monitor's previous check still runs. @returns the check's status; undefined when another request was first.
   */
  startCheck(check: NewCheck): Promise<CheckStatus | undefined>;
  findCheck(id: string): Promise<MonitorCheck | undefined>;
  listChecks(
    monitorId: string,
    range: { limit: number; offset: number; status?: CheckStatus | undefined },
  ): Promise<ListedCheck[]>;
  /** Records that a worker run has begun. Does nothing for a check that has ended. */
  beginCheck(id: string, nowMs: number): Promise<void>;
  /** Returns open checks that have not changed since a moment. */
  staleChecks(untouchedSinceMs: number): Promise<Pick<MonitorCheck, "id" | "monitorId">[]>;
  /** Stores the check's plan as far as it is known, and the credits that the last listing cost. */
  keepPlan(checkId: string, plan: CheckPlan, credits: number): Promise<void>;
  /**
   * Stores a page, its new state, its credits and its event in one transaction. A page that another worker run has
   * already stored is not changed or charged again, and a state of a former revision of its target is not stored.
   * @returns false when the check no longer exists.
   */
  keepPage(
    check: MonitorCheck,
    page: MonitorPage,
    extra: {
      credits: number;
      state?: PageState | undefined;
      revision: string | undefined;
      event?: MonitorEvent | undefined;
      nowMs: number;
    },
  ): Promise<boolean>;
  pages(checkId: string, range: { limit: number; skip: number; status?: string | undefined }): Promise<MonitorPage[]>;
  /** Returns `targetId url` of each page that the check has stored. */
  seen(checkId: string): Promise<Set<string>>;
  summary(checkId: string): Promise<MonitorSummary>;
  /**
   * Counts the new pages of each target of a check: those that were judged, and those that match, which are the ones
   * that were not judged to be beside the goal.
   */
  newPages(checkId: string): Promise<{ targetId: string; matches: number; judged: number }[]>;
  /** Ends an open check and posts its event in one transaction. Does nothing for a check that has ended. */
  finishCheck(
    check: MonitorCheck,
    end: {
      status: CheckStatus;
      summary: MonitorSummary;
      error?: string | undefined;
      event?: MonitorEvent | undefined;
      nowMs: number;
    },
  ): Promise<void>;
  /** Ends an open check whose stored state cannot be read, without a summary. */
  failCheck(id: string, error: string, nowMs: number): Promise<void>;
  purge(nowMs: number, limit: number): Promise<number>;
  /** Reports whether the ended checks of a team's monitors take more bytes together. */
  exceeds(teamId: string, maxBytes: number): Promise<boolean>;
  /**
   * Of each team whose ended checks take more bytes, deletes some of the oldest checks of the monitor with the most.
   * @returns true when there may be more.
   */
  purgeLargest(maxBytes: number): Promise<boolean>;
}
