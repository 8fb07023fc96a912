import type { JobEvent, JobStatus } from "../core/crawl/frontier.ts";
import type { MeterCounts } from "../core/account/meter.ts";
import type { StepEnd, StepNote, TracedStep } from "../core/jobs/step-trace.ts";
import type { EventContent, Frontiers } from "./crawl/frontier.ts";

/** A new step job. `specification` is the input of its worker runs, as JSON text. */
export interface NewStepJob {
  specification: string;
  events: readonly JobEvent[];
  /** Maximum credits of all steps together; undefined for no limit other than the key's. */
  maxCredits?: number | undefined;
  /** Key that pays for the steps, and the job slot to take from it; undefined when no key is charged. */
  payer?: StepPayer;
  expiresAtMs: number;
  /** Moment of the first worker run; at once when absent. */
  firstRunAtMs?: number | undefined;
}

/** A job as its worker run finds it. */
export interface OpenedJob {
  specification: string;
  status: JobStatus;
  /** Worker runs without progress in a row, the current one included. */
  idleRuns: number;
  /** Set for a job that is deleted once it is closed and its events are sent. */
  isUnused?: true;
}

/** The key that pays for a step job. */
export interface StepPayer {
  keyId: string;
  /** Credits of the key per calendar month; undefined for no limit. */
  monthlyCredits?: number | undefined;
  slot: { limit: number; leaseMs: number };
}

/** Result of a request to begin a step. */
export type StepStart =
  /** The step is already done: its result, as JSON text or as the object that holds the text. */
  | { kind: "done"; result: StepResult }
  /** The step may run. `isNew` is false when a lost worker run began it; `credits` is the amount reserved for it. */
  | { kind: "begun"; isNew: boolean; credits: number; totals: StepTotals }
  | { kind: "over_budget"; creditsLeft: number }
  /** The job has ended, or another worker run has taken it over. */
  | { kind: "stopped"; status: JobStatus };

/** Credits of all steps of a job. */
export type StepTotals = Pick<StepProgress, "creditsUsed" | "creditsHeld" | "charged">;

export type StepResult = { text: string } | { object: string };

export interface StepProgress {
  status: JobStatus;
  error: string | undefined;
  /** Progress data that the job reports while it runs, as JSON text. */
  progress: string | undefined;
  result: StepResult | undefined;
  /** Number of completed steps. */
  steps: number;
  creditsUsed: number;
  /** Credits reserved for running steps. */
  creditsHeld: number;
  /** Credits charged to the key, as recorded when the job was closed. */
  charged: number;
  costs: MeterCounts;
  createdAtMs: number;
  endedAtMs: number | undefined;
  expiresAtMs: number;
  /** True when the end has been recorded everywhere. Absent from objects that run an older version. */
  isClosed?: boolean;
}

/** Periodic report of a worker run. */
export interface RunReport {
  /** Counts since the last report. */
  costs: MeterCounts;
  progress?: string;
  /** True when the run has made progress that is stored outside of the job. */
  hasProgress?: boolean;
}

export interface StepEnding {
  status: Exclude<JobStatus, "scraping">;
  error?: string;
  result?: StepResult;
  /** Webhook event that reports the end. */
  event?: { name: JobEvent; content: EventContent };
  costs: MeterCounts;
}

/** A step to begin. */
export interface NewStep {
  key: string;
  /** Credits to reserve for the step. */
  credits: number;
  /** Entry in the job's trace; a step without a note is not traced. */
  note?: StepNote | undefined;
}

/** A completed step. */
export interface DoneStep {
  key: string;
  /** Credits that the step cost. */
  credits: number;
  result: StepResult;
  /** Outcome for the job's trace. */
  end?: StepEnd | undefined;
}

/**
 * Step jobs, one object per job: extract, agent, deep research, llms.txt and checks of monitors. A step is done once: its result is stored before the next step begins.
 */
export interface StepJobs extends Pick<Frontiers, "takeEvents" | "noteSent" | "replayEvents"> {
  /**
   * Starts a job. A repeated call for a job without a worker run starts one at once, and has no other effect.
   * @returns false when the key has reached its limit of concurrent jobs.
   */
  start(jobId: string, job: NewStepJob): Promise<boolean>;
  /** Returns the input of a worker run; undefined when no work is left. */
  open(jobId: string, runId: string): Promise<OpenedJob | undefined>;
  /** Returns the options that the job's record was made from, as JSON text; undefined when the job does not exist. */
  recordedOptions(jobId: string): Promise<string | undefined>;
  begin(jobId: string, runId: string, step: NewStep): Promise<StepStart>;
  /** Reserves more credits for a running step. @returns false when the job's budget has fewer left, or the job has ended. */
  raise(jobId: string, key: string, credits: number): Promise<boolean>;
  finish(jobId: string, runId: string, step: DoneStep): Promise<void>;
  /**
   * Discards a step that was begun without a result; its trace is retained when `end` states the reason. Does nothing when
   * another run works on the job, which may do the step.
   */
  drop(jobId: string, runId: string, key: string, end?: StepEnd): Promise<void>;
  /** Heartbeat of a worker run: records its counts and progress. */
  report(jobId: string, runId: string, report: RunReport): Promise<JobStatus>;
  /** Sends a webhook event while the job runs. */
  tell(jobId: string, event: JobEvent, content: EventContent): Promise<void>;
  /** Records the credits charged to the key, before its credit ledger deletes the job. */
  noteCharged(jobId: string, credits: number): Promise<void>;
  /**
   * Ends the account of a job that has ended: discards its running steps, whose reservations and later results no longer
   * count. @returns its final state; undefined while it runs, and for a job that does not exist.
   */
  settle(jobId: string): Promise<StepProgress | undefined>;
  /** Ends the job; later calls have no effect. */
  end(jobId: string, ending: StepEnding): Promise<void>;
  /** Cancels the job. @returns its status before the call. */
  cancel(jobId: string): Promise<JobStatus | undefined>;
  progress(jobId: string): Promise<StepProgress | undefined>;
  /** Returns the traced steps, in the order in which they began. */
  trace(jobId: string): Promise<TracedStep[]>;
  /** Returns the result of a traced step by its number; undefined for one without a result. */
  tracedResult(jobId: string, number: number): Promise<StepResult | undefined>;
  /** Ends a worker run. `isClosed`: the job's end has been recorded everywhere. */
  leave(jobId: string, runId: string, options: { isClosed: boolean }): Promise<void>;
  /**
   * Deletes a job that has ended, or whose results are stored elsewhere. A job that a key pays for is deleted when its run has
   * recorded its end everywhere, and its events are delivered or given up.
   */
  forget(jobId: string): Promise<void>;
}
