import { nextByFairness, noteServed, type Owner } from "../fair-order.ts";
import { AppError } from "../errors.ts";
import { assertPresent, waitForGrant, type WaitLimit } from "./wait-for-grant.ts";

/** Pages that an isolate loads and converts at a time, besides those that only wait for a slow site. */
const PLACES = 6;
/** A page in work is observed this often while it has a place. */
const OBSERVE_MS = 50;
/** A timer that fires later than this found the processor busy. */
const LATE_MS = 20;
/** A page waits for its site when the processor was free this many times in succession while the page was in work. */
const CALM_OBSERVATIONS = 2;
/** Default of `parkAfterMs`. */
const PARK_AFTER_MS = 1_000;
/** A timer of 0 ms that fires within this time found the processor free. */
const FREE_MS = 5;
/** A page that has not left by then never will: its request was cancelled, and a cancelled request runs no `finally`. */
const PLACE_LIFE_MS = 300_000;
/**
 * Each waiter shows this often that its request still exists, and looks whether a place has become free. Hundreds wait at
 * a time, so it is seldom; places that become free are handed on at once.
 */
const TICK_MS = 2_000;
/** All waiters together look for a place no more often than this: thousands may wait. */
const LOOK_MS = 100;
/** A waiter that was not seen for this long belongs to a cancelled request, or the isolate was busy meanwhile. */
const UNSEEN_MS = 5_000;
const LOST_MS = 30_000;
const LATE_RETRY_SECONDS = 10;
const TOO_MANY_WAIT = "Too many requests of this team are waiting at once. Wait for their answers before sending more.";

interface Wanted {
  owner: Owner;
  needsRoom: boolean;
}

interface Waiter extends Wanted {
  seenAtMs: number;
  /** Called by the request that leaves a place, in the context of that request. */
  start(): void;
}

interface Place {
  owner: Owner;
  sinceMs: number;
  seenAtMs: number;
  /** Times in succession that the processor was free when the page was observed. */
  calm: number;
  /** The page waits for its site, and no longer counts. */
  isParked: boolean;
}

/** When work stops waiting, and what it waits for. */
interface AdmissionWait extends WaitLimit {
  /** False for work that frees what its owner holds, such as the report of pages. Default: true. */
  needsRoom?: boolean;
}

interface Options {
  places?: number;
  /** A page that takes longer than this waits for its site, however late timers fire. In ms, default: 1,000. */
  parkAfterMs?: number;
  placeLifeMs?: number;
  tickMs?: number;
  nowMs?: () => number;
  /** Reports whether loaded pages wait for the processor. Then no more pages begin than there are places. */
  isProcessorBusy: () => boolean;
  /** True to begin more pages than there are places while the processor is free. Default: false. */
  fillsFreeTime?: boolean;
  /**
   * A wait that its limit ends is then refused with `RATE_LIMITED` when at least half of the pages are of its team, else with
   * `SERVICE_UNAVAILABLE`. Default: `SCRAPE_TIMEOUT`.
   */
  refusesLate?: boolean;
  /** Pages of one team that may wait; the next one is refused. Default: any number. */
  mostWaiting?: number;
  /** Reports whether an owner's pages may begin. Default: always. It is asked again when a page has ended. */
  hasRoom?: (owner: Owner) => boolean;
}

/**
 * Decides which page of an isolate is begun next, for scrapes and for the pages of jobs alike. Searches, checks of monitors and
 * other requests have admissions of their own, whose work is called a page here too. Without it, hundreds of
 * requests of one team would all begin at once, and each later step of another team's request would wait behind theirs.
 * Teams take turns, and within a team its keys (`core/fair-order.ts`). Pages that wait for a slow site give up their
 * place to others and go on without one.
 */
export class FairAdmission {
  /** In order of arrival. */
  readonly #waiting = new Set<Waiter>();
  #lookedAtMs = -Infinity;
  #served: Owner[] = [];
  readonly #inWork = new Set<Place>();
  readonly #places: number;
  readonly #parkAfterMs: number;
  readonly #placeLifeMs: number;
  readonly #tickMs: number;
  readonly #nowMs: () => number;
  readonly #isProcessorBusy: () => boolean;
  readonly #fillsFreeTime: boolean;
  readonly #refusesLate: boolean;
  readonly #mostWaiting: number;
  readonly #hasRoom: (owner: Owner) => boolean;

  constructor(options: Options) {
    const {
      places = PLACES,
      parkAfterMs = PARK_AFTER_MS,
      placeLifeMs = PLACE_LIFE_MS,
      tickMs = TICK_MS,
      nowMs = Date.now,
    } = options;
    this.#places = places;
    this.#parkAfterMs = parkAfterMs;
    this.#placeLifeMs = placeLifeMs;
    this.#tickMs = tickMs;
    this.#nowMs = nowMs;
    this.#isProcessorBusy = options.isProcessorBusy;
    this.#fillsFreeTime = options.fillsFreeTime ?? false;
    this.#refusesLate = options.refusesLate ?? false;
    this.#mostWaiting = options.mostWaiting ?? Infinity;
    this.#hasRoom = options.hasRoom ?? (() => true);
  }

  /**
   * Runs the work on one page when its owner is the next to be served. The place is free for another page when the work and all that
   * it has left to `holdFor` are done: work after the response uses the processor too.
   * @throws AppError `SCRAPE_TIMEOUT` when the limit ends the wait (or as `refusesLate` says), `RATE_LIMITED` when too many pages of the team wait, and
   * what the work throws
   */
  async run<T>(
    owner: Owner,
    work: (holdFor: (rest: Promise<unknown>) => void) => Promise<T>,
    limit?: AdmissionWait,
  ): Promise<T> {
    const place = await this.#enter(owner, limit);
    const observer = setInterval(() => {
      this.#observe(place);
      if (place.isParked) clearInterval(observer);
    }, OBSERVE_MS);
    const rests: Promise<unknown>[] = [];
    const leave = (): void => {
      clearInterval(observer);
      this.#inWork.delete(place);
      this.#startNext();
    };
    try {
      return await work((rest) => void rests.push(rest));
    } finally {
      if (rests.length === 0) leave();
      else void Promise.allSettled(rests).then(leave);
    }
  }

  #countWaiting({ teamId }: Owner): number {
    let count = 0;
    for (const { owner } of this.#waiting) if (owner.teamId === teamId) count++;
    return count;
  }

  #lateness({ teamId }: Owner): AppError {
    const all = [...this.#waiting, ...this.#inWork];
    const others = all.filter(({ owner }) => owner.teamId !== teamId).length;
    const isOwn = others <= all.length - others + 1;
    const [code, message] = isOwn
      ? (["RATE_LIMITED", TOO_MANY_WAIT] as const)
      : (["SERVICE_UNAVAILABLE", undefined] as const);
    return new AppError(code, message, { retryAfterSeconds: LATE_RETRY_SECONDS });
  }

  /** Parks a page that takes its time although the processor is free. */
  #observe(place: Place): void {
    const nowMs = this.#nowMs();
    const isLate = nowMs - place.seenAtMs > OBSERVE_MS + LATE_MS;
    place.seenAtMs = nowMs;
    const isBusy = this.#isProcessorBusy();
    place.calm = isLate || isBusy ? 0 : place.calm + 1;
    // While the processor is busy, none is parked.
    if (isBusy) return;
    if (place.calm >= CALM_OBSERVATIONS || nowMs - place.sinceMs >= this.#parkAfterMs) this.#startNext();
  }

  async #enter(owner: Owner, limit: AdmissionWait | undefined): Promise<Place> {
    assertPresent(limit);
    const wanted = { owner, needsRoom: limit?.needsRoom ?? true };
    const ofTeam = this.#countWaiting(owner);
    if (ofTeam === 0 && this.#mayStart(wanted, this.#countPlaces())) return this.#take(owner);
    if (ofTeam >= this.#mostWaiting) throw new AppError("RATE_LIMITED", TOO_MANY_WAIT, { retryAfterSeconds: 1 });
    const waiter: Waiter = { ...wanted, seenAtMs: this.#nowMs(), start: () => undefined };
    const granted = waitForGrant<Place>({
      everyMs: this.#tickMs,
      limit,
      withdraw: () => void this.#waiting.delete(waiter),
      enqueue: (grant) => {
        waiter.start = () => grant(this.#take(owner));
        this.#waiting.add(waiter);
        this.#startNext();
      },
      recheck: () => {
        waiter.seenAtMs = this.#nowMs();
        this.#waiting.add(waiter);
        if (waiter.seenAtMs - this.#lookedAtMs >= LOOK_MS) this.#startNext();
      },
    });
    if (this.#fillsFreeTime) await Promise.race([this.#pollSockets(), granted]);
    const place = await (this.#refusesLate
      ? granted.catch(() => {
          throw this.#lateness(owner);
        })
      : granted);
    await this.#pollSockets();
    return place;
  }

  /**
   * Lets the runtime look at its sockets. workerd does so, and fires timers, only when no task is ready: tasks that begin
   * one another without a timer would keep out new requests as long as any of them waits.
   */
  async #pollSockets(): Promise<void> {
    const sinceMs = this.#nowMs();
    await new Promise((resolve) => setTimeout(resolve, 0));
    const next = this.#fillsFreeTime && this.#nowMs() - sinceMs <= FREE_MS ? this.#next() : undefined;
    if (next !== undefined) this.#start(next);
  }

  #take(owner: Owner): Place {
    const nowMs = this.#nowMs();
    const place = { owner, sinceMs: nowMs, seenAtMs: nowMs, calm: 0, isParked: false };
    this.#inWork.add(place);
    this.#served = noteServed(this.#served, owner, [...this.#waiting, ...this.#inWork]);
    return place;
  }

  #startNext(): void {
    this.#lookedAtMs = this.#nowMs();
    // Each of thousands of waiters looks for a place at times, and nearly always there is none.
    while (this.#waiting.size > 0 && this.#hasPlaceForAny()) {
      const next = this.#next();
      if (next === undefined || !this.#mayStart(next, this.#countPlaces())) return;
      this.#start(next);
    }
  }

  #next(): Waiter | undefined {
    const waiting = this.#present().filter((waiter) => this.#hasRoomFor(waiter));
    return waiting[nextByFairness(waiting, { holding: [...this.#inWork], served: this.#served })];
  }

  #start(next: Waiter): void {
    this.#waiting.delete(next);
    next.start();
  }

  /** Reports whether a waiter may start, in a fraction of the time in which the next one is found. */
  #hasPlaceForAny(): boolean {
    const taken = this.#countPlaces();
    const waiting = this.#waiting.values();
    if (taken < this.#places) return waiting.some((waiter) => this.#hasRoomFor(waiter));
    if (taken >= this.#places * 2) return false;
    const teams = new Set([...this.#inWork].map(({ owner }) => owner.teamId));
    return waiting.some(({ owner }) => !teams.has(owner.teamId));
  }

  #hasRoomFor({ owner, needsRoom }: Wanted): boolean {
    return !needsRoom || this.#hasRoom(owner);
  }

  /** A team's first page is begun at once, as long as not too many teams come together. */
  #mayStart(wanted: Wanted, taken: number): boolean {
    if (!this.#hasRoomFor(wanted)) return false;
    const { teamId } = wanted.owner;
    const isFirst = ![...this.#inWork].some(({ owner }) => owner.teamId === teamId);
    return taken < (isFirst ? this.#places * 2 : this.#places);
  }

  /** Those whose requests still exist, as far as it is known. */
  #present(): Waiter[] {
    const nowMs = this.#nowMs();
    for (const waiter of this.#waiting) if (nowMs - waiter.seenAtMs >= LOST_MS) this.#waiting.delete(waiter);
    const waiting = [...this.#waiting];
    const seen = waiting.filter(({ seenAtMs }) => nowMs - seenAtMs < UNSEEN_MS);
    return seen.length > 0 ? seen : waiting;
  }

  #countPlaces(): number {
    const nowMs = this.#nowMs();
    const isBusy = this.#isProcessorBusy();
    let taken = 0;
    for (const place of this.#inWork) {
      const ageMs = nowMs - place.sinceMs;
      if (ageMs >= this.#placeLifeMs) this.#inWork.delete(place);
      if (!isBusy && (place.calm >= CALM_OBSERVATIONS || ageMs >= this.#parkAfterMs)) place.isParked = true;
      if (!place.isParked) taken++;
    }
    return taken;
  }
}
