import type { JobEvent, JobStatus } from "../core/crawl/frontier.ts";
import type { MeterCounts } from "../core/account/meter.ts";
import type { StepEnd, StepNote, TracedStep } from "../core/jobs/step-trace.ts";
import type { EventContent, Frontiers } from "./crawl/frontier.ts";

/** A job that goes on step by step, as it begins. The specification is what its turns need to know, as JSON text. */
export interface NewStepJob {
  specification: string;
  events: readonly JobEvent[];
  /** Credits that all steps together may cost; undefined for as many as the key has. */
  maxCredits: number | undefined;
  /** Who pays for the steps, and the slot that the job takes there; undefined where nobody does. */
  payer?: StepPayer;
  expiresAtMs: number;
}

/** The key that pays for a job of steps. */
export interface StepPayer {
  keyId: string;
  /** Credits that the key has a month; undefined for as many as it wants. */
  monthlyCredits: number | undefined;
  slot: { limit: number; leaseMs: number };
}

/** What comes of wanting to begin a step. */
export type StepStart =
  /** It was done before: what came of it, as JSON text, or the object that holds the text. */
  | { kind: "done"; result: StepResult }
  /** It is to be done. `isNew` is false for a step that was begun by a turn which was lost: so many credits are set aside. */
  | { kind: "begun"; isNew: boolean; credits: number; totals: StepTotals }
  | { kind: "over_budget"; creditsLeft: number }
  /** The job has ended, or somebody else works for it now. */
  | { kind: "stopped"; status: JobStatus };

/** What all steps of a job have come to. */
export type StepTotals = Pick<StepProgress, "creditsUsed" | "creditsHeld" | "charged">;

export type StepResult = { text: string } | { object: string };

export interface StepProgress {
  status: JobStatus;
  error: string | undefined;
  /** What the job wants to have shown of itself while it runs, as JSON text. */
  progress: string | undefined;
  result: StepResult | undefined;
  /** Steps that are done. */
  steps: number;
  creditsUsed: number;
  /** Set aside for steps that are under way. */
  creditsHeld: number;
  /** What the key has paid, as far as that was noted when the job was closed. */
  charged: number;
  costs: MeterCounts;
  createdAtMs: number;
  endedAtMs: number | undefined;
  expiresAtMs: number;
}

/** What a turn tells now and then. */
export interface RunReport {
  /** Since the last report. */
  costs: MeterCounts;
  progress?: string;
}

export interface StepEnding {
  status: Exclude<JobStatus, "scraping">;
  error?: string;
  result?: StepResult;
  /** What the webhook is told of the end. */
  event?: { name: JobEvent; content: EventContent };
  costs: MeterCounts;
}

/** A step that is to begin. */
export interface NewStep {
  key: string;
  /** Set aside for it. */
  credits: number;
  /** For the job's trace; a step without one leaves none. */
  note?: StepNote | undefined;
}

/** A step that is done. */
export interface DoneStep {
  key: string;
  /** What it has cost. */
  credits: number;
  result: StepResult;
  /** For the job's trace. */
  end?: StepEnd | undefined;
}

/** Jobs of steps, each in one place of its own. A step is done once: its result is kept before the next one begins. */
export interface StepJobs extends Pick<Frontiers, "takeEvents" | "noteSent" | "replayEvents"> {
  /**
   * Starts a job; starting it twice starts it once.
   * @returns false when its key runs as many jobs as it may.
   */
  start(jobId: string, job: NewStepJob): Promise<boolean>;
  /** What a turn needs to know before it begins; undefined when there is nothing left to do. */
  open(jobId: string, turnId: string): Promise<{ specification: string; status: JobStatus } | undefined>;
  begin(jobId: string, turnId: string, step: NewStep): Promise<StepStart>;
  /** Sets more credits aside for a step that is under way. @returns false when the job's budget has fewer left. */
  raise(jobId: string, key: string, credits: number): Promise<boolean>;
  finish(jobId: string, turnId: string, step: DoneStep): Promise<void>;
  /** Forgets a step that was begun and came to nothing; its trace stays when it is told why. */
  drop(jobId: string, key: string, end?: StepEnd): Promise<void>;
  /** A sign of life. */
  report(jobId: string, turnId: string, report: RunReport): Promise<JobStatus>;
  /** Tells the webhook something on the way. */
  tell(jobId: string, event: JobEvent, content: EventContent): Promise<void>;
  /** Notes what the key has paid for the job, before its gate forgets the job. */
  noteCharged(jobId: string, credits: number): Promise<void>;
  /** The first end counts. */
  end(jobId: string, ending: StepEnding): Promise<void>;
  /** @returns the status that the job had before. */
  cancel(jobId: string): Promise<JobStatus | undefined>;
  standing(jobId: string): Promise<StepProgress | undefined>;
  /** Steps that left a trace, in the order in which they were begun. */
  trace(jobId: string): Promise<TracedStep[]>;
  /** The turn is over; `isClosed` when everybody who keeps a record of the job knows its end. */
  leave(jobId: string, turnId: string, options: { isClosed: boolean }): Promise<void>;
}
