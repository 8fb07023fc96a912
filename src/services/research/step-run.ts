import { AppError, isAppError, type ErrorCode } from "../../core/errors.ts";
import type { JobEvent, JobStatus } from "../../core/crawl/frontier.ts";
import { dayKey } from "../../core/account/day-key.ts";
import { sha256Hex } from "../../core/text/hash.ts";
import type { StepSpecification, Tried } from "../../jobs/step-kind.ts";
import type { StepEnd, StepNote } from "../../core/jobs/step-trace.ts";
import type { NewStep, StepResult, StepStart, StepTotals } from "../../ports/step-jobs.ts";
import { chargeStepJob } from "./charge-step-job.ts";
import type { Deps, Purse } from "../deps.ts";

/** Longer results of steps are kept as objects; a row holds 2 MB. */
const MAX_ROW_CHARS = 200_000;
/** A turn hands over to the next one when it has lasted so long, so that no invocation runs into its limits. */
const TURN_MS = 240_000;

/** Thrown through a kind when this turn is not to go on: the job has ended, or the next turn takes over. */
export class RunEnded extends Error {
  readonly status: JobStatus;

  constructor(status: JobStatus) {
    super(`The turn is over: ${status}`);
    this.status = status;
  }
}

/** What a step came to, and what it cost in all. */
export interface StepOutcome<Value> {
  value: Value;
  credits: number;
  /** What the job's trace tells of it: counts, addresses, states. */
  facts?: Record<string, unknown>;
}

interface EndedStep<Value> extends StepOutcome<Value> {
  end?: StepEnd;
}

/** Does the work of a step; what it costs beyond what was set aside for it comes from the purse. */
type StepWork<Outcome> = (purse: Purse) => Promise<Outcome>;

interface StepOptions {
  /** Set aside before the step begins. */
  credits?: number;
  /** Of those, what the work does not count on: what it asks its purse for comes from there first. */
  spare?: number;
  /** What the step uses, for the job's trace. */
  note?: StepNote | undefined;
}

/** Steps of one job, done once each, paid from the key and from the job's own budget. */
export class StepRun {
  readonly specification: StepSpecification;
  readonly turnId: string;
  readonly deps: Deps;
  /** Aborted when the job has ended: whatever is under way may stop. */
  readonly ended = new AbortController();
  readonly #startedAtMs: number;
  #progress: string | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(deps: Deps, { specification, turnId }: { specification: StepSpecification; turnId: string }) {
    this.deps = deps;
    this.specification = specification;
    this.turnId = turnId;
    this.#startedAtMs = deps.clock.now();
  }

  /**
   * Does a step, or reads what came of it when it was done before.
   * @throws RunEnded; AppError INSUFFICIENT_CREDITS when the key or the job's budget has too few credits left.
   */
  async step<Value>(key: string, work: StepWork<EndedStep<Value>>, options: StepOptions = {}): Promise<Value> {
    const { credits = 0, note } = options;
    if (this.deps.clock.now() - this.#startedAtMs > TURN_MS) throw new RunEnded("scraping");
    const start = await this.#inRun(() => this.#begin({ key, credits, note }));
    if (start.kind === "done") return await this.#read<Value>(start.result);
    try {
      const purse = this.#purseOf(key, options.spare ?? 0);
      const outcome = await work(purse);
      await this.#finish(key, outcome);
      // What was set aside is what was used: the sum that the key has paid stays as it is.
      if (outcome.credits !== start.credits + purse.raised()) await this.#inRun(() => this.#charge());
      return outcome.value;
    } catch (error) {
      // What was set aside is given back; the step may be tried again by another turn.
      if (!(error instanceof RunEnded)) {
        await this.deps.stepJobs.drop(this.specification.id, key);
        if (credits > 0) await this.#inRun(() => this.#charge());
      }
      throw error;
    }
  }

  /** Something that may fail without ending the job: the failure is a result, and is not tried again. */
  async tried<Value>(
    key: string,
    work: StepWork<StepOutcome<Value>>,
    options: StepOptions = {},
  ): Promise<Tried<Value>> {
    try {
      return await this.step<Tried<Value>>(
        key,
        async (purse) => {
          try {
            const { value, ...spent } = await work(purse);
            return { value: { kind: "done", value }, ...spent };
          } catch (error) {
            if (this.ended.signal.aborted) throw new RunEnded("cancelled");
            if (!isAppError(error)) throw error;
            const failure = failed(error.code, error.message);
            return { value: failure, credits: 0, end: failure };
          }
        },
        options,
      );
    } catch (error) {
      if (isAppError(error) && error.code === "INSUFFICIENT_CREDITS") return failed(error.code, error.message);
      throw error;
    }
  }

  show(progress: unknown): void {
    this.#progress = JSON.stringify(progress);
  }

  async tell(event: JobEvent, data: unknown): Promise<void> {
    await this.deps.stepJobs.tell(this.specification.id, event, { data });
  }

  /** A sign of life, with what was used since the last one. */
  async report(): Promise<JobStatus> {
    const progress = this.#progress;
    const report = { costs: this.deps.meter.take(), ...(progress === undefined ? {} : { progress }) };
    const status = await this.deps.stepJobs.report(this.specification.id, this.turnId, report);
    if (status !== "scraping") this.ended.abort(new RunEnded(status));
    return status;
  }

  /** Keeps a text: in the job's record when it is short, as an object of its own when it is not, or has to be one. */
  async keep(key: string, text: string, { asObject = false } = {}): Promise<StepResult> {
    if (!asObject && text.length <= MAX_ROW_CHARS) return { text };
    const { id, createdAtMs } = this.specification;
    const object = `results/${dayKey(createdAtMs)}/${id}/${(await sha256Hex(key)).slice(0, 24)}`;
    await this.deps.blobs.put(object, text, { contentType: "application/json" });
    return { object };
  }

  /** One after the other: each number that the credit ledger is told is the newest. */
  #inRun<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(work, work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** Writes down that a step is under way, and has the key pay what is set aside for it. */
  async #begin(step: NewStep): Promise<Extract<StepStart, { kind: "done" | "begun" }>> {
    const { key, credits } = step;
    const start = await this.deps.stepJobs.begin(this.specification.id, this.turnId, step);
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
    await this.deps.stepJobs.drop(this.specification.id, key, refusal);
    await this.#charge();
    throw new AppError(refusal.code, refusal.message);
  }

  #purseOf(key: string, spare: number): Purse & { raised(): number } {
    let left = spare;
    let raised = 0;
    const take = async (credits: number): Promise<boolean> => {
      const more = Math.max(0, credits - left);
      if (more > 0 && !(await this.#inRun(() => this.#raise(key, more)))) return false;
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

  /** @returns false when the key has fewer credits left than the job has set aside. */
  async #charge(totals?: StepTotals): Promise<boolean> {
    return await chargeStepJob(this.deps, this.specification, totals);
  }

  async #finish(key: string, { value, credits, facts = {}, end }: EndedStep<unknown>): Promise<void> {
    const result = await this.keep(key, JSON.stringify(value ?? null));
    await this.deps.stepJobs.finish(this.specification.id, this.turnId, {
      key,
      credits,
      result,
      end: end ?? { kind: "done", facts },
    });
  }

  /** Written by `step` alone, from a value of this type. */
  async #read<Value>(result: StepResult): Promise<Value> {
    const text = "text" in result ? result.text : await this.deps.blobs.text(result.object);
    if (text === undefined) throw new Error("The result of a step is gone");
    return JSON.parse(text) as Value;
  }
}

function failed(code: ErrorCode, message: string): { kind: "failed"; code: ErrorCode; message: string } {
  return { kind: "failed", code, message };
}
