import { AppError } from "../../core/errors.ts";
import type { Asked } from "../../search/ask.ts";
import type { FailureReason } from "../../search/provider.ts";
import type { Deps } from "../deps.ts";

/** Result of the requests to one source. */
export interface SourceAttempt {
  provider: string;
  outcome: "answered" | "skipped" | FailureReason;
  message?: string;
}

export type SourceDeps = Pick<Deps, "providerPauses" | "clock" | "defer">;

/** Timeout of one request to a source. */
const SOURCE_TIMEOUT_MS = 10_000;

/**
 * Requests to several sources for one response: their time limit, the pauses that they ask for, and a record of those
 * that failed.
 */
export class SourceRound {
  readonly #attempts: SourceAttempt[] = [];
  readonly #deps: SourceDeps;
  readonly #paused: ReadonlyMap<string, number>;
  readonly #deadlineMs: number;

  private constructor(deps: SourceDeps, paused: ReadonlyMap<string, number>, deadlineMs: number) {
    this.#deps = deps;
    this.#paused = paused;
    this.#deadlineMs = deadlineMs;
  }

  /** @param timeoutMs Time limit of the whole round. */
  static async open(deps: SourceDeps, timeoutMs: number): Promise<SourceRound> {
    const nowMs = deps.clock.now();
    const paused = await deps.providerPauses.list(nowMs).catch(() => new Map<string, number>());
    return new SourceRound(deps, paused, nowMs + timeoutMs);
  }

  /**
   * Requests something of a source.
   * @returns undefined when it failed, is paused, or the round's time is over.
   */
  async ask<Value>(provider: string, work: (deadlineMs: number) => Promise<Asked<Value>>): Promise<Value | undefined> {
    const { clock, defer, providerPauses } = this.#deps;
    const nowMs = clock.now();
    const pausedUntilMs = this.#paused.get(provider) ?? 0;
    if (pausedUntilMs > nowMs) {
      const seconds = Math.ceil((pausedUntilMs - nowMs) / 1000);
      this.#attempts.push({
        provider,
        outcome: "skipped",
        message: `It is rate-limited for another ${seconds} s`,
      });
      return undefined;
    }
    if (nowMs >= this.#deadlineMs) {
      this.#attempts.push({ provider, outcome: "timed_out", message: "There was no time left for it" });
      return undefined;
    }
    const asked = await work(Math.min(this.#deadlineMs, nowMs + SOURCE_TIMEOUT_MS));
    if (asked.kind === "answered") {
      this.#attempts.push({ provider, outcome: "answered" });
      return asked.value;
    }
    const { reason, message, retryAfterMs } = asked;
    this.#attempts.push({ provider, outcome: reason, message });
    if (retryAfterMs !== undefined) defer(providerPauses.set(provider, clock.now() + retryAfterMs));
    return undefined;
  }

  /** Reports whether a source outside this deployment has answered, or no other was requested. */
  get isAnswered(): boolean {
    const outside = this.#attempts.filter(({ provider }) => provider !== "own-index");
    const attempts = outside.length > 0 ? outside : this.#attempts;
    return attempts.some(({ outcome }) => outcome === "answered");
  }

  /** Returns the warning about the sources that failed; undefined when none did. */
  gaps(): string | undefined {
    const failed = this.#failed();
    return failed.length === 0 ? undefined : `Not all sources answered (${said(failed)}).`;
  }

  /** Returns the error of a round in which no source answered. */
  failure(): AppError {
    const details = this.#attempts.map(({ provider, outcome, message }) => ({
      provider,
      outcome,
      ...(message === undefined ? {} : { message }),
    }));
    const failed = this.#failed();
    const why = failed.length === 0 ? "none that is set up searches for this" : said(failed);
    return new AppError("SEARCH_FAILED", `No source answered: ${why}`, { details });
  }

  #failed(): SourceAttempt[] {
    const failed = this.#attempts.filter(({ outcome }) => outcome !== "answered");
    return failed.filter(
      ({ provider, message }, index) =>
        failed.findIndex((other) => other.provider === provider && other.message === message) === index,
    );
  }
}

function said(attempts: readonly SourceAttempt[]): string {
  return attempts.map(({ provider, outcome, message }) => `${provider}: ${message ?? outcome}`).join("; ");
}
