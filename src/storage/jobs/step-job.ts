import { z } from "zod";
import { ERRORS } from "../../core/errors.ts";
import { readOwn, readStored, writtenBack } from "../../core/stored-state.ts";
import { MAX_JOB_LIFE_MS, OVERDUE, resultsExpireAtMs } from "../../core/jobs/job-life.ts";
import { JOB_EVENTS, JOB_STATUSES, type JobEvent, type JobStatus } from "../../core/crawl/frontier.ts";
import { combineCounts, MeterCounts, NO_COUNTS } from "../../core/account/meter.ts";
import type { EventContent } from "../../ports/crawl/frontier.ts";
import type { Sql } from "../../ports/storage/sql.ts";
import type { StepEnd, TracedStep } from "../../core/jobs/step-trace.ts";
import type {
  DoneStep,
  NewStep,
  NewStepJob,
  OpenedJob,
  StepEnding,
  StepResult,
  StepProgress,
  StepStart,
  StepTotals,
  RunReport,
} from "../../ports/step-jobs.ts";
import { nextEventMs, post } from "../webhooks/outbox.ts";
import { forgetTrace, readTrace, TRACE_TABLE, traceBegin, traceEnd } from "./step-trace.ts";

const Config = z.object({
  events: z.array(z.enum(JOB_EVENTS)).readonly().default([]),
  maxCredits: z.number().optional(),
  payer: z
    .object({
      keyId: z.string(),
      monthlyCredits: z.number().optional(),
      slot: z.object({ limit: z.number(), leaseMs: z.number() }),
    })
    .optional(),
  expiresAtMs: z.number(),
}) satisfies z.ZodType<Omit<NewStepJob, "specification">>;

/** State of the job, stored in one row. */
const StepJobState = z.object({
  status: z.enum(JOB_STATUSES),
  error: z.string().optional(),
  progress: z.string().optional(),
  result: z.union([z.object({ text: z.string() }), z.object({ object: z.string() })]).optional(),
  config: Config,
  /** True until the job has taken its slot; no worker run begins before. */
  isStarting: z.boolean().optional(),
  createdAtMs: z.number(),
  endedAtMs: z.number().optional(),
  steps: z.number(),
  creditsUsed: z.number(),
  creditsHeld: z.number(),
  /** Absent in jobs of older versions. */
  charged: z.number().optional(),
  costs: MeterCounts,
  /** Worker runs since the last completed step; a job without progress is given up. */
  idleRuns: z.number().default(0),
  /** True from the beginning of a worker run until it ends with its result or an error. */
  isRunning: z.boolean().optional(),
  /** Of the idle runs those that stopped without a word: they may have stopped the service. */
  lostRuns: z.number().default(0),
  isClosed: z.boolean(),
  /** True for a job that is deleted as soon as it is closed and its events are sent. */
  isUnused: z.boolean().optional(),
});
type StepJobState = z.infer<typeof StepJobState>;
const StoredState = writtenBack(StepJobState.extend({ config: writtenBack(Config) }));

const TABLES = [
  "CREATE TABLE IF NOT EXISTS job (one INTEGER PRIMARY KEY, specification TEXT NOT NULL, state TEXT NOT NULL)",
  `CREATE TABLE IF NOT EXISTS steps (
    key TEXT PRIMARY KEY, credits INTEGER NOT NULL, text TEXT, object TEXT, done INTEGER NOT NULL
  ) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS outbox (
    id INTEGER PRIMARY KEY, webhook_id TEXT NOT NULL, event TEXT NOT NULL, content TEXT NOT NULL,
    attempts INTEGER NOT NULL, due_at_ms INTEGER NOT NULL, lost INTEGER NOT NULL
  )`,
  TRACE_TABLE,
];

/** Maximum consecutive worker runs without progress. */
const MAX_IDLE_RUNS = 5;
/** Maximum consecutive worker runs that stopped without a word: what stops the service once is tried twice again. */
const MAX_LOST_RUNS = 3;
const NO_FACTS: StepEnd = { kind: "done", facts: {} };
const STUCK = "The job was ended: it stopped repeatedly without progress";
const INTERRUPTED = `${ERRORS.JOB_INTERRUPTED.message} (JOB_INTERRUPTED)`;

interface StepRow {
  credits: number;
  text: string | null;
  object: string | null;
  done: number;
}

/** A step job in its own database. Every method is one transaction and takes the time as an argument. */
export class StepJobRecord {
  readonly sql: Sql;
  /** True when this object has written the state, which then needs no schema. */
  #isWritten = false;

  constructor(sql: Sql) {
    this.sql = sql;
    for (const statement of TABLES) sql.rows(statement);
  }

  /** @throws AppError STORED_STATE_UNREADABLE */
  state(): StepJobState | undefined {
    const [row] = this.sql.rows<{ state: string }>("SELECT state FROM job WHERE one = 1");
    if (row === undefined) return undefined;
    return this.#isWritten ? readOwn<StepJobState>(row.state) : readStored(StoredState, row.state, "step job");
  }

  /** Returns the job as a worker run finds it. */
  opened(): OpenedJob | undefined {
    const [state, specification] = [this.state(), this.specification()];
    if (state === undefined || specification === undefined) return undefined;
    const { status, idleRuns, isUnused } = state;
    return { specification, status, idleRuns, ...(isUnused === true ? { isUnused } : {}) };
  }

  specification(): string | undefined {
    return this.sql.rows<{ specification: string }>("SELECT specification FROM job WHERE one = 1")[0]?.specification;
  }

  exists(): boolean {
    return this.sql.rows("SELECT one FROM job WHERE one = 1").length > 0;
  }

  /** Starts the job; a repeated call has no effect. @returns true when the job is new. */
  start({ specification, ...config }: NewStepJob, nowMs: number): boolean {
    return this.sql.transaction(() => {
      if (this.state() !== undefined) return false;
      const state: StepJobState = {
        status: "scraping", error: undefined, progress: undefined, result: undefined,
        config, isStarting: config.payer !== undefined,
        createdAtMs: nowMs, endedAtMs: undefined, steps: 0, creditsUsed: 0, creditsHeld: 0, costs: { ...NO_COUNTS },
        idleRuns: 0, isRunning: false, lostRuns: 0, isClosed: false,
      }; // prettier-ignore
      this.sql.rows(
        "INSERT INTO job (one, specification, state) VALUES (1, ?, ?)",
        specification,
        JSON.stringify(state),
      );
      post({ sql: this.sql, state, nowMs }, "started");
      return true;
    });
  }

  /** Records that the job has its slot and may run. */
  noteSlot(): void {
    this.#change((state) => {
      state.isStarting = false;
    });
  }

  /**
   * Counts a worker run that begins. Ends the job after too many runs without a completed step, earlier when they stopped
   * without a word, as runs do that stop the whole service, and when its time is over.
   */
  recordRun(nowMs: number): void {
    this.#change((state) => {
      if (state.status !== "scraping") return;
      if (state.isRunning === true) state.lostRuns++;
      const isInterrupted = state.lostRuns >= MAX_LOST_RUNS;
      const isOverdue = nowMs >= state.createdAtMs + MAX_JOB_LIFE_MS;
      if (isInterrupted || isOverdue || state.idleRuns >= MAX_IDLE_RUNS) {
        state.isRunning = false;
        const error = isInterrupted ? INTERRUPTED : isOverdue ? OVERDUE : STUCK;
        return this.#end(state, { status: "failed", error, costs: NO_COUNTS }, nowMs);
      }
      state.idleRuns++;
      state.isRunning = true;
    });
  }

  /** Records that the current worker run has ended with its result or an error: it is not lost. */
  noteRunEnded(): void {
    this.#change((state) => {
      if (state.isRunning === true) state.isRunning = false;
    });
  }

  begin({ key, credits, note }: NewStep, nowMs: number): StepStart {
    return this.sql.transaction((): StepStart => {
      const state = this.state();
      if (state === undefined || state.status !== "scraping")
        return { kind: "stopped", status: state?.status ?? "cancelled" };
      const [row] = this.sql.rows<StepRow>("SELECT credits, text, object, done FROM steps WHERE key = ?", key);
      if (row !== undefined)
        return row.done === 1
          ? { kind: "done", result: resultOf(row) }
          : { kind: "begun", isNew: false, credits: row.credits, totals: totalsOf(state) };
      const { maxCredits } = state.config;
      const creditsLeft = maxCredits === undefined ? Infinity : maxCredits - state.creditsUsed - state.creditsHeld;
      if (note !== undefined) traceBegin(this.sql, { key, credits, note }, nowMs);
      if (credits > creditsLeft) {
        traceEnd(this.sql, { key, credits: 0, end: overBudget(credits, creditsLeft) }, nowMs);
        return { kind: "over_budget", creditsLeft };
      }
      this.sql.rows("INSERT INTO steps (key, credits, text, object, done) VALUES (?, ?, NULL, NULL, 0)", key, credits);
      state.creditsHeld += credits;
      this.#write(state);
      return { kind: "begun", isNew: true, credits, totals: totalsOf(state) };
    });
  }

  raise(key: string, credits: number): boolean {
    return this.sql.transaction(() => {
      const state = this.state();
      const [row] = this.sql.rows<StepRow>("SELECT credits, text, object, done FROM steps WHERE key = ?", key);
      if (state === undefined || row === undefined || row.done === 1) return false;
      if (credits > 0 && state.status !== "scraping") return false;
      const { maxCredits } = state.config;
      if (maxCredits !== undefined && credits > maxCredits - state.creditsUsed - state.creditsHeld) return false;
      this.sql.rows("UPDATE steps SET credits = credits + ? WHERE key = ?", credits, key);
      state.creditsHeld += credits;
      this.#write(state);
      return true;
    });
  }

  noteCharged(credits: number): void {
    this.#change((state) => {
      state.charged = credits;
    });
  }

  /** Completes a step. Its cost also counts when the job has ended, until it is settled; a second result is ignored. */
  finish({ key, credits, result, end = NO_FACTS }: DoneStep, nowMs: number): void {
    this.#change((state) => {
      const [row] = this.sql.rows<StepRow>("SELECT credits, text, object, done FROM steps WHERE key = ?", key);
      // A settled job has no undone steps. One that an older version has closed has been charged: later costs are not.
      if (row === undefined || row.done === 1 || state.isClosed) return;
      const text = "text" in result ? result.text : null;
      const object = "object" in result ? result.object : null;
      this.sql.rows(
        "UPDATE steps SET credits = ?, text = ?, object = ?, done = 1 WHERE key = ?",
        credits,
        text,
        object,
        key,
      );
      traceEnd(this.sql, { key, credits, end }, nowMs);
      state.creditsHeld -= row.credits;
      state.creditsUsed += credits;
      state.steps++;
      noteProgress(state);
    });
  }

  drop(key: string, end: StepEnd | undefined, nowMs: number): void {
    this.#change((state) => {
      const [row] = this.sql.rows<StepRow>("SELECT credits, text, object, done FROM steps WHERE key = ?", key);
      if (row === undefined || row.done === 1) return;
      this.sql.rows("DELETE FROM steps WHERE key = ?", key);
      if (end === undefined) forgetTrace(this.sql, key);
      else traceEnd(this.sql, { key, credits: 0, end }, nowMs);
      state.creditsHeld -= row.credits;
    });
  }

  report({ costs, progress, hasProgress = false }: RunReport): JobStatus {
    this.#change((state) => {
      state.costs = combineCounts(state.costs, costs);
      if (hasProgress) noteProgress(state);
      if (progress !== undefined) state.progress = progress;
    });
    return this.state()?.status ?? "cancelled";
  }

  tell(event: JobEvent, content: EventContent, nowMs: number): void {
    this.#change((state) => {
      if (state.status === "scraping") post({ sql: this.sql, state, nowMs }, event, content);
    });
  }

  end(ending: StepEnding, nowMs: number): void {
    this.#change((state) => this.#end(state, ending, nowMs));
  }

  cancel(nowMs: number): JobStatus | undefined {
    const before = this.state()?.status;
    const event = { name: "cancelled" as const, content: {} };
    if (before === "scraping") this.end({ status: "cancelled", costs: NO_COUNTS, event }, nowMs);
    return before;
  }

  settle(): StepProgress | undefined {
    this.#change((state) => {
      if (state.status !== "scraping") this.#settle(state);
    });
    return this.state()?.status === "scraping" ? undefined : this.progress();
  }

  close(): void {
    this.#change((state) => {
      if (state.status === "scraping") return;
      this.#settle(state);
      state.isClosed = true;
    });
  }

  /**
   * Records that the job is deleted as soon as it is closed, by which its credits are charged and released, and its events are sent.
   * @returns false for a job that may be deleted at once: nothing of this is left to do, or no key pays for it
   */
  forgetWhenOver(): boolean {
    this.#change((state) => {
      if (state.config.payer !== undefined && !this.#isOver(state)) state.isUnused = true;
    });
    return this.state()?.isUnused === true && !this.isToDelete();
  }

  /** Reports whether the job is to be deleted now. */
  isToDelete(): boolean {
    const state = this.state();
    return state?.isUnused === true && this.#isOver(state);
  }

  #isOver({ isClosed }: StepJobState): boolean {
    return isClosed && nextEventMs(this.sql) === undefined;
  }

  /** Discards the steps that are not done: their results and reservations no longer count. */
  #settle(state: StepJobState): void {
    this.sql.rows("DELETE FROM steps WHERE done = 0");
    state.creditsHeld = 0;
  }

  progress(): StepProgress | undefined {
    const state = this.state();
    if (state === undefined) return undefined;
    const { config, isStarting: _, idleRuns: __, isRunning: ___, lostRuns: ____, isUnused: _____, ...progress } = state;
    return {
      ...progress,
      charged: state.charged ?? 0,
      error: state.error,
      progress: state.progress,
      result: state.result,
      endedAtMs: state.endedAtMs,
      expiresAtMs: resultsExpireAtMs({ ...state, expiresAtMs: config.expiresAtMs }),
    };
  }

  trace(): TracedStep[] {
    return readTrace(this.sql);
  }

  tracedResult(number: number): StepResult | undefined {
    const [row] = this.sql.rows<StepRow>(
      "SELECT steps.credits, text, object, done FROM trace JOIN steps USING (key) WHERE number = ? AND done = 1",
      number,
    );
    return row === undefined ? undefined : resultOf(row);
  }

  #end(state: StepJobState, { status, error, result, event, costs }: StepEnding, nowMs: number): void {
    state.costs = combineCounts(state.costs, costs);
    if (state.status !== "scraping") return;
    state.status = status;
    state.endedAtMs = nowMs;
    if (error !== undefined) state.error = error;
    if (result !== undefined) state.result = result;
    const posted = event ?? { name: status, content: error === undefined ? {} : { error } };
    post({ sql: this.sql, state, nowMs }, posted.name, posted.content);
  }

  #change(work: (state: StepJobState) => void): void {
    this.sql.transaction(() => {
      const state = this.state();
      if (state === undefined) return;
      const before = JSON.stringify(state);
      work(state);
      if (JSON.stringify(state) !== before) this.#write(state);
    });
  }

  #write(state: StepJobState): void {
    this.sql.rows("UPDATE job SET state = ? WHERE one = 1", JSON.stringify(state));
    this.#isWritten = true;
  }
}

function noteProgress(state: StepJobState): void {
  state.idleRuns = 0;
  state.lostRuns = 0;
}

function totalsOf({ creditsUsed, creditsHeld, charged = 0 }: StepJobState): StepTotals {
  return { creditsUsed, creditsHeld, charged };
}

function overBudget(credits: number, creditsLeft: number): StepEnd {
  const message = `The job's budget is used up: this step costs ${credits} credits, and ${creditsLeft} are left`;
  return { kind: "failed", code: "INSUFFICIENT_CREDITS", message };
}

function resultOf({ text, object }: StepRow): StepResult {
  return object === null ? { text: text ?? "null" } : { object };
}
