import { z } from "zod";
import { readStored } from "../../core/stored-state.ts";
import { AppError, isAppError, type ErrorCode } from "../../core/errors.ts";
import type { JobEvent, JobStatus } from "../../core/crawl/frontier.ts";
import { dayKey } from "../../core/account/day-key.ts";
import { sha256Hex } from "../../core/text/hash.ts";
import { utf8Length } from "../../core/text/utf8.ts";
import type { AgentPartial } from "../../jobs/agent/outcome.ts";
import type { StepSpecification, Tried } from "../../jobs/step-kind.ts";
import type { StepEnd, StepNote } from "../../core/jobs/step-trace.ts";
import type { NewStep, StepResult, StepStart, StepTotals } from "../../ports/step-jobs.ts";
import { chargeStepJob } from "./charge-step-job.ts";
import type { Deps, CreditSource } from "../deps.ts";

/** Longer results of steps are stored as objects; a row holds 2 MB. */
const MAX_ROW_CHARS = 200_000;
const MAX_PROGRESS_CHARS = 500_000;
/** Bytes of the specification and the progress, which are in one row of 2 MB with the other state of the job. */
const MAX_STATE_BYTES = 1_900_000;
/** Duration after which a run hands over to the next, so that no invocation reaches its limits. */
const RUN_MS = 240_000;

/** Thrown through a kind when this run must not continue: the job has ended, or the next run takes over. */
export class RunEnded extends Error {
  readonly status: JobStatus;

  constructor(status: JobStatus) {
    super(`The run has ended: ${status}`);
    this.status = status;
  }
}

/** Thrown through a kind when an object of the service did not answer: the next run continues, as after a crash. */
export class RunInterrupted extends Error {
  constructor(cause: unknown) {
    super(`The run was interrupted: ${String(cause)}`, { cause });
  }
}

/**
 * Waits for a call of an object of the service. Its failure must not end the job.
 * @throws RunInterrupted when the object does not answer.
 */
export async function fromService<Result>(call: Promise<Result>): Promise<Result> {
  try {
    return await call;
  } catch (error) {
    if (isAppError(error) && error.code === "SERVICE_UNAVAILABLE") throw new RunInterrupted(error);
    throw error;
  }
}

/** Result of a step, and its total cost. */
export interface StepOutcome<Value> {
  value: Value;
  credits: number;
  /** Facts for the job's trace: counts, URLs, states. */
  facts?: Record<string, unknown>;
}

interface EndedStep<Value> extends StepOutcome<Value> {
  end?: StepEnd;
}

/** Does the work of a step; costs beyond the step's reservation are taken from the credit source. */
type StepWork<Outcome> = (creditSource: CreditSource) => Promise<Outcome>;

interface StepOptions<Value> {
  /** Parses the result that an earlier run, maybe of an older version, has stored. */
  result: z.ZodType<Value>;
  /** Credits that are reserved before the step begins. */
  credits?: number;
  /** Part of these credits that the credit source uses first. */
  spare?: number;
  /** Tool and input of the step, for the job's trace. */
  note?: StepNote | undefined;
}

/** Tries of a step for which the service is too busy, and the pause after the first one. */
const BUSY_TRIES = 3;
const BUSY_WAIT_MS = 2_000;

/** Runs the steps of one job, each once, charged to the key and to the job's own budget. */
export class StepRun {
  readonly specification: StepSpecification;
  readonly runId: string;
  readonly deps: Deps;
  /** Aborted when the job has ended: work in progress may stop. */
  readonly ended = new AbortController();
  readonly #startedAtMs: number;
  readonly #atEnd: (() => void)[] = [];
  #progress: string | undefined;
  #specificationBytes: number | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(deps: Deps, { specification, runId }: { specification: StepSpecification; runId: string }) {
    this.deps = deps;
    this.specification = specification;
    this.runId = runId;
    this.#startedAtMs = deps.clock.now();
  }

  /**
   * Does a step, or reads its result when it was done before.
   * @throws RunEnded; AppError INSUFFICIENT_CREDITS when the key or the job's budget has too few credits left.
   */
  async step<Value>(key: string, work: StepWork<EndedStep<Value>>, options: StepOptions<Value>): Promise<Value> {
    const { credits = 0, note } = options;
    if (this.deps.clock.now() - this.#startedAtMs > RUN_MS) throw new RunEnded("scraping");
    const start = await fromService(this.#inOrder(() => this.#begin({ key, credits, note })));
    if (start.kind === "done") return await this.#read(start.result, options.result);
    try {
      const creditSource = this.#creditSourceOf(key, options.spare ?? 0);
      const outcome = await work(creditSource);
      await fromService(this.#finish(key, outcome));
      // The reservation equals the cost: the total that the key has paid is unchanged.
      if (outcome.credits !== start.credits + creditSource.raised())
        await fromService(this.#inOrder(() => this.#charge()));
      return outcome.value;
    } catch (error) {
      // The reservation is released; another run may try the step again.
      if (!(error instanceof RunEnded)) {
        await fromService(this.deps.stepJobs.drop(this.specification.id, this.runId, key));
        if (credits > 0) await fromService(this.#inOrder(() => this.#charge()));
      }
      throw error;
    }
  }

  /** Does a step that may fail without ending the job: the failure is stored as its result, and not retried. */
  async tried<Value>(
    key: string,
    work: StepWork<StepOutcome<Value>>,
    options: StepOptions<Value>,
  ): Promise<Tried<Value>> {
    try {
      return await this.step<Tried<Value>>(
        key,
        async (creditSource) => {
          try {
            const { value, ...spent } = await this.#retryWhenBusy(() => work(creditSource));
            return { value: { kind: "done", value }, ...spent };
          } catch (error) {
            if (this.ended.signal.aborted) throw new RunEnded("cancelled");
            if (!isAppError(error)) throw error;
            const failure = failed(error.code, error.message);
            return { value: failure, credits: 0, end: failure };
          }
        },
        { ...options, result: triedSchema(options.result) },
      );
    } catch (error) {
      if (isAppError(error) && error.code === "INSUFFICIENT_CREDITS") return failed(error.code, error.message);
      throw error;
    }
  }

  /** Repeats work for which the service was too busy; after some tries that is its failure. */
  async #retryWhenBusy<Value>(work: () => Promise<Value>): Promise<Value> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        const isBusy = isAppError(error) && error.code === "SERVICE_UNAVAILABLE";
        if (!isBusy || attempt >= BUSY_TRIES || this.ended.signal.aborted) throw error;
        await this.deps.sleep(BUSY_WAIT_MS * attempt);
      }
    }
  }

  /** Adds what is called when the kind has ended, or this run of it. */
  atEnd(release: () => void): void {
    this.#atEnd.push(release);
  }

  /** Call when the kind has ended. */
  release(): void {
    for (const release of this.#atEnd.splice(0)) release();
  }

  /** Sets the progress that the next report sends. Of one that is too long, the data found so far are left out. */
  show(progress: unknown): void {
    const text = JSON.stringify(progress);
    const { partial: _, partialSchemaValid: __, ...rest } = progress as AgentPartial;
    const shown = this.#fits(text) ? text : JSON.stringify(rest);
    if (this.#fits(shown)) this.#progress = shown;
  }

  #fits(progress: string): boolean {
    if (progress.length > MAX_PROGRESS_CHARS) return false;
    this.#specificationBytes ??= utf8Length(JSON.stringify(this.specification));
    // The row has it as a string of the state's JSON.
    return this.#specificationBytes + utf8Length(JSON.stringify(progress)) <= MAX_STATE_BYTES;
  }

  async tell(event: JobEvent, data: unknown): Promise<void> {
    await fromService(this.deps.stepJobs.tell(this.specification.id, event, { data }));
  }

  /** Sends a heartbeat, with the usage since the last one. */
  async report(): Promise<JobStatus> {
    const progress = this.#progress;
    const costs = this.deps.meter.take();
    const report = { costs, ...(progress === undefined ? {} : { progress }) };
    const status = await this.deps.stepJobs
      .report(this.specification.id, this.runId, report)
      .catch((error: unknown) => {
        this.deps.meter.putBack(costs);
        throw error;
      });
    if (status !== "scraping") this.ended.abort(new RunEnded(status));
    return status;
  }

  /** Stores a text: in the job's record when it is short, otherwise or with `asObject` as an object. */
  async keep(key: string, text: string, { asObject = false } = {}): Promise<StepResult> {
    if (!asObject && text.length <= MAX_ROW_CHARS) return { text };
    const { id, createdAtMs } = this.specification;
    const object = `results/${dayKey(createdAtMs)}/${id}/${(await sha256Hex(key)).slice(0, 24)}`;
    await this.deps.blobs.put(object, text, { contentType: "application/json" });
    return { object };
  }

  /** Waits for the charges that have begun. */
  async charged(): Promise<void> {
    await this.#last;
  }

  /** Serializes calls: each total that the credit ledger receives is the newest. */
  #inOrder<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work, work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Records that a step has begun, and charges its reservation to the key. */
  async #begin(step: NewStep): Promise<Extract<StepStart, { kind: "done" | "begun" }>> {
    const { key, credits } = step;
    const start = await this.deps.stepJobs.begin(this.specification.id, this.runId, step);
    if (start.kind === "stopped") throw new RunEnded(start.status);
    if (start.kind === "over_budget") {
      throw new AppError(
        "INSUFFICIENT_CREDITS",
        `The job's budget is used up: this step costs ${credits} credits, and ${start.creditsLeft} are left`,
      );
    }
    if (start.kind === "done" || start.credits === 0 || (await this.#charge(start.totals))) return start;
    const words = `The key has fewer than the ${credits} credits left that this step costs`;
    const refusal = failed("INSUFFICIENT_CREDITS", words);
    await this.deps.stepJobs.drop(this.specification.id, this.runId, key, refusal);
    await this.#charge();
    throw new AppError(refusal.code, refusal.message);
  }

  #creditSourceOf(key: string, spare: number): CreditSource & { raised(): number } {
    let left = spare;
    let raised = 0;
    const take = async (credits: number): Promise<boolean> => {
      const more = Math.max(0, credits - left);
      if (more > 0 && !(await fromService(this.#inOrder(() => this.#raise(key, more))))) return false;
      left -= credits - more;
      raised += more;
      return true;
    };
    return { kind: "job", take, raised: () => raised };
  }

  async #raise(key: string, credits: number): Promise<boolean> {
    const { id } = this.specification;
    if (!(await this.deps.stepJobs.raise(id, key, credits))) return false;
    if (await this.#charge()) return true;
    await this.deps.stepJobs.raise(id, key, -credits);
    await this.#charge();
    return false;
  }

  /** @returns false when the key has fewer credits left than the job has reserved. */
  async #charge(totals?: StepTotals): Promise<boolean> {
    return await chargeStepJob(this.deps, this.specification, totals);
  }

  async #finish(key: string, { value, credits, facts = {}, end }: EndedStep<unknown>): Promise<void> {
    const result = await this.keep(key, JSON.stringify(value ?? null));
    await this.deps.stepJobs.finish(this.specification.id, this.runId, {
      key,
      credits,
      result,
      end: end ?? { kind: "done", facts },
    });
  }

  /** Reads the result of a step. Only `step` writes it, from a value of this type. */
  async #read<Value>(result: StepResult, schema: z.ZodType<Value>): Promise<Value> {
    const text = "text" in result ? result.text : await this.deps.blobs.text(result.object);
    if (text === undefined) throw new Error("The result of a step is gone");
    return readStored(schema, text, "result of a step");
  }
}

function triedSchema<Value>(value: z.ZodType<Value>): z.ZodType<Tried<Value>> {
  const done = z.object({ kind: z.literal("done"), value });
  // A code of another version is passed on as it is.
  const code = z.custom<ErrorCode>((name) => typeof name === "string");
  const failure = z.object({ kind: z.literal("failed"), code, message: z.string() });
  return z.union([done, failure]) as z.ZodType<Tried<Value>>;
}

function failed(code: ErrorCode, message: string): { kind: "failed"; code: ErrorCode; message: string } {
  return { kind: "failed", code, message };
}
