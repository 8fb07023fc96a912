import type {
  CheckPlan,
  CheckStatus,
  Monitor,
  MonitorCheck,
  MonitorPage,
  MonitorSummary,
  PageState,
} from "../core/monitor.ts";
import type { DeliveryNote, OutboxEntry } from "./frontier.ts";

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
  nowMs: number;
}

/** Monitors, their checks and what was found. */
export interface MonitorStore {
  insert(monitor: Monitor): Promise<void>;
  find(id: string): Promise<Monitor | undefined>;
  list(teamId: string, range: { limit: number; offset: number }): Promise<Monitor[]>;
  /** Writes name, status, configuration and next run. */
  update(monitor: Monitor): Promise<void>;
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
  /** Takes the right to work on an open check until a moment. @returns false when somebody has it. */
  leaseCheck(id: string, nowMs: number, untilMs: number): Promise<boolean>;
  /** Open checks that nobody works on, not touched since a moment. */
  staleChecks(nowMs: number, untouchedSinceMs: number): Promise<string[]>;
  /** Writes down what is to be read, and what listing it has cost. */
  keepPlan(checkId: string, plan: CheckPlan, credits: number): Promise<void>;
  /** Lets somebody else work on a check at once. */
  releaseCheck(id: string, nowMs: number): Promise<void>;
  /** Writes a page, what it says now and its event at once; a page that is known already changes nothing. */
  keepPage(
    check: MonitorCheck,
    page: MonitorPage,
    extra: { credits: number; state?: PageState | undefined; event?: MonitorEvent | undefined; nowMs: number },
  ): Promise<void>;
  pages(checkId: string, range: { limit: number; skip: number; status?: string | undefined }): Promise<MonitorPage[]>;
  /** `targetId url` of pages that the check has written. */
  seen(checkId: string): Promise<Set<string>>;
  summary(checkId: string): Promise<MonitorSummary>;
  state(monitorId: string, targetId: string, url: string): Promise<PageState | undefined>;
  /** Addresses of a target's pages at the last check. */
  stateUrls(monitorId: string, targetId: string): Promise<{ url: string; scrapeId: string | null }[]>;
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
  takeEvents(checkId: string, nowMs: number, limit: number): Promise<OutboxEntry[]>;
  noteSent(checkId: string, notes: readonly DeliveryNote[], nowMs: number): Promise<void>;
  /** Checks that have events to be sent. */
  checksWithEvents(nowMs: number, limit: number): Promise<string[]>;
  purge(nowMs: number, limit: number): Promise<number>;
}
