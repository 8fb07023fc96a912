import { DurableObject } from "cloudflare:workers";
import { RUN_LIFE_MS, SENT_LIFE_MS } from "../../core/crawl/dispatch.ts";
import type { Forgetting, JobStatus } from "../../core/crawl/frontier.ts";
import { expiryOf, lifeOf } from "../../core/crawl/frontier-life.ts";
import { EVENT_HOLD_MS } from "../../core/webhooks/webhook-retries.ts";
import type { EarlierPage } from "../../core/crawl/page-version.ts";
import { combineCounts, Meter, type MeterCounts } from "../../core/account/meter.ts";
import type { Task } from "../../core/jobs/task.ts";
import type {
  AppendOutcome,
  Completion,
  DeliveryNote,
  DocumentPlace,
  DocumentRun,
  FailurePage,
  JobProgress,
  NewFrontier,
  OpenedFrontier,
  OutboxEntry,
  RetryOutcome,
  StartOutcome,
  UrlCursor,
  UrlLine,
  VersionQuery,
  WorkResponse,
  WorkRequest,
} from "../../ports/crawl/frontier.ts";
import type { Sql } from "../../ports/storage/sql.ts";
import { findDocument, readDocuments, readFailures, readProgress, readUrls } from "../../storage/crawl/frontier-read.ts"; // prettier-ignore
import type { Claim as HandedOut } from "../../storage/crawl/frontier-claim.ts";
import { Frontier } from "../../storage/crawl/frontier.ts";
import { readTombstones } from "../../storage/crawl/frontier-tombstones.ts";
import { readMissing, readVersions } from "../../storage/crawl/frontier-versions.ts";
import { recordedOptions } from "../../storage/jobs/recorded-options.ts";
import { nextEventMs, noteSent, replayLost, takeDueEvents } from "../../storage/webhooks/outbox.ts";
import { closeInObject, expireInObject, releaseUnread } from "./end-in-object.ts";
import { askToForget, mayForget } from "./forget-in-object.ts";
import { appendInObject, raiseInObject, retryInObject, type RestartParts } from "./restart-in-object.ts";
import { runsWanted, wakeTime } from "./wake-time.ts";
import { isPrepaid } from "./claim-prepaid.ts";
import { JobClaims } from "./job-claims.ts";
import { countRun, roomForRuns } from "./local-runs.ts";
import { OpenRuns } from "./open-runs.ts";
import { JobCharges } from "../account/job-charges.ts";
import { jobRuns } from "../jobs/job-runs.ts";
import { readableState } from "../jobs/readable-state.ts";
import { JobStart, type JobSlot } from "../jobs/job-start.ts";
import { lastingAlarm } from "../lasting-alarm.ts";
import { hasTable } from "../has-table.ts";
import { ObjectAlarm } from "../object-alarm.ts";
import { logEvent } from "../log-event.ts";
import { countLostLeases, type FrontierEnv } from "./frontier-env.ts";
import { meteredSql } from "./metered-sql.ts";
import { measuredObjects } from "../metering/metered-objects.ts";
import { meteredQueue } from "../metering/metered-queue.ts";

/** Delay after a failure of the platform, such as a worker run that could not be started. */
const RETRY_MS = 1_000;

/**
 * The frontier of one job, one object per job. It stores the URLs and sends work messages; worker runs claim URLs and
 * report the results. The first message goes straight to a Worker, so that a small job begins at once and costs no
 * queue message; further ones go through the queue, which spreads them over machines. An alarm recovers what was lost.
 * Messages are only hints and are held in memory alone: leases are authoritative.
 */
export class CrawlFrontier extends DurableObject<FrontierEnv> {
  #opened: Frontier | undefined;
  readonly #messages = new OpenRuns();
  readonly #alarm = new ObjectAlarm(this.ctx.storage);
  #rowsWritten = 0;
  #messagesSent = 0;
  /** The object's own costs that are not part of the job's costs yet. */
  readonly #own = new Meter();
  readonly #ledgers = measuredObjects(this.env.KEY_LEDGER, this.#own);
  readonly #charges = new JobCharges(this.#ledgers, {
    id: () => this.#jobId(),
    state: () => this.#frontier.state(),
  });
  readonly #claims = new JobClaims({
    frontier: () => this.#frontier,
    charges: this.#charges,
    throttles: () => measuredObjects(this.env.HOST_THROTTLE, this.#own),
    unreported: () => this.#messages.unreported,
  });
  readonly #start = new JobStart(this.#ledgers, {
    id: () => this.#jobId(),
    wantedSlot: () => this.#wantedSlot(),
    reserve: () => this.#charges.inOrder(() => this.#charges.reserveAll(0)),
    noteSlot: () => this.#frontier.noteSlot(Date.now()),
    forget: () => this.#forget(),
  });
  /** Creates the tables on first use. */
  get #frontier(): Frontier {
    return (this.#opened ??= new Frontier(this.#sql()));
  }

  /** Undefined without a job, which has expired or was deleted: the object then stays without tables. */
  get #stored(): Frontier | undefined {
    return this.#opened !== undefined || hasTable(this.ctx.storage.sql, "job") ? this.#frontier : undefined;
  }

  /**
   * Stores the job and its alarm atomically, and then takes its slot and credits; after a crash in between the alarm
   * does. A job that is refused is not stored.
   */
  async start({ config, specification, seeds, template }: NewFrontier): Promise<StartOutcome> {
    const nowMs = Date.now();
    const isNew = this.#frontier.sql.transaction(() => {
      if (!this.#frontier.start(config, seeds, nowMs, template)) return false;
      this.#keepSpecification(specification);
      return true;
    });
    if (isNew) {
      // Nothing is awaited before this call, so that the alarm is stored with the job.
      await this.#alarm.set(nowMs);
    }
    return await this.#start.finish();
  }

  async append(more: { urls: string[]; appendId: string }): Promise<AppendOutcome> {
    if (this.#stored === undefined) return "ended";
    return await appendInObject(this.#parts(), more).finally(() => this.#plan());
  }

  async retry(retryId: string): Promise<RetryOutcome | undefined> {
    if (this.#stored === undefined) return undefined;
    return await retryInObject(this.#parts(), retryId).finally(() => this.#plan());
  }

  async raise(page: Parameters<typeof raiseInObject>[1]): Promise<boolean> {
    return this.#stored === undefined ? false : await raiseInObject(this.#parts(), page).finally(() => this.#plan());
  }

  #parts(): RestartParts {
    const wake = (): Promise<void> => {
      this.#claims.resume();
      return this.#alarm.setBy(Date.now() + RETRY_MS);
    };
    return { frontier: this.#frontier, charges: this.#charges, wake };
  }

  async open(messageId: string): Promise<OpenedFrontier | undefined> {
    const state = this.#stored?.state();
    const [row] = this.#stored?.sql.rows<{ specification: string }>("SELECT specification FROM job") ?? [];
    const nowMs = Date.now();
    const hasEvents = (): boolean => (nextEventMs(this.#frontier.sql) ?? Infinity) <= nowMs;
    if (state === undefined || row === undefined || (state.closed && !hasEvents())) {
      this.#messages.delete(messageId);
      return undefined;
    }
    this.#messages.note(messageId, nowMs + RUN_LIFE_MS);
    return { specification: row.specification, status: state.status, ...lifeOf(state, nowMs) };
  }

  async recordedOptions(): Promise<string | undefined> {
    return this.#stored && recordedOptions(this.#stored.sql);
  }

  async work(request: WorkRequest): Promise<WorkResponse> {
    if (this.#stored === undefined) return { status: "cancelled" };
    const nowMs = Date.now();
    if (request.isLeaving === true) this.#messages.left(request.messageId);
    else this.#messages.note(request.messageId, nowMs + RUN_LIFE_MS, request.unreported);
    const wantsMore = request.isLeaving !== true && request.capacity > 0;
    let claimed: HandedOut | undefined;
    const mustPrepay = isPrepaid(this.#frontier.state());
    this.#frontier.together(nowMs, () => {
      if (request.completion !== undefined) this.#complete(request.completion, nowMs);
      if (request.leaseIds.length > 0) this.#frontier.renew(request.leaseIds, nowMs);
      if (wantsMore && !mustPrepay) claimed = this.#claims.claim(request);
    });
    if (wantsMore && mustPrepay) claimed = await this.#claims.claimPrepaid(request);
    else if (wantsMore) this.ctx.waitUntil(this.#charges.reportSoon(nowMs));
    const claim = claimed && (await this.#claims.spread(claimed, request));
    if (claim?.ahead !== undefined)
      this.#messages.note(request.messageId, nowMs + RUN_LIFE_MS, (request.unreported ?? 0) + claim.ahead);
    const status = this.#frontier.state()?.status ?? "cancelled";
    await this.#plan();
    const template = request.knowsTemplate === true ? undefined : this.#frontier.template();
    return {
      status,
      ...(claim === undefined ? {} : { claim }),
      ...(wantsMore && this.#frontier.hasMore(nowMs) ? { hasMore: true } : {}),
      ...(template === undefined ? {} : { template }),
    };
  }

  async progress(): Promise<JobProgress | undefined> {
    const state = this.#stored?.state();
    if (state === undefined) return undefined;
    if (!state.closed && this.#alarm.isCheckDue()) this.ctx.waitUntil(this.#plan());
    const own = { rowsWritten: this.#rowsWritten, messagesSent: this.#messagesSent };
    const progress = { ...readProgress(this.#frontier.sql, state, Date.now()), ...own };
    return state.settled === true ? progress : { ...progress, costs: combineCounts(progress.costs, this.#own.news()) };
  }

  async documents(page: {
    skip: number;
    limit: number;
    maxBytes: number;
  }): Promise<{ progress: JobProgress; runs: DocumentRun[]; count: number } | undefined> {
    const progress = await this.progress();
    return progress === undefined ? undefined : { progress, ...readDocuments(this.#frontier.sql, page) };
  }

  async findDocument(scrapeId: string): Promise<DocumentPlace | undefined> {
    return this.#stored && findDocument(this.#stored.sql, scrapeId);
  }

  async failures(page: { after: number; limit: number }): Promise<FailurePage> {
    return this.#stored ? readFailures(this.#stored.sql, page) : { errors: [], robotsBlocked: [], next: undefined };
  }

  async urls(page: { cursor: UrlCursor; limit: number }): Promise<{ lines: UrlLine[]; next: UrlCursor | undefined }> {
    const state = this.#stored?.state();
    return state === undefined ? { lines: [], next: undefined } : readUrls(this.#frontier.sql, state, page);
  }

  async hold(untilMs: number): Promise<{ template: string | undefined } | undefined> {
    if (this.#stored?.hold(untilMs, Date.now()) !== true) return undefined;
    return { template: this.#frontier.template() };
  }

  async versions(query: VersionQuery): Promise<EarlierPage[]> {
    return this.#stored ? readVersions(this.#stored.sql, query) : [];
  }

  async missing(keys: readonly string[]): Promise<{ notFound: string[]; redirected: string[] }> {
    return this.#stored ? readMissing(this.#stored.sql, keys) : { notFound: [...keys], redirected: [] };
  }

  async tombstones(page: { after: number; limit: number }) {
    return this.#stored ? readTombstones(this.#stored.sql, page) : { tombstones: [], next: undefined };
  }

  async cancel(error?: string): Promise<JobStatus | undefined> {
    if (this.#stored === undefined) return undefined;
    const before = this.#frontier.cancel(Date.now(), error);
    await this.#alarm.setBy(Date.now());
    if (before === "scraping") await releaseUnread(this.#parts());
    return before;
  }

  async takeEvents(limit: number): Promise<OutboxEntry[]> {
    if (this.#stored === undefined) return [];
    return this.#frontier.sql.transaction(() =>
      takeDueEvents(this.#frontier.sql, { limit, nowMs: Date.now(), holdMs: EVENT_HOLD_MS }),
    );
  }

  async noteSent(sent: readonly DeliveryNote[]): Promise<void> {
    this.#stored?.sql.transaction(() => noteSent(this.#frontier.sql, sent, Date.now()));
    await this.#plan();
  }

  async replayEvents(webhookIds: string[] | undefined): Promise<string[]> {
    const replayed = this.#stored ? replayLost(this.#stored.sql, webhookIds, Date.now()) : [];
    await this.#plan();
    return replayed;
  }

  async settle(costs: MeterCounts): Promise<JobProgress | undefined> {
    const all = combineCounts(costs, this.#own.take());
    return this.#stored?.settle(all, Date.now()) === true ? await this.progress() : undefined;
  }

  async close(forgetting?: Forgetting): Promise<void> {
    if (this.#stored === undefined) return;
    await closeInObject(this.#parts(), forgetting);
    await this.#plan();
  }

  async noteRead(read: { from: number; to: number }): Promise<boolean> {
    return this.#stored?.noteRead(read, Date.now()) ?? false;
  }

  async forget(createdAtMs?: number, endedAtMs?: number): Promise<boolean> {
    const isDue = this.#stored === undefined || mayForget(this.#stored, { createdAtMs, endedAtMs });
    await (isDue ? this.#forget() : this.#plan());
    return isDue;
  }

  override alarm(): Promise<void> {
    return lastingAlarm(this.ctx.storage, () => this.#wake());
  }

  async #wake(): Promise<void> {
    this.#alarm.forget();
    const nowMs = Date.now();
    const run = () => jobRuns(this.ctx).pageRun(this.#jobId(), crypto.randomUUID());
    const state = await readableState(this.ctx.storage, () => this.#stored?.state(), run);
    if (state === undefined) return;
    if (nowMs >= expiryOf(state)) return await expireInObject(this.#parts()).then(() => this.#forget());
    if (!(await this.#finishStart())) return;
    this.#messages.dropSilent(nowMs);
    this.#frontier.reap(nowMs);
    await this.#dispatch(nowMs);
    const send = (task: Task): Promise<unknown> => meteredQueue(this.env.TASKS, this.#own).send(task);
    await askToForget({ frontier: this.#frontier, jobId: this.#jobId(), send }, nowMs);
    await this.#plan();
  }

  /** @returns whether the job may work; when the ledger cannot be reached, the alarm tries again */
  async #finishStart(): Promise<boolean> {
    try {
      return (await this.#start.finish()) === "started";
    } catch (error) {
      logEvent({ event: "job_start_failed", jobId: this.#jobId(), message: String(error) });
      await this.#alarm.setBy(Date.now() + RETRY_MS);
      return false;
    }
  }

  #wantedSlot(): JobSlot | undefined {
    const { isStarting, config } = this.#frontier.state() ?? {};
    if (isStarting !== true || config?.slot === undefined || config.billing === undefined) return undefined;
    return { keyId: config.billing.keyId, ...config.slot };
  }

  async #forget(): Promise<void> {
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
    this.#opened = undefined;
    this.#alarm.forget();
  }

  #complete(completion: Completion, nowMs: number): void {
    const { costs, specification } = completion;
    this.#frontier.complete(completion, nowMs, costs === undefined ? undefined : this.#own.take());
    if (specification !== undefined) this.#keepSpecification(specification);
  }

  /** Sends as many work messages as there is work for. */
  async #dispatch(nowMs: number): Promise<void> {
    const state = this.#frontier.state();
    if (state === undefined) return;
    const { size: open } = this.#messages;
    const outlook = this.#frontier.outlook(nowMs, this.#messages.unreported, this.#claims.pause);
    const wanted = runsWanted(state, outlook, { open, room: roomForRuns(this.env), nowMs });
    // The simulator, where the egress proxy is, delivers messages one after the other: this object starts all runs.
    const startsAll = this.env.EGRESS !== undefined;
    for (let sent = 0; sent < wanted; sent++) {
      const messageId = crypto.randomUUID();
      const isDirect = open + sent === 0 || startsAll;
      this.#messages.note(messageId, nowMs + (isDirect ? RUN_LIFE_MS : SENT_LIFE_MS));
      if (isDirect) this.#runWorker(messageId);
      else {
        const queue = meteredQueue(this.env.JOBS, this.#own);
        await queue.send({ type: "job_run", jobId: this.#jobId(), messageId }).catch((error: unknown) => {
          this.#messages.delete(messageId);
          throw error;
        });
        this.#messagesSent++;
      }
    }
  }

  /** Starts a worker run without waiting for it: the run calls this object repeatedly while it works. */
  #runWorker(messageId: string): void {
    const running = countRun(jobRuns(this.ctx).pageRun(this.#jobId(), messageId)).catch(async (error: unknown) => {
      logEvent({ event: "run_failed", jobId: this.#jobId(), message: String(error) });
      await this.#alarm.setBy(Date.now() + this.#messages.failed(messageId));
    });
    this.ctx.waitUntil(running);
  }

  /** Sets the alarm to the time of the next work, event, deletion or expiry. */
  async #plan(): Promise<void> {
    countLostLeases(this.env, this.ctx, this.#opened?.takeLostLeases() ?? 0);
    const state = this.#stored?.state();
    if (state === undefined) return;
    const nowMs = Date.now();
    const outlook = this.#frontier.outlook(nowMs, this.#messages.unreported, this.#claims.pause);
    const { size: open, firstEndMs } = this.#messages;
    await this.#alarm.setBy(wakeTime(state, outlook, { open, firstEndMs, room: roomForRuns(this.env), nowMs }));
  }

  #jobId(): string {
    return this.ctx.id.name ?? this.ctx.id.toString();
  }

  #keepSpecification(specification: string): void {
    this.#frontier.sql.rows("INSERT OR REPLACE INTO job (one, specification) VALUES (1, ?)", specification);
  }

  #sql(): Sql {
    const { storage } = this.ctx;
    storage.sql.exec("CREATE TABLE IF NOT EXISTS job (one INTEGER PRIMARY KEY, specification TEXT NOT NULL)");
    return meteredSql(storage, (rows) => {
      this.#rowsWritten += rows;
      this.#own.add("durableObjectRowsWritten", rows);
    });
  }
}
