import type {
  CheckPlan,
  CheckStatus,
  Monitor,
  MonitorCheck,
  MonitorConfig,
  MonitorPage,
  MonitorSummary,
  PageState,
} from "../core/monitors/monitor.ts";
import type { DeliveryNote, OutboxEntry } from "./crawl/frontier.ts";

/** An event of a check that its webhook is to hear of. */
export interface MonitorEvent {
  webhookId: string;
  event: "page" | "check.completed";
  data: unknown;
}

export interface NewCheck {
  monitor: Monitor;
  checkId: string;
  trigger: "scheduled" | "manual";
  /** The moment that it was planned for, which is what the claim compares; for scheduled ones. */
  scheduledForMs?: number;
  nextRunAtMs?: number;
  /** Told if the check is skipped because another one is running. */
  skippedEvent?: MonitorEvent | undefined;
  nowMs: number;
}

/** What is to change of a monitor; what is absent stays as it is in the store, whatever the caller has read before. */
export interface MonitorChanges {
  name?: string | undefined;
  status?: Monitor["status"] | undefined;
  /** Field by field, each one as a whole. */
  config: Partial<MonitorConfig>;
  /** Ids of targets of which it stays known what their pages said; of all when it is absent. */
  keptTargets?: readonly string[] | undefined;
  /**
   * When the monitor is to run next if it is active then; a run that is planned already stays unless it is replaced. Paused
   * monitors have none.
   */
  nextRun?: { atMs: number | undefined; isReplaced: boolean } | undefined;
  updatedAtMs: number;
}

/** Events of checks that are to be sent. */
export interface MonitorOutbox {
  takeEvents(checkId: string, nowMs: number, limit: number): Promise<OutboxEntry[]>;
  /** Those that are given up stay with their check, until somebody wants them sent again. */
  noteSent(notes: readonly DeliveryNote[], nowMs: number): Promise<void>;
  /** Sends events again that were given up; all of the check's when none is named. @returns their webhook ids. */
  replayEvents(checkId: string, webhookIds: readonly string[] | undefined, nowMs: number): Promise<string[]>;
  /** Forgets the events of a check that is no longer there. */
  dropEvents(checkId: string): Promise<void>;
  /** Checks that have events to be sent. */
  checksWithEvents(nowMs: number, limit: number): Promise<string[]>;
}

/** Alarms that ask for turns of checks until they are told that a check has ended. */
export interface CheckAlarms {
  /** Called before the check is begun, so that a crash right after its beginning is noticed. */
  watch(checkId: string): Promise<void>;
  forget(checkId: string): Promise<void>;
}

/** Monitors, their checks and what was found. */
export interface MonitorStore extends MonitorOutbox {
  insert(monitor: Monitor): Promise<void>;
  find(id: string): Promise<Monitor | undefined>;
  list(teamId: string, range: { limit: number; offset: number }): Promise<Monitor[]>;
  update(id: string, changes: MonitorChanges): Promise<void>;
  /** With everything that was found. */
  remove(id: string): Promise<void>;
  due(nowMs: number, limit: number): Promise<Monitor[]>;
  /**
   * Begins a check and moves the next run on, in one transaction; a monitor whose check still runs gets one that was
   * skipped. @returns how the check stands; undefined when somebody else was first.
   */
  startCheck(check: NewCheck): Promise<CheckStatus | undefined>;
  findCheck(id: string): Promise<MonitorCheck | undefined>;
  listChecks(
    monitorId: string,
    range: { limit: number; offset: number; status?: CheckStatus | undefined },
  ): Promise<MonitorCheck[]>;
  /** Takes the right to work on an open check until a moment, and counts the turn. @returns false when somebody has it. */
  leaseCheck(id: string, nowMs: number, untilMs: number): Promise<boolean>;
  /** Shows that the turn that has the lease is still at work. */
  renewCheck(id: string, untilMs: number): Promise<void>;
  /** Open checks that nobody works on, not touched since a moment. */
  staleChecks(nowMs: number, untouchedSinceMs: number): Promise<string[]>;
  /** Writes down what is to be read as far as it is known, and what listing the last of it has cost. */
  keepPlan(checkId: string, plan: CheckPlan, credits: number): Promise<void>;
  /** Lets somebody else work on a check at once. */
  releaseCheck(id: string, nowMs: number): Promise<void>;
  /**
   * Writes a page, what it says now, what it has cost and its event at once. A page that another turn has written before
   * stays as it is, and was paid then. @returns false when the check is no longer there.
   */
  keepPage(
    check: MonitorCheck,
    page: MonitorPage,
    extra: { credits: number; state?: PageState | undefined; event?: MonitorEvent | undefined; nowMs: number },
  ): Promise<boolean>;
  pages(checkId: string, range: { limit: number; skip: number; status?: string | undefined }): Promise<MonitorPage[]>;
  /** `targetId url` of pages that the check has written. */
  seen(checkId: string): Promise<Set<string>>;
  summary(checkId: string): Promise<MonitorSummary>;
  state(monitorId: string, targetId: string, url: string): Promise<PageState | undefined>;
  /** Addresses of a target's pages that were read before and not found gone since. */
  knownUrls(monitorId: string, targetId: string): Promise<string[]>;
  /** Ends an open check and posts its event at once. One that has ended stays as it is. */
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
  purge(nowMs: number, limit: number): Promise<number>;
}
