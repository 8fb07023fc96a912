import { AppError, isAppError, type ErrorCode } from "../core/errors.ts";
import type { JobEvent, JobStatus } from "../core/frontier.ts";
import { dayKey } from "../core/day-key.ts";
import { sha256Hex } from "../core/hash.ts";
import type { StepSpecification, Tried } from "../jobs/step-kind.ts";
import type { StepEnd, StepNote } from "../core/step-trace.ts";
import type { StepResult, StepStart } from "../ports/step-jobs.ts";
import type { Deps } from "./deps.ts";

/** Longer results of steps are kept as objects; a row holds 2 MB. */
const MAX_ROW_CHARS = 200_000;
/** A turn hands over to the next one when it has lasted so long, so that no invocation runs into its limits. */
const TURN_MS = 240_000;

/** Thrown through a kind when this turn is not to go on: the job has ended, or the next turn takes over. */
export class TurnOver extends Error {
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

interface StepOptions {
  /** Set aside before the step begins. */
  credits?: number;
  /**
   * Of those, what the work itself brings to what it cost, with the key's gate. The rest is given back when it is done;
   * without this the step settles everything.
   */
  settledByWork?: number;
  /** What the step uses, for the job's trace. */
  note?: StepNote | undefined;
}

/** Steps of one job, done once each, paid from the key and from the job's own budget. */
export class StepTurn {
  readonly specification: StepSpecification;
  readonly turnId: string;
  readonly deps: Deps;
  /** Aborted when the job has ended: whatever is under way may stop. */
  readonly ended = new AbortController();
  readonly #startedAtMs: number;
  #progress: string | undefined;

  constructor(deps: Deps, { specification, turnId }: { specification: StepSpecification; turnId: string }) {
    this.deps = deps;
    this.specification = specification;
    this.turnId = turnId;
    this.#startedAtMs = deps.clock.now();
  }

  /**
   * Does a step, or reads what came of it when it was done before.
   * @throws TurnOver; AppError INSUFFICIENT_CREDITS when the key or the job's budget has too few credits left.
   */
  async step<Value>(key: string, work: () => Promise<EndedStep<Value>>, options: StepOptions = {}): Promise<Value> {
    const { credits = 0, settledByWork, note } = options;
    if (this.deps.clock.now() - this.#startedAtMs > TURN_MS) throw new TurnOver("scraping");
    const start = await this.deps.stepJobs.begin(this.specification.id, this.turnId, { key, credits, note });
    if (start.kind === "done") return await this.#read<Value>(start.result);
    let charged = await this.#holdFor(start, { key, credits });
    try {
      const outcome = await work();
      const owed = settledByWork ?? outcome.credits;
      if (await this.#charge(owed - charged)) charged = owed;
      await this.#finish(key, outcome);
      return outcome.value;
    } catch (error) {
      // What was set aside is given back; the step may be tried again by another turn.
      if (!(error instanceof TurnOver)) {
        await this.#charge((settledByWork ?? 0) - charged);
        await this.deps.stepJobs.drop(this.specification.id, key);
      }
      throw error;
    }
  }

  /** Something that may fail without ending the job: the failure is a result, and is not tried again. */
  async tried<Value>(
    key: string,
    work: () => Promise<StepOutcome<Value>>,
    options: StepOptions = {},
  ): Promise<Tried<Value>> {
    try {
      return await this.step<Tried<Value>>(
        key,
        async () => {
          try {
            const { value, ...spent } = await work();
            return { value: { kind: "done", value }, ...spent };
          } catch (error) {
            if (this.ended.signal.aborted) throw new TurnOver("cancelled");
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
    if (status !== "scraping") this.ended.abort(new TurnOver(status));
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

  /** @returns the credits that are set aside for the step. */
  async #holdFor(
    start: Exclude<StepStart, { kind: "done" }>,
    { key, credits }: { key: string; credits: number },
  ): Promise<number> {
    if (start.kind === "stopped") throw new TurnOver(start.status);
    if (start.kind === "over_budget") {
      throw new AppError(
        "INSUFFICIENT_CREDITS",
        `The job's budget is used up: this step costs ${credits} credits, and ${start.creditsLeft} are left`,
      );
    }
    if (!start.isNew || (await this.#charge(credits))) return start.credits;
    const refusal = failed(
      "INSUFFICIENT_CREDITS",
      `The key has fewer than the ${credits} credits left that this step costs`,
    );
    await this.deps.stepJobs.drop(this.specification.id, key, refusal);
    throw new AppError(refusal.code, refusal.message);
  }

  async #charge(credits: number): Promise<boolean> {
    if (credits === 0) return true;
    const { key } = this.specification;
    const monthlyCredits = key.monthlyCredits ?? this.deps.settings.creditsPerMonth;
    const chargedAtMs = this.#startedAtMs;
    return await this.deps.keyGate.adjustCredits(key.id, { credits, monthlyCredits, chargedAtMs });
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
