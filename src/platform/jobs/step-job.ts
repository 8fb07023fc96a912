import type { JobEvent, JobStatus } from "../../core/crawl/frontier.ts";
import { resultsExpireAtMs } from "../../core/jobs/job-life.ts";
import type { DeliveryNote, EventContent, OutboxEntry } from "../../ports/crawl/frontier.ts";
import type { StepEnd, TracedStep } from "../../core/jobs/step-trace.ts";
import type {
  DoneStep,
  NewStep,
  NewStepJob,
  OpenedJob,
  StepEnding,
  StepProgress,
  StepResult,
  StepStart,
  RunReport,
} from "../../ports/step-jobs.ts";
import { nextEventMs, noteSent, replayLost, takeDueEvents } from "../../storage/webhooks/outbox.ts";
import { recordedOptions } from "../../storage/jobs/recorded-options.ts";
import { StepJobRecord } from "../../storage/jobs/step-job.ts";
import { expiredWork, type UsageLedgers } from "./expired-work.ts";
import { jobRuns } from "./job-runs.ts";
import { readableState } from "./readable-state.ts";
import { JobStart, type JobSlot } from "./job-start.ts";
import { lastingAlarm } from "../lasting-alarm.ts";
import { EVENT_HOLD_MS } from "../../core/webhooks/webhook-retries.ts";
import { answered } from "../object-calls.ts";
import { hasTable } from "../has-table.ts";
import { ObjectAlarm } from "../object-alarm.ts";
import { logEvent } from "../log-event.ts";
import { MeasuredObject } from "../metering/measured-object.ts";

/** A run without a heartbeat for this long counts as lost. */
const LEASE_MS = 12_000;
/** Longer than the interval of a run's heartbeats, with the time of a call. */
const RESTART_WAIT_MS = 5_000;
const WAITS_UNTIL = "waits_until_ms";
/** Time after a failed run until the next; doubled with every run in a row without progress. */
const RETRY_MS = 1_000;

/**
 * The record of one step job, one object per job: completed steps, costs, and the current worker run. It starts one run
 * at a time; an alarm detects a lost run, and the next run continues after the last completed step.
 */
export class StepJob extends MeasuredObject<{ KEY_LEDGER: UsageLedgers }> {
  #opened: StepJobRecord | undefined;
  #run: { id: string; endsAtMs: number } | undefined;
  /** Until when this object waits for the run that an earlier object of the job has started. */
  #waitsUntilMs: number | undefined;

  readonly #start = new JobStart(this.env.KEY_LEDGER, {
    id: () => this.#jobId(),
    wantedSlot: () => this.#wantedSlot(),
    noteSlot: () => this.#record.noteSlot(),
    forget: () => this.#forget(),
  });

  readonly #alarm = new ObjectAlarm(this.ctx.storage);

  /** Creates the tables on first use. */
  get #record(): StepJobRecord {
    return (this.#opened ??= new StepJobRecord(this.sql));
  }

  /** Undefined without a job, which has expired or was deleted: the object then stays without tables. */
  get #stored(): StepJobRecord | undefined {
    return this.#opened !== undefined || hasTable(this.ctx.storage.sql, "job") ? this.#record : undefined;
  }

  /**
   * Stores the job and its alarm atomically, and then takes the job's slot. After a crash in between the alarm
   * completes the start.
   * @returns false when the key has reached its limit of concurrent jobs; nothing is stored then
   */
  async start(job: NewStepJob): Promise<boolean> {
    const { firstRunAtMs = Date.now() } = job;
    // Nothing is awaited between the two, so that the alarm is stored with the job.
    if (this.#record.start(job, Date.now())) await this.#alarm.set(firstRunAtMs);
    else await this.#plan();
    return (await this.#start.finish()) === "started";
  }

  async open(runId: string): Promise<OpenedJob | undefined> {
    const hasWork = this.#hasWork(Date.now());
    return hasWork && this.#renewLease(runId) ? this.#record.opened() : undefined;
  }

  async recordedOptions(): Promise<string | undefined> {
    return this.#stored && recordedOptions(this.#stored.sql);
  }

  async begin(runId: string, step: NewStep): Promise<StepStart> {
    if (this.#stored === undefined) return { kind: "stopped", status: "cancelled" };
    if (!this.#renewLease(runId)) return { kind: "stopped", status: this.#record.state()?.status ?? "cancelled" };
    return this.#record.begin(step, Date.now());
  }

  async finish(runId: string, step: DoneStep): Promise<void> {
    if (await this.#isForgotten()) return;
    this.#renewLease(runId);
    this.#record.finish(step, Date.now());
  }

  async raise(key: string, credits: number): Promise<boolean> {
    return this.#stored?.raise(key, credits) ?? false;
  }

  async noteCharged(credits: number): Promise<void> {
    if (await this.#isForgotten()) return;
    this.#record.noteCharged(credits);
  }

  /** A run of an earlier version sends no run id. */
  async drop(key: string, end?: StepEnd, runId?: string): Promise<void> {
    if (await this.#isForgotten()) return;
    const isOfOther = this.#run !== undefined && runId !== undefined && this.#run.id !== runId;
    if (!isOfOther) this.#record.drop(key, end, Date.now());
  }

  async report(runId: string, report: RunReport): Promise<JobStatus> {
    if (await this.#isForgotten()) return "cancelled";
    const holdsLease = this.#renewLease(runId);
    const status = this.#record.report(report);
    await this.#plan();
    return holdsLease ? status : "cancelled";
  }

  async tell(event: JobEvent, content: EventContent): Promise<void> {
    if (await this.#isForgotten()) return;
    this.#record.tell(event, content, Date.now());
  }

  async settle(): Promise<StepProgress | undefined> {
    if (await this.#isForgotten()) return undefined;
    return this.#record.settle();
  }

  async end(ending: StepEnding): Promise<void> {
    if (await this.#isForgotten()) return;
    this.#record.end(ending, Date.now());
    await this.#plan();
  }

  async cancel(): Promise<JobStatus | undefined> {
    const before = this.#stored?.cancel(Date.now());
    await this.#plan();
    return before;
  }

  async progress(): Promise<StepProgress | undefined> {
    if (this.#alarm.isCheckDue() && this.#stored?.state()?.isClosed === false) this.ctx.waitUntil(this.#plan());
    return this.#stored?.progress();
  }

  /** Not named `trace`, which the platform reserves. */
  async tracedSteps(): Promise<TracedStep[]> {
    return this.#stored?.trace() ?? [];
  }

  async tracedResult(number: number): Promise<StepResult | undefined> {
    return this.#stored?.tracedResult(number);
  }

  async leave(runId: string, { isClosed }: { isClosed: boolean }): Promise<void> {
    if (await this.#isForgotten()) return;
    if (isClosed) this.#record.close();
    if (this.#record.isToDelete()) return await this.#forget();
    if (this.#renewLease(runId)) {
      this.#run = undefined;
      this.#record.noteRunEnded();
    }
    await this.#plan();
  }

  async takeEvents(limit: number): Promise<OutboxEntry[]> {
    if (await this.#isForgotten()) return [];
    const { sql } = this.#record;
    return sql.transaction(() => takeDueEvents(sql, { limit, nowMs: Date.now(), holdMs: EVENT_HOLD_MS }));
  }

  async noteSent(sent: readonly DeliveryNote[]): Promise<void> {
    if (await this.#isForgotten()) return;
    this.#record.sql.transaction(() => noteSent(this.#record.sql, sent, Date.now()));
    if (this.#record.isToDelete()) return await this.#forget();
    await this.#plan();
  }

  async replayEvents(webhookIds: string[] | undefined): Promise<string[]> {
    const replayed = this.#stored ? replayLost(this.#stored.sql, webhookIds, Date.now()) : [];
    await this.#plan();
    return replayed;
  }

  override alarm(): Promise<void> {
    return lastingAlarm(this.ctx.storage, () => this.#wake());
  }

  async #wake(): Promise<void> {
    this.#alarm.forget();
    const nowMs = Date.now();
    const run = () => jobRuns(this.ctx).stepRun(this.#jobId(), crypto.randomUUID());
    const state = await readableState(this.ctx.storage, () => this.#stored?.state(), run);
    if (state === undefined) {
      await this.#isForgotten();
      return;
    }
    if (nowMs >= expiryOf(state)) {
      if (!state.isClosed) await this.#release(state.config.payer?.keyId);
      return await this.#forget();
    }
    if (!(await this.#finishStart())) return;
    // The run that an earlier object has started may live: its heartbeat then calls this one.
    if (this.#run === undefined && state.isRunning === true) this.#waitsUntilMs ??= await this.#beginWait(nowMs);
    if (this.#freeAtMs(state) <= nowMs) {
      this.#run = undefined;
      if (this.#hasWork(nowMs)) this.#runWorker(nowMs);
    }
    await this.#plan();
  }

  /** The end of the wait is stored: an object that waits may be evicted, and would wait again. */
  async #beginWait(nowMs: number): Promise<number> {
    const begun = await this.ctx.storage.get<number>(WAITS_UNTIL);
    if (begun !== undefined && nowMs - begun < LEASE_MS) return begun;
    const untilMs = nowMs + RESTART_WAIT_MS;
    await this.ctx.storage.put(WAITS_UNTIL, untilMs);
    return untilMs;
  }

  /** Ends the wait for the run of an earlier object: the run has called, or another one begins. */
  #endWait(): void {
    this.#waitsUntilMs = undefined;
    this.ctx.storage.kv.delete(WAITS_UNTIL);
  }

  /** @returns whether the job may work; when the ledger cannot be reached, the alarm tries again */
  async #finishStart(): Promise<boolean> {
    try {
      return (await this.#start.finish()) === "started";
    } catch (error) {
      logEvent({ event: "job_start_failed", jobId: this.#jobId(), message: String(error) });
      await this.#alarm.set(Date.now() + RETRY_MS);
      return false;
    }
  }

  #wantedSlot(): JobSlot | undefined {
    const { isStarting, config } = this.#record.state() ?? {};
    if (isStarting !== true || config?.payer === undefined) return undefined;
    return { keyId: config.payer.keyId, ...config.payer.slot };
  }

  /** Charges and records what a job that was not closed has cost, and releases its other credits and its slot. Can be repeated. */
  async #release(keyId: string | undefined): Promise<void> {
    const progress = this.#record.progress();
    if (keyId === undefined || progress === undefined) return;
    const { creditsUsed, charged } = progress;
    const [jobId, ledger] = [this.#jobId(), this.env.KEY_LEDGER.getByName(keyId)];
    const totals = { jobId, settled: creditsUsed, charged, reserve: 0, unit: undefined, monthlyCredits: undefined };
    await answered(ledger.chargeJob(totals));
    this.#record.noteCharged(creditsUsed);
    const work = expiredWork(this.#record.specification(), progress);
    if (work !== undefined) await answered(ledger.recordJob({ jobId, ...work }));
    await answered(ledger.releaseSlot(jobId));
  }

  /** A running run may still reserve credits: the job is deleted when the run has released them, and no event is left to send. */
  async forget(): Promise<void> {
    if (await this.#isForgotten()) return;
    if (!this.#record.forgetWhenOver()) await this.#forget();
  }

  async #forget(): Promise<void> {
    await this.ctx.storage.deleteAll();
    this.#alarm.forget();
    this.#opened = undefined;
    this.#run = undefined;
    this.#waitsUntilMs = undefined;
  }

  /** Reports whether the job does not exist. Tables that an earlier version has made for a late call of a run are deleted. */
  async #isForgotten(): Promise<boolean> {
    if (this.#stored === undefined) return true;
    if (this.#stored.exists()) return false;
    await this.#forget();
    return true;
  }

  #hasWork(nowMs: number): boolean {
    const state = this.#stored?.state();
    if (state === undefined) return false;
    return !state.isClosed || (nextEventMs(this.#record.sql) ?? Infinity) <= nowMs;
  }

  /** Starts a worker run without waiting for it: the run calls this object repeatedly while it works. */
  #runWorker(nowMs: number): void {
    const id = crypto.randomUUID();
    if (this.#waitsUntilMs !== undefined) this.#endWait();
    this.#record.recordRun(nowMs);
    this.#run = { id, endsAtMs: nowMs + LEASE_MS };
    const running = jobRuns(this.ctx)
      .stepRun(this.#jobId(), id)
      .catch(async (error: unknown) => {
        console.log(JSON.stringify({ event: "step_run_failed", jobId: this.#jobId(), message: String(error) }));
        if (await this.#isForgotten()) return;
        if (this.#run?.id === id) {
          this.#run = undefined;
          this.#record.noteRunEnded();
        }
        const idleRuns = this.#record.state()?.idleRuns ?? 1;
        await this.#alarm.set(Date.now() + RETRY_MS * 2 ** Math.max(0, idleRuns - 1));
      });
    this.ctx.waitUntil(running);
  }

  /**
   * Renews the lease of a worker run. After the object has moved, the first run that calls has the lease.
   * @returns false when another run has the lease.
   */
  #renewLease(runId: string): boolean {
    if (this.#run === undefined) this.#endWait();
    this.#run ??= { id: runId, endsAtMs: 0 };
    if (this.#run.id !== runId) return false;
    this.#run.endsAtMs = Date.now() + LEASE_MS;
    return true;
  }

  /** Returns the moment from which the next worker run may start. */
  #freeAtMs({ isRunning }: { isRunning?: boolean | undefined }): number {
    if (this.#run !== undefined) return this.#run.endsAtMs;
    return isRunning === true ? (this.#waitsUntilMs ?? 0) : 0;
  }

  async #plan(): Promise<void> {
    const state = this.#stored?.state();
    if (state === undefined) return;
    const nowMs = Date.now();
    const eventMs = nextEventMs(this.#record.sql);
    const freeAtMs = this.#freeAtMs(state);
    const moments = [
      expiryOf(state),
      ...(state.isClosed ? [] : [Math.max(nowMs, freeAtMs)]),
      ...(eventMs === undefined ? [] : [Math.max(eventMs, freeAtMs)]),
    ];
    const atMs = Math.min(...moments);
    await this.#alarm.setBy(atMs);
  }

  #jobId(): string {
    return this.ctx.id.name ?? this.ctx.id.toString();
  }
}

/** Returns when the data of a job is deleted (Unix time in ms): none for a job that runs. */
function expiryOf({
  status,
  config: { expiresAtMs },
  ...times
}: NonNullable<ReturnType<StepJobRecord["state"]>>): number {
  return status === "scraping" ? Infinity : resultsExpireAtMs({ ...times, expiresAtMs });
}
