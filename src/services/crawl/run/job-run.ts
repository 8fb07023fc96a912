import { ownerOf } from "../../../core/fair-order.ts";
import type { FrontierItem, JobStatus } from "../../../core/crawl/frontier.ts";
import { withinTime } from "../../../core/waits/within-time.ts";
import { PAGES_PER_MESSAGE } from "../../../core/crawl/dispatch.ts";
import type { Claim, Completion } from "../../../ports/crawl/frontier.ts";
import { CrawlTemplate } from "../crawl-template.ts";
import { HostFacts } from "../../scrape/host-facts.ts";
import { NOTHING, type Discoveries } from "../../../jobs/kind.ts";
import { scrapeItem } from "../../scrape/scrape-item.ts";
import { compareWithEarlier } from "../compare-with-earlier.ts";
import { EarlierPages, findEarlier } from "../earlier-pages.ts";
import type { ItemOutcome } from "../item-task.ts";
import { afterPages } from "./after-pages.ts";
import { FinishedPages, type Finished } from "./finished-pages.ts";
import { Hand, type Leased } from "./hand.ts";
import { callInFairOrder, EMPTY, handLinks, NO_LINKS } from "./hand-links.ts";
import { PageMemory } from "./page-memory.ts";
import { RunLinks } from "./run-links.ts";
import { isRepeatedBySitemap, repeatBySitemap } from "../repeat-page.ts";
import { isFine } from "../../jobs/report-hosts.ts";
import { repeatWrite } from "./repeat-write.ts";
import { ResultBatch } from "./result-batch.ts";
import { enqueueSitemapUrls } from "../enqueue-sitemap-urls.ts";
import { withHeartbeat } from "../../jobs/with-heartbeat.ts";
import { earlierUnknown, notBegun, unexpected, unreadPage } from "../unread-page.ts";
import type { WorkerRunContext } from "./worker-run-context.ts";

/** Time during which new work is claimed; claimed work is then finished. */
const CLAIM_MS = 25_000;
/** Interval of heartbeats, well within the time after which another run takes over. */
const HEARTBEAT_MS = 4_000;
/** Pages from which they are reported with a claim, since both write the frontier's state. */
const NEARLY_FULL_PAGES = 24;
/** Finished pages that make no full report wait for a time that grows with the age of the run, while there is other work. */
const MIN_REPORT_DELAY_MS = 1_000;
const MAX_REPORT_DELAY_MS = 4_000;
const REPORT_DELAY_SHARE = 0.5;
/** Maximum number of items in a claim: an item's place in it determines the number of its document. */
const PLACES = 64;
/** A page without a result by then has failed, whatever it waits for: its lease would be renewed for ever. */
const PAGE_LIMIT_MS = 900_000;

/**
 * One worker run: claims pages, scrapes many at once, packs the documents into one object and reports them with
 * everything that was found, in one call that also claims the next pages. It holds no state that a crash could lose.
 */
export class JobRun {
  readonly #context: WorkerRunContext;
  readonly #hosts: HostFacts;
  readonly #template: CrawlTemplate;
  /** Pages of the job that an incremental crawl continues. */
  readonly #earlier: EarlierPages | undefined;
  readonly #startedAtMs: number;
  /** Pages in flight by lease. */
  readonly #held = new Map<number, number>();
  readonly #hand = new Hand();
  readonly #finished = new FinishedPages();
  /** Part of the usual number of pages and of remembered URLs that this run may hold, from 0 to 1. */
  #share = 1;
  /** Pages that are being reported: their leases are renewed until the frontier has them. */
  #reporting: readonly Finished[] = [];
  #lastExchangeMs = 0;
  /** Begins the names of its objects. Rows point into those of an earlier run, whose message may be delivered again. */
  readonly #name = crypto.randomUUID();
  #batches = 0;
  #lastClaim = 0;
  #mayHaveMore = true;
  /** True when no URLs wait beside the leased ones: what the finished pages have found is needed. */
  #isShort = true;
  /** True when the job has ended: pages in progress are finished, and the others are not started. */
  #hasEnded = false;
  #isEnqueuing = false;
  #rebased: string | undefined;
  readonly #links: RunLinks;
  readonly #memory: PageMemory;
  #wake: () => void = () => {};

  constructor(context: WorkerRunContext) {
    this.#context = context;
    this.#hosts = new HostFacts(context);
    this.#template = new CrawlTemplate(context);
    this.#memory = new PageMemory(context.deps.waiting, ownerOf(context.specification.key));
    this.#links = new RunLinks(context, {
      hasEnded: () => this.#hasEnded,
      leaseIds: () => this.#leases(),
      share: () => this.#share,
    });
    const { since } = context.specification;
    if (since !== undefined) this.#earlier = new EarlierPages(context.deps, since.id);
    this.#startedAtMs = context.deps.clock.now();
  }

  /** Runs until there is nothing to claim, the job has ended, or the time is over. @returns the job's status. */
  async run(onExchange: () => void): Promise<JobStatus> {
    // Beside the exchanges, which wait until their documents are written.
    const renew = (): Promise<void> => this.#renewLeases();
    try {
      return await withHeartbeat(this.#context.deps, renew, () => this.#work(onExchange));
    } finally {
      this.#memory.end();
      this.#context.deps.runShares.leave(this.#context.messageId);
    }
  }

  async #work(onExchange: () => void): Promise<JobStatus> {
    for (;;) {
      const status = await this.#exchange();
      onExchange();
      this.#hasEnded = status !== "scraping";
      if (this.#hasEnded) this.#putBack();
      const underWay = this.#inFlight() - (this.#hasEnded && this.#isEnqueuing ? 1 : 0);
      if (underWay === 0 && this.#finished.count === 0) return status;
      await this.#pause();
    }
  }

  /** Returns the number of pages that the run works on at a time, 1 or more. */
  #pagesAtOnce(): number {
    return Math.max(1, Math.floor(PAGES_PER_MESSAGE * this.#share));
  }

  #inFlight(): number {
    return [...this.#held.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Leases of pages under way or in hand, and of finished pages that the frontier does not have yet. */
  #leases(): number[] {
    const unreported = [...this.#finished.leaseIds, ...this.#reporting.map(({ leaseId }) => leaseId)];
    return [...new Set([...this.#held.keys(), ...this.#hand.leaseIds, ...unreported])];
  }

  async #renewLeases(): Promise<void> {
    const { deps, specification, messageId } = this.#context;
    const request = { messageId, leaseIds: this.#leases(), capacity: 0, isLeaving: this.#isLeaving() };
    const { status } = await deps.frontiers.work(specification.id, request);
    if (status === "scraping" || this.#hasEnded) return;
    this.#hasEnded = true;
    this.#putBack();
    this.#wake();
  }

  #isLeaving(): boolean {
    const { clock, meter } = this.#context.deps;
    return this.#hasEnded || meter.hasManyQueries || clock.now() - this.#startedAtMs > CLAIM_MS;
  }

  /** Reports finished pages when that is due, renews the leases of the others, and claims as many as there is capacity for. */
  async #exchange(): Promise<JobStatus> {
    const { deps, specification, messageId } = this.#context;
    const isLeaving = this.#isLeaving();
    this.#share = deps.runShares.shareOf(messageId, ownerOf(specification.key), deps.clock.now());
    const capacityNow = (): number =>
      isLeaving || this.#hand.size > 0 ? 0 : Math.max(0, this.#pagesAtOnce() - this.#inFlight());
    const packed = this.#isReportDue(isLeaving, capacityNow()) ? await this.#pack() : undefined;
    const completion =
      packed === undefined ? undefined : await handLinks(packed, (links) => this.#links.handPortion(links));
    this.#lastExchangeMs = deps.clock.now();
    const capacity = capacityNow();
    const answer = await callInFairOrder(this.#context, completion ?? EMPTY, () =>
      deps.frontiers.work(specification.id, {
        messageId,
        leaseIds: this.#leases(),
        capacity,
        ahead: capacity === 0 || this.#isShort || this.#share < 1 ? 0 : this.#hand.wanted(this.#lastExchangeMs),
        unreported: this.#finished.count + this.#hand.size,
        lastClaim: this.#lastClaim,
        isLeaving,
        knowsTemplate: this.#template.isSettled,
        ...(completion === undefined
          ? {}
          : { completion: this.#hasEnded ? { ...completion, ...NO_LINKS } : completion }),
      }),
    );
    if (completion !== undefined) {
      for (const { outcome } of this.#reporting) this.#memory.release(outcome);
      this.#reporting = [];
    }
    if (answer.template !== undefined) this.#template.settle(answer.template);
    // Without capacity nothing is said about other work.
    if (capacity > 0 || this.#hand.size === 0) {
      this.#mayHaveMore = answer.claim !== undefined && !isLeaving;
      this.#isShort = answer.hasMore !== true;
    }
    if (answer.claim !== undefined) this.#take(answer.claim);
    if (packed !== undefined) await this.#links.remember(packed);
    return answer.status;
  }

  /** Counts what a page holds until it is reported, and hands in its links where they are many. */
  async #handManyLinks(outcome: ItemOutcome): Promise<ItemOutcome> {
    this.#memory.hold(outcome);
    const { manyLinks, ...rest } = outcome;
    if (manyLinks === undefined) return outcome;
    this.#rebase(rest);
    const handing = this.#links.handMany(manyLinks, this.#rebased).finally(() => this.#memory.release(outcome));
    const left = { ...rest, discoveries: await handing };
    this.#memory.hold(left);
    return left;
  }

  #take(claim: Claim): void {
    this.#lastClaim = claim.number;
    this.#earlier?.expect(claim.items.map(({ key }) => key));
    const leased = claim.items.map((item, place): Leased => {
      return { leaseId: claim.leaseId, item, documentNumber: claim.number * PLACES + place };
    });
    const atOnce = Math.max(0, leased.length - (claim.ahead ?? 0));
    this.#hand.put(leased.slice(atOnce));
    const pages = leased.slice(0, atOnce).map((page) => this.#begin(page));
    // The final URL of the first page determines which of the sitemaps' URLs are in scope.
    if (claim.isSeed) this.#hold(claim.leaseId, this.#enqueueSitemaps(claim.leaseId, Promise.allSettled(pages)));
    if (claim.comparison !== undefined) this.#hold(claim.leaseId, this.#compare(claim.leaseId, claim.comparison));
  }

  /** Begins a page, and when it has finished the next one in hand: never more at a time than were leased for that. */
  #begin(page: Leased): Promise<void> {
    const { leaseId, item } = page;
    const late = (): never => {
      throw new Error(`The page took longer than ${PAGE_LIMIT_MS} ms`);
    };
    const work = withinTime(this.#scrape(page), PAGE_LIMIT_MS, late)
      .then((outcome) => this.#handManyLinks(outcome))
      .then(
        (outcome) => this.#finish({ leaseId, outcome }),
        (error: unknown) => this.#fail(leaseId, item, error),
      )
      .then(() => {
        const next = this.#hand.next();
        if (next !== undefined) void this.#begin(next);
      });
    this.#hold(leaseId, work);
    return work;
  }

  /** Puts back the pages in hand, which were not begun, for this or another run. */
  #putBack(): void {
    const nowMs = this.#context.deps.clock.now();
    for (const { leaseId, item } of this.#hand.takeAll()) {
      const result = notBegun(item, nowMs);
      this.#finish({ leaseId, outcome: { url: item.url, result, discoveries: NOTHING, credits: 0 } });
    }
  }

  #hold(leaseId: number, work: Promise<void>): void {
    this.#held.set(leaseId, (this.#held.get(leaseId) ?? 0) + 1);
    void work
      .catch((error: unknown) => {
        this.#context.deps.log({
          event: "turn_work_failed",
          jobId: this.#context.specification.id,
          message: String(error),
        });
      })
      .then(() => {
        const left = (this.#held.get(leaseId) ?? 1) - 1;
        if (left > 0) this.#held.set(leaseId, left);
        else this.#held.delete(leaseId);
        if (this.#isDue()) this.#wake();
      });
  }

  async #scrape({ item, documentNumber }: Leased): Promise<ItemOutcome> {
    const { deps, specification, kind } = this.#context;
    const hasEnded = (): boolean => this.#hasEnded;
    const raise = (credits: number) => deps.frontiers.raise(specification.id, { ...item, credits });
    const parts = { item, documentNumber, specification, kind, template: this.#template, hasEnded, raise };
    const earlier = await findEarlier(this.#earlier, item.key, (error) =>
      deps.log({ event: "earlier_page_unknown", jobId: specification.id, message: String(error) }),
    );
    if (earlier === "unknown") return await unreadPage({ ...parts, earlier: undefined }, earlierUnknown(item));
    const task = { ...parts, earlier };
    const isUnchanged = earlier !== undefined && isRepeatedBySitemap(task, earlier);
    const waitMs = isUnchanged ? 0 : item.startAtMs - deps.clock.now();
    if (waitMs > 0) await deps.sleep(waitMs);
    const refusal = this.#hasEnded ? notBegun(item, deps.clock.now()) : await this.#hosts.refusal(item);
    const repeated =
      isUnchanged && refusal === undefined ? await repeatBySitemap(this.#context.deps, task, earlier) : undefined;
    return repeated ?? (refusal === undefined ? await scrapeItem(deps, task) : await unreadPage(task, refusal));
  }

  /** Reports a page that could not be worked on: without a result it would keep its lease until the run ends. */
  #fail(leaseId: number, item: FrontierItem, error: unknown): void {
    const { deps, specification } = this.#context;
    deps.log({ event: "page_not_worked_on", jobId: specification.id, message: String(error) });
    this.#finish({ leaseId, outcome: { url: item.url, result: unexpected(item), discoveries: NOTHING, credits: 0 } });
  }

  /** Lists the pages of the earlier job that this one has not found. */
  async #compare(leaseId: number, comparison: NonNullable<Claim["comparison"]>): Promise<void> {
    const { deps, specification, messageId } = this.#context;
    if (this.#earlier === undefined) return;
    await compareWithEarlier(deps, { specification, earlier: this.#earlier, comparison, leaseId }, async (compared) => {
      const completion = { ...EMPTY, compared };
      await deps.frontiers.work(specification.id, { messageId, leaseIds: [leaseId], capacity: 0, completion });
    });
  }

  async #enqueueSitemaps(leaseId: number, landed: Promise<unknown>): Promise<void> {
    const { specification, messageId, deps } = this.#context;
    const hand = async (completion: Completion): Promise<void> => {
      await deps.frontiers.work(specification.id, { messageId, leaseIds: [leaseId], capacity: 0, completion });
    };
    this.#isEnqueuing = true;
    try {
      await landed;
      const give = (discoveries: Discoveries): Promise<void> => hand({ ...EMPTY, ...discoveries });
      const found = await enqueueSitemapUrls(this.#context, this.#hosts, give);
      await hand({ ...EMPTY, hosts: this.#hosts.news(), ...found, seedLease: leaseId });
    } finally {
      this.#isEnqueuing = false;
    }
    this.#mayHaveMore = true;
  }

  /** The first page may change the crawl's rules, for this run at once and for the others with the next report. */
  #rebase({ rebased }: Pick<ItemOutcome, "rebased">): void {
    if (rebased === undefined) return;
    this.#context.specification.input = rebased;
    this.#rebased = JSON.stringify(this.#context.specification);
  }

  #finish(finished: Finished): void {
    this.#rebase(finished.outcome);
    this.#finished.add(finished, this.#context.deps.clock.now());
    const { report, result } = finished.outcome;
    // The throttle of a host that refuses determines when it may be asked again.
    if (report !== undefined && !isFine(report)) this.#putBack();
    // A page that was put back says nothing about the pace.
    else if (result.kind !== "deferred") this.#hand.noteFinished(this.#context.deps.clock.now());
  }

  /** Reports whether the finished pages must be reported with the next exchange, which claims as many as it has capacity for. */
  #isReportDue(isLeaving: boolean, capacity: number): boolean {
    if (this.#finished.count === 0) return false;
    if (capacity > 0 && this.#finished.count >= NEARLY_FULL_PAGES) return true;
    if (this.#isShort || this.#hasEnded || this.#template.isToHandIn) return true;
    if (this.#inFlight() === 0 && (isLeaving || !this.#mayHaveMore)) return true;
    if (this.#finished.isFull) return true;
    return this.#context.deps.clock.now() - this.#finished.firstAtMs >= this.#reportDelayMs();
  }

  /** The first pages of a run are reported soon. Somebody waits for the events of a job with a webhook. */
  #reportDelayMs(): number {
    if (this.#isShort || this.#context.specification.webhook !== undefined) return MIN_REPORT_DELAY_MS;
    const ageMs = this.#finished.firstAtMs - this.#startedAtMs;
    return Math.min(MAX_REPORT_DELAY_MS, Math.max(MIN_REPORT_DELAY_MS, ageMs * REPORT_DELAY_SHARE));
  }

  /** Reports whether the run must exchange: it has nothing to do, many finished pages, or room for more work. */
  #isDue(): boolean {
    if (this.#inFlight() === 0) return true;
    if (this.#finished.isFull) return true;
    const underWay = this.#inFlight() + this.#hand.size;
    return this.#mayHaveMore && this.#finished.count > 0 && underWay <= this.#pagesAtOnce() / 3;
  }

  /** Waits until an exchange is due, finished pages have waited long enough, or a heartbeat is due. */
  async #pause(): Promise<void> {
    if (this.#isDue()) return;
    const { clock, sleep } = this.#context.deps;
    for (;;) {
      const woken = new Promise<void>((resolve) => (this.#wake = resolve));
      const nowMs = clock.now();
      const hasWaited = this.#finished.count > 0 && nowMs - this.#finished.firstAtMs >= this.#reportDelayMs();
      if (this.#isDue() || hasWaited || nowMs - this.#lastExchangeMs >= HEARTBEAT_MS) return;
      await Promise.race([woken, sleep(MIN_REPORT_DELAY_MS / 4)]);
    }
  }

  /** Writes the finished documents into one object, and returns the completion to report. */
  async #pack(): Promise<Completion | undefined> {
    const { deps, specification } = this.#context;
    const finished = this.#finished.takeAll();
    if (finished.length === 0) return undefined;
    this.#reporting = finished;
    const batch = new ResultBatch(specification, `${this.#name}-${this.#batches++}`);
    const placed = finished.map(({ leaseId, outcome }) => ({ leaseId, result: batch.place(outcome) }));
    const rebased = this.#rebased;
    this.#rebased = undefined;
    await repeatWrite(this.#context, () => batch.write(deps.blobs));
    const results = placed.map(({ leaseId, result }) => ({ leaseId, ...result }));
    const outcomes = finished.map(({ outcome }) => outcome);
    afterPages(deps, specification, outcomes);
    // Nothing more is found for a job that has ended.
    const discoveries = this.#hasEnded ? [] : outcomes.map(({ discoveries: found }) => found);
    const { candidates, filtered } = await this.#links.distinct(discoveries);
    const template = this.#template.learned();
    return {
      results,
      object: batch.object,
      candidates,
      filtered,
      hosts: this.#hosts.news(),
      costs: deps.meter.take(),
      ...(rebased === undefined ? {} : { specification: rebased }),
      ...(template === undefined ? {} : { template }),
    };
  }
}
