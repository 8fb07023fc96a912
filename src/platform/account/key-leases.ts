import type { RateMode } from "../../core/account/api-key.ts";
import { HOLD_MS, type Admission, type AdmitRequest } from "../../core/account/key-ledger.ts";
import {
  isHeld,
  LEASE_MS,
  LEAST_REQUESTS,
  MOST_REQUESTS,
  type LeaseAsk,
  type LeaseEnd,
  type LeaseGrant,
  type LeaseReport,
  type LeaseTerms,
} from "../../core/account/key-lease.ts";
import type { WorkRecord } from "../../core/account/usage.ts";

/** Modes that are leased. Jobs and sessions are admitted by the ledger itself, which knows what is left to the credit. */
const LEASED_MODES = new Set<RateMode>(["scrape", "map", "search", "crawlStatus", "extractStatus", "account"]);
const FIRST_REQUESTS = 16;
/** Shortest time by which the rate of a key is measured. */
const LEAST_RATE_MS = 250;
/** Age from which on a lease is renewed behind a response, so that a steady caller never waits for admission. */
const RENEWAL_MS = LEASE_MS / 2;
/** Time after which another lease may be asked for although an earlier call has not returned. */
const ASKING_MS = 10_000;
const MAX_KEYS = 5_000;
const MAX_TAKEN = 20_000;
/** Works and ended leases of a key that wait for a ledger that fails; of more, the oldest are dropped. */
const MAX_WAITING = 1_000;

interface HeldLease {
  id: string;
  terms: LeaseTerms;
  startedAtMs: number;
  endsAtMs: number;
  /** Time of its first request, from which its rate is measured. */
  usedFromMs: number | undefined;
  grant: LeaseGrant;
  usedRequests: number;
  usedCredits: number;
}

interface KeyState {
  /** The oldest first, which is used first. */
  leases: HeldLease[];
  ended: LeaseEnd[];
  works: WorkRecord[];
  /** Time of the latest request for which the ledger was asked. */
  latestMs: Map<RateMode, number>;
  asking: Map<RateMode, number>;
  /** Requests of the next lease, by the rate of the last one. */
  wanted: Map<RateMode, number>;
}

/** Reports whether requests of this kind can be admitted from a lease. */
export function isLeasable(request: AdmitRequest): boolean {
  return LEASED_MODES.has(request.mode) && isHeld(request);
}

/**
 * The leases of an isolate, by key, with the works that were admitted from them and are not yet recorded. Everything here
 * is data, which requests of the isolate may share. What an isolate that ends has not reported is released by the ledger.
 */
export class KeyLeases {
  readonly #keys = new Map<string, KeyState>();
  /** Works that have taken credits of a lease. */
  readonly #taken = new Map<string, { mode: RateMode; atMs: number; lease: NonNullable<WorkRecord["lease"]> }>();

  /** Admits a request from a lease of its key, mode and limits; undefined when the ledger must be asked. */
  take(keyId: string, request: AdmitRequest, nowMs: number): Admission | undefined {
    const state = this.#keys.get(keyId);
    if (state === undefined || !isLeasable(request)) return undefined;
    if (request.holdId !== undefined && this.#taken.has(request.holdId)) return undefined;
    const isUnusable = (lease: HeldLease) =>
      isOver(lease, nowMs) || (lease.terms.mode === request.mode && isOther(lease, request));
    endLeases(state, isUnusable, nowMs);
    const leases = state.leases.filter(({ terms }) => terms.mode === request.mode);
    const lease = leases.find((each) => requestsLeft(each) > 0 && creditsLeft(each) >= request.credits);
    const latest = leases.at(-1);
    if (lease === undefined || latest === undefined) return undefined;
    lease.usedFromMs ??= nowMs;
    lease.usedRequests += 1;
    lease.usedCredits += request.credits;
    lease.terms = termsOf(request);
    if (request.holdId !== undefined && request.credits > 0) {
      this.#forgetTaken(nowMs);
      const { mode, credits } = request;
      this.#taken.set(request.holdId, { mode, atMs: nowMs, lease: { id: lease.id, credits } });
    }
    const { rate, remainingCredits } = latest.grant;
    const left = rate.remaining + sum(leases, requestsLeft);
    return {
      kind: "admitted",
      rate: { ...rate, remaining: Math.min(rate.limit - 1, left) },
      remainingCredits: remainingCredits === undefined ? undefined : remainingCredits + sum(leases, creditsLeft),
    };
  }

  /** Returns the lease to ask for with an admission; undefined for the first request in a while, which needs none. */
  askFor(keyId: string, mode: RateMode, nowMs: number): LeaseAsk | undefined {
    const { latestMs } = this.#stateOf(keyId);
    const isSecond = nowMs - (latestMs.get(mode) ?? -Infinity) < LEASE_MS;
    latestMs.set(mode, nowMs);
    return isSecond ? this.ask(keyId, mode, nowMs) : undefined;
  }

  /** Returns the lease to ask for with a call that is made now; undefined while another call asks. */
  ask(keyId: string, mode: RateMode, nowMs: number): LeaseAsk | undefined {
    const state = this.#stateOf(keyId);
    if (nowMs - (state.asking.get(mode) ?? -Infinity) < ASKING_MS) return undefined;
    state.asking.set(mode, nowMs);
    return { id: `lease-${crypto.randomUUID()}`, requests: state.wanted.get(mode) ?? FIRST_REQUESTS };
  }

  /** Takes over the outcome of a call that has asked. @param askedAtMs time before the call, from which the lease counts */
  asked(
    keyId: string,
    { ask, terms, grant }: { ask: LeaseAsk; terms: LeaseTerms; grant: LeaseGrant | undefined },
    askedAtMs: number,
  ): void {
    const state = this.#stateOf(keyId);
    state.asking.delete(terms.mode);
    if (grant === undefined) return;
    const endsAtMs = askedAtMs + grant.lifeMs;
    const unused = { usedFromMs: undefined, usedRequests: 0, usedCredits: 0 };
    state.leases.push({ id: ask.id, terms, startedAtMs: askedAtMs, endsAtMs, grant, ...unused });
  }

  /** Returns the terms of a lease that is half used or half over, and that no call renews; undefined otherwise. */
  renewal(keyId: string, mode: RateMode, nowMs: number): LeaseTerms | undefined {
    const state = this.#keys.get(keyId);
    const leases = state?.leases.filter(({ terms }) => terms.mode === mode) ?? [];
    const latest = leases.at(-1);
    if (latest === undefined || isOver(latest, nowMs) || state?.asking.has(mode) === true) return undefined;
    const isLow = sum(leases, requestsLeft) <= latest.grant.requests / 2;
    const isOld = nowMs - latest.startedAtMs >= RENEWAL_MS;
    return isLow || isOld ? latest.terms : undefined;
  }

  /** Mode of the lease that a work was admitted from; undefined for other work. */
  modeOf(holdId: string): RateMode | undefined {
    return this.#taken.get(holdId)?.mode;
  }

  /** Adds a work that was admitted from a lease to those that are recorded together. @returns their number */
  add(keyId: string, work: WorkRecord): number {
    const { works } = this.#stateOf(keyId);
    const lease = this.#taken.get(work.requestId)?.lease;
    this.#taken.delete(work.requestId);
    return works.push({ ...work, lease });
  }

  /** Reports whether a work, or the end of a lease, has not been reported. */
  isPending(keyId: string, id: string): boolean {
    const state = this.#keys.get(keyId);
    if (state === undefined) return false;
    const { works, leases, ended } = state;
    return (
      works.some(({ requestId }) => requestId === id) ||
      leases.some((lease) => lease.id === id) ||
      ended.some(({ leaseId }) => leaseId === id)
    );
  }

  /** Takes what the ledger has not been told; undefined when there is nothing. */
  report(keyId: string, nowMs: number): LeaseReport | undefined {
    const state = this.#keys.get(keyId);
    if (state === undefined) return undefined;
    endLeases(state, (lease) => isOver(lease, nowMs), nowMs);
    const { works, ended } = state;
    state.works = [];
    state.ended = [];
    return works.length + ended.length === 0 ? undefined : { works, ended };
  }

  /** Takes back a report that did not arrive: the next one has it again. Repeated works and leases count once. */
  putBack(keyId: string, { works, ended }: LeaseReport): void {
    const state = this.#stateOf(keyId);
    state.works = [...works, ...state.works].slice(-MAX_WAITING);
    state.ended = [...ended, ...state.ended].slice(-MAX_WAITING);
  }

  /** Ends all leases of a key. @returns whether there were any */
  end(keyId: string, nowMs: number): boolean {
    const state = this.#keys.get(keyId);
    if (state === undefined || state.leases.length === 0) return false;
    endLeases(state, () => true, nowMs);
    return true;
  }

  #stateOf(keyId: string): KeyState {
    const known = this.#keys.get(keyId);
    if (known !== undefined) return known;
    if (this.#keys.size >= MAX_KEYS) this.#forgetIdle();
    const maps = { latestMs: new Map(), asking: new Map(), wanted: new Map() };
    const state: KeyState = { leases: [], ended: [], works: [], ...maps };
    this.#keys.set(keyId, state);
    return state;
  }

  /** Forgets the key that was seen first of those that have nothing to use or to report. */
  #forgetIdle(): void {
    for (const [keyId, { leases, works, ended }] of this.#keys) {
      if (leases.length + works.length + ended.length > 0) continue;
      this.#keys.delete(keyId);
      return;
    }
  }

  /** Forgets works that were never recorded; a map keeps the order of insertion. */
  #forgetTaken(nowMs: number): void {
    for (const [holdId, { atMs }] of this.#taken) {
      if (nowMs - atMs < HOLD_MS && this.#taken.size < MAX_TAKEN) return;
      this.#taken.delete(holdId);
    }
  }
}

function endLeases(state: KeyState, isEnded: (lease: HeldLease) => boolean, nowMs: number): void {
  const ended = state.leases.filter(isEnded);
  if (ended.length === 0) return;
  state.leases = state.leases.filter((lease) => !ended.includes(lease));
  for (const lease of ended) {
    const { id, terms, usedFromMs, usedRequests: requests, usedCredits: credits } = lease;
    state.ended.push({ leaseId: id, requests, credits });
    const rate = requests / Math.max(LEAST_RATE_MS, nowMs - (usedFromMs ?? nowMs));
    state.wanted.set(terms.mode, Math.min(MOST_REQUESTS, Math.max(LEAST_REQUESTS, Math.ceil(rate * LEASE_MS))));
    for (const other of state.leases) other.grant = withReturned(other, lease);
  }
}

/** Returns the grant of a lease with what an ended one leaves to the key's other requests. */
function withReturned({ terms, grant }: HeldLease, ended: HeldLease): LeaseGrant {
  const { rate, remainingCredits } = grant;
  const isCounted = terms.mode === ended.terms.mode && rate.resetAtMs === ended.grant.rate.resetAtMs;
  return {
    ...grant,
    rate: isCounted ? { ...rate, remaining: rate.remaining + requestsLeft(ended) } : rate,
    remainingCredits: remainingCredits === undefined ? undefined : remainingCredits + creditsLeft(ended),
  };
}

function isOver(lease: HeldLease, nowMs: number): boolean {
  // A clock that has stepped back says nothing about the age of a lease.
  return nowMs < lease.startedAtMs || nowMs >= lease.endsAtMs || requestsLeft(lease) === 0;
}

/** Reports whether the limits of the key have changed since the lease was granted. */
function isOther({ terms }: HeldLease, { limit, monthlyCredits }: AdmitRequest): boolean {
  return terms.limit !== limit || terms.monthlyCredits !== monthlyCredits;
}

function termsOf({ mode, limit, credits, monthlyCredits }: AdmitRequest): LeaseTerms {
  return { mode, limit, credits, monthlyCredits };
}

function requestsLeft({ grant, usedRequests }: HeldLease): number {
  return grant.requests - usedRequests;
}

function creditsLeft({ grant, usedCredits }: HeldLease): number {
  return grant.credits - usedCredits;
}

function sum(leases: readonly HeldLease[], of: (lease: HeldLease) => number): number {
  return leases.reduce((total, lease) => total + of(lease), 0);
}
