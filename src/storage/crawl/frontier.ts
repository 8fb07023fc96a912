import {
  endFrontier,
  newFrontier,
  settle,
  type Candidate,
  type Forgetting,
  type FrontierConfig,
  type FrontierState,
} from "../../core/crawl/frontier.ts";
import { combineCounts, NO_COUNTS, type MeterCounts } from "../../core/account/meter.ts";
import type { ComparedPages, Completion, RetryOutcome } from "../../ports/crawl/frontier.ts";
import type { Sql } from "../../ports/storage/sql.ts";
import { addCandidates, addFiltered, makeRoom, readPackedSet, type Adding } from "./frontier-add.ts";
import { claim, Presence, reap, renew, type Claim, type HeldLeases } from "./frontier-claim.ts";
import { completeItems, noteSitemaps } from "./frontier-complete.ts";
import { addCosts } from "./frontier-costs.ts";
import { endComparison, endSeed, Leases } from "./frontier-leases.ts";
import { progressOf } from "./frontier-read.ts";
import { readOutlook, type Outlook, type Pause } from "./frontier-outlook.ts";
import { retryable, retryFailed, retryRefusal, runningAgain } from "./frontier-retry.ts";
import { createTables, readState, writeState } from "./frontier-tables.ts";
import { addCompared } from "./frontier-tombstones.ts";
import { urlsOf } from "./frontier-urls.ts";
import type { PackedSet } from "./packed-set.ts";
import { post } from "../webhooks/outbox.ts";

/** Number of append ids stored per batch: a repeat comes soon, if at all. */
const MAX_REMEMBERED_APPENDS = 100;

interface ClaimOptions {
  held?: HeldLeases | undefined;
  unreported?: number;
  ahead?: number;
  /** True when no URLs are wanted that were leased before. */
  isQueueOnly?: boolean;
}

/** Data of a transaction: the state and the leases are read once and written once. */
interface Open {
  state: FrontierState;
  leases: Leases;
}

/**
 * The frontier of one job: its known URLs, their leases and results. Every method is one transaction and takes the time
 * as an argument; between two calls all state is in the database, except for a set that is derived from it.
 */
export class Frontier {
  readonly sql: Sql;
  #packed: PackedSet | undefined;
  /** The transaction that runs; undefined between calls. */
  #open: Open | undefined;
  #lostLeases = 0;
  readonly #presence = new Presence();

  constructor(sql: Sql) {
    this.sql = sql;
    createTables(sql);
    urlsOf(sql).forget();
  }

  state(): FrontierState | undefined {
    return this.#open?.state ?? readState(this.sql);
  }

  /** Runs the calls of `work` as one transaction. Without a job, `work` does not run. */
  together(nowMs: number, work: () => void): void {
    this.#change(nowMs, undefined, work);
  }

  /**
   * Starts the job; a repeated call has no effect.
   * @param template content that the site's pages share, when an earlier job has found it.
   * @returns true when the job is new.
   */
  start(config: FrontierConfig, seeds: readonly Candidate[], nowMs: number, template?: string): boolean {
    return this.sql.transaction(() => {
      if (readState(this.sql) !== undefined) return false;
      // An earlier call may have been rolled back with the caller's transaction.
      this.#packed = undefined;
      urlsOf(this.sql).forget();
      const state = newFrontier(config, nowMs);
      post({ sql: this.sql, state, nowMs }, "started");
      addCandidates(this.#adding(state), seeds);
      if (template !== undefined) storeTemplate(this.sql, template);
      this.#keep({ state, leases: new Leases(this.sql) }, { status: "scraping", text: "" }, nowMs);
      return true;
    });
  }

  /** Records that the job has its slot and may run. */
  noteSlot(nowMs: number): void {
    this.#change(nowMs, undefined, (state) => {
      state.isStarting = false;
    });
  }

  /**
   * Prepares an addition, as `prepareRetry` does a retry.
   * @returns `ready` when the batch may take its slot, `appended` for a repeated request.
   */
  prepareAppend(appendId: string, nowMs: number): "ready" | "appended" | "ended" {
    return this.#change<"ready" | "appended" | "ended">(nowMs, "ended", (state) => {
      if (state.appended?.includes(appendId) === true) return "appended";
      if (!takesUrls(state)) return "ended";
      if (state.status === "completed") state.closed = false;
      return "ready";
    });
  }

  /** Adds URLs to a batch; one that has ended runs again. @returns false when it was cancelled or does not exist. */
  append({ seeds, appendId }: { seeds: readonly Candidate[]; appendId: string }, nowMs: number): boolean {
    return this.#change(nowMs, false, (state) => {
      if (!takesUrls(state)) return false;
      if (state.appended?.includes(appendId) === true) return true;
      state.appended = [...(state.appended ?? []), appendId].slice(-MAX_REMEMBERED_APPENDS);
      if (state.status === "completed") Object.assign(state, runningAgain(nowMs));
      addCandidates(this.#adding(state), seeds);
      return true;
    });
  }

  /**
   * Prepares a retry: marks the end of the job as not recorded, so that after a crash the job ends once more and releases
   * what the retry has taken. A repeated request returns the numbers of the first one.
   * @returns `ready` when the job may take its slot.
   */
  prepareRetry(id: string, nowMs: number): RetryOutcome | { kind: "ready" } | undefined {
    return this.#change<RetryOutcome | { kind: "ready" } | undefined>(nowMs, undefined, (state) => {
      const done = state.retries?.find((retry) => retry.id === id);
      if (done !== undefined) return { kind: "retried", retried: done.retried, failed: done.failed };
      const refusal = retryRefusal(state);
      if (refusal !== undefined) return { kind: refusal };
      const retried = retryable(state);
      if (retried === 0) return { kind: "retried", retried, failed: state.counters.failed };
      state.closed = false;
      return { kind: "ready" };
    });
  }

  /** Runs the job again with the failed URLs that fit under its limit. @returns the numbers of the retry. */
  retry(id: string, nowMs: number): RetryOutcome | undefined {
    return this.#change<RetryOutcome | undefined>(nowMs, undefined, (state) => {
      const refusal = retryRefusal(state);
      if (refusal !== undefined) return { kind: refusal };
      const numbers = { retried: retryable(state), failed: state.counters.failed };
      state.retries = [...(state.retries ?? []), { id, ...numbers }].slice(-MAX_REMEMBERED_APPENDS);
      retryFailed(this.sql, state, { count: numbers.retried, nowMs });
      return { kind: "retried", ...numbers };
    });
  }

  claim(
    capacity: number,
    nowMs: number,
    { held, unreported = 0, ahead = 0, isQueueOnly = false }: ClaimOptions = {},
  ): Claim | undefined {
    return this.#change<Claim | undefined>(nowMs, undefined, (state, leases) => {
      const claiming = { sql: this.sql, state, leases, nowMs };
      this.#lostLeases += reap(claiming, this.#presence);
      const makeMore = (count: number): boolean => makeRoom(this.#adding(state), count);
      return claim(claiming, {
        capacity,
        ahead,
        unreported,
        isQueueOnly,
        makeRoom: makeMore,
        ...(held === undefined ? {} : { held }),
      });
    });
  }

  renew(leaseIds: readonly number[], nowMs: number): void {
    this.#change(nowMs, undefined, (state, leases) => renew({ sql: this.sql, state, leases, nowMs }, leaseIds));
  }

  /**
   * Stores results and discovered URLs. After the job's end, only results of pages that were being scraped then count.
   * @param ownCosts costs of the job's object
   */
  complete(completion: Completion, nowMs: number, ownCosts: MeterCounts = NO_COUNTS): void {
    this.#change(nowMs, undefined, (state, leases) => {
      if (state.status !== "scraping" && state.counters.leased === 0) return;
      addCosts(state, completion, ownCosts);
      const adding = this.#adding(state);
      if (state.status === "scraping") {
        addCandidates(adding, completion.candidates);
        addFiltered(adding, completion.filtered);
      }
      completeItems({ ...adding, leases, nowMs }, completion.results, completion.object);
      for (const [host, { delayMs }] of Object.entries(completion.hosts)) {
        this.sql.rows("INSERT OR REPLACE INTO hosts (host, delay_ms) VALUES (?, ?)", host, delayMs);
      }
      if (completion.template !== undefined) storeTemplate(this.sql, completion.template);
      noteSitemaps(state, completion);
      if (completion.seedLease !== undefined) endSeed({ state, leases }, completion.seedLease);
      if (completion.compared !== undefined) this.#compare(state, leases, { compared: completion.compared, nowMs });
    });
  }

  #compare(
    state: FrontierState,
    leases: Leases,
    { compared, nowMs }: { compared: ComparedPages; nowMs: number },
  ): void {
    for (const { url, scrapeId, chunks, reason } of addCompared(this.sql, state, compared)) {
      const metadata = {
        sourceURL: url,
        scrapeId,
        changeStatus: "removed",
        removalReason: reason,
        removedChunks: chunks,
      };
      post({ sql: this.sql, state, nowMs }, "page.removed", { metadata });
    }
    if (compared.lease !== undefined) endComparison({ state, leases }, compared.lease);
  }

  /** Keeps the job's versions for a later crawl until a time. @returns false when the job does not exist. */
  hold(untilMs: number, nowMs: number): boolean {
    return this.#change(nowMs, false, (state) => {
      state.heldUntilMs = Math.max(untilMs, state.heldUntilMs ?? 0);
      return true;
    });
  }

  /** Stops the job when its credits are used up: leases no more pages; the job ends with the running ones. */
  stop(nowMs: number): void {
    this.#change(nowMs, undefined, (state) => {
      if (state.status === "scraping") state.isStopping = true;
    });
  }

  /** Stores the number of credits that were charged for the job. */
  noteCharged(credits: number, nowMs: number): void {
    this.#change(nowMs, undefined, (state) => {
      state.charged = credits;
    });
  }

  /** Returns the number of leases that were revoked since the last call. */
  takeLostLeases(): number {
    const lost = this.#lostLeases;
    this.#lostLeases = 0;
    return lost;
  }

  reap(nowMs: number): void {
    this.#change(nowMs, undefined, (state, leases) => {
      this.#lostLeases += reap({ sql: this.sql, state, leases, nowMs }, this.#presence);
    });
  }

  /** Cancels the job, or fails it with an error. @returns its status before the call. */
  cancel(nowMs: number, error?: string): FrontierState["status"] | undefined {
    return this.#change<FrontierState["status"] | undefined>(nowMs, undefined, (state) => {
      const before = state.status;
      if (before === "scraping")
        endFrontier(
          state,
          { rest: "cancelled", ...(error === undefined ? { status: "cancelled" } : { status: "failed", error }) },
          nowMs,
        );
      return before;
    });
  }

  /** Ends a job that could not begin. */
  fail(error: string, nowMs: number): void {
    this.#change(nowMs, undefined, (state) => {
      if (state.status === "scraping") endFrontier(state, { status: "failed", rest: "cancelled", error }, nowMs);
    });
  }

  /** Makes the costs of an ended job final. @returns true when they are final. */
  settle(costs: MeterCounts, nowMs: number): boolean {
    return this.#change(nowMs, false, (state) => {
      if (state.status === "scraping" || state.counters.leased > 0) return false;
      if (state.settled !== true) state.costs = combineCounts(state.costs ?? NO_COUNTS, costs);
      state.settled = true;
      return true;
    });
  }

  /** Closes the job: its end has been recorded everywhere. */
  close(nowMs: number, forgetting?: Forgetting): void {
    this.#change(nowMs, undefined, (state) => {
      if (state.status === "scraping") return;
      Object.assign(state, { closed: true, forgetting });
      // The status of the job does not need what is in memory of its URLs. What does need it reads it again.
      this.#packed = undefined;
      urlsOf(this.sql).forget();
    });
  }

  /** Stores when the job's object is to ask for its deletion. */
  forgetLater(forgetting: Forgetting, nowMs: number): void {
    this.#change(nowMs, undefined, (state) => {
      state.forgetting = forgetting;
    });
  }

  /**
   * Notes that documents were handed over.
   * @returns true when every document that the job will ever have was, from the first one on and without a gap
   */
  noteRead({ from, to }: { from: number; to: number }, nowMs: number): boolean {
    return this.#change(nowMs, false, (state) => {
      const { read = 0 } = state;
      if (from <= read && to > read) state.read = to;
      const { status, inFlight, documents } = progressOf(state);
      return status !== "scraping" && inFlight === 0 && (state.read ?? 0) >= documents;
    });
  }

  /** Returns the content that the site's pages share, once enough of them were scraped. */
  template(): string | undefined {
    return this.sql.rows<{ text: string }>("SELECT text FROM site_template")[0]?.text;
  }

  /** Returns the delays that hosts request, in ms. */
  delays(hosts: readonly string[]): Map<string, number> {
    const rows = this.sql.rows<{ host: string; delay_ms: number }>(
      "SELECT host, delay_ms FROM hosts WHERE host IN (SELECT value FROM json_each(?))",
      JSON.stringify(hosts),
    );
    return new Map(rows.map(({ host, delay_ms }) => [host, delay_ms]));
  }

  /** Reports whether URLs wait that could be leased if fewer pages were being scraped. */
  hasMore(nowMs: number): boolean {
    return this.outlook(nowMs, Infinity).claimable > 0;
  }

  /**
   * Returns the number of URLs that can be leased now, and when more can be or an event is due (Unix time in ms).
   * @param unreported leased URLs that are not being scraped
   */
  outlook(nowMs: number, unreported = 0, pause?: Pause): Outlook {
    return readOutlook(this.sql, { nowMs, unreported, pause });
  }

  #adding(state: FrontierState): Adding {
    this.#packed ??= readPackedSet(this.sql, state);
    return { sql: this.sql, state, packed: this.#packed };
  }

  /**
   * Runs one transition: reads the state, changes it, ends the job if it is done, writes. Within another transition it is
   * a part of that one. No-op without a job.
   */
  #change<Result>(nowMs: number, otherwise: Result, work: (state: FrontierState, leases: Leases) => Result): Result {
    if (this.#open !== undefined) {
      const result = work(this.#open.state, this.#open.leases);
      settle(this.#open.state, nowMs);
      return result;
    }
    try {
      return this.sql.transaction(() => {
        const state = readState(this.sql);
        if (state === undefined) return otherwise;
        const before = { status: state.status, text: JSON.stringify(state) };
        this.#open = { state, leases: new Leases(this.sql) };
        const result = work(state, this.#open.leases);
        this.#keep(this.#open, before, nowMs);
        return result;
      });
    } catch (error) {
      this.#packed = undefined;
      urlsOf(this.sql).forget();
      throw error;
    } finally {
      this.#open = undefined;
    }
  }

  #keep({ state, leases }: Open, before: { status: FrontierState["status"]; text: string }, nowMs: number): void {
    settle(state, nowMs);
    if (state.status !== "scraping" && before.status === "scraping") {
      leases.deleteEmpty();
      this.sql.rows("DELETE FROM retries");
      if (state.status === "completed") post({ sql: this.sql, state, nowMs }, "completed");
    }
    const changedLeases = leases.write();
    if (changedLeases !== undefined || JSON.stringify(state) !== before.text) {
      writeState(this.sql, state, changedLeases);
    }
  }
}

/** Reports whether a batch takes more URLs: not one that was cancelled, failed or ran out of credits. */
function takesUrls({ status, isStopping }: FrontierState): boolean {
  return status !== "cancelled" && status !== "failed" && !isStopping;
}

function storeTemplate(sql: Sql, template: string): void {
  sql.rows("INSERT OR IGNORE INTO site_template (one, text) VALUES (1, ?)", template);
}
