import { PAGES_PER_MESSAGE } from "../../core/crawl/dispatch.ts";
import { PutBackTimes } from "../../core/crawl/put-back-times.ts";
import type { Claim } from "../../ports/crawl/frontier.ts";
import type { Claim as HandedOut } from "../../storage/crawl/frontier-claim.ts";
import type { Pause } from "../../storage/crawl/frontier-outlook.ts";
import { spreadClaim, type Spreading, type SpreadClaim } from "./spread-claim.ts";

/** Claims of one call, while the pages of each are put back. */
const MAX_ROUNDS = 16;
/** Pause after a call without a page: pages of other hosts may wait behind those that were claimed. */
const PAUSE_MS = 1_000;
/** The same, at most, for a job all of whose pages are of one host as far as is known. */
const ONE_HOST_PAUSE_MS = 5_000;
/** Pause after a claim that the key's credits do not pay for now. */
const CREDITS_PAUSE_MS = 2_000;

/**
 * The claims of a job whose hosts must not be requested yet. Without a pause the object would start one run after the
 * other, each of which finds all pages put back. The state is in memory alone: without it a run more is started.
 */
export class ClaimRounds {
  readonly #putBack = new PutBackTimes();
  /** Up to two hosts of claimed pages. */
  readonly #hosts = new Set<string>();
  #pause: Pause | undefined;
  #isSpaced = false;

  /** The pause after the last call, when it had no page; undefined otherwise. */
  get pause(): Pause | undefined {
    return this.#pause;
  }

  /** True once pages were put back until their host's time: no more are leased ahead. */
  get isSpaced(): boolean {
    return this.#isSpaced;
  }

  /** Begins a pause after a claim that the key's credits do not pay for now. */
  pauseForCredits(): void {
    this.#pause = { untilMs: Date.now() + CREDITS_PAUSE_MS, mostAfter: PAGES_PER_MESSAGE };
  }

  /** Ends the pause: URLs were added. */
  resume(): void {
    this.#pause = undefined;
  }

  /**
   * Gives the pages of a claim their times. When all are put back, claims more of those that were never leased.
   * @param more claims these
   */
  async spread(
    spreading: Omit<Spreading, "putBack">,
    claimed: HandedOut,
    more: () => Promise<HandedOut | undefined>,
  ): Promise<Claim> {
    let spread = await this.#spread(spreading, claimed);
    let mayHaveMore = true;
    for (let round = 1; round < MAX_ROUNDS && hasNoWork(spread); round++) {
      const next = await more();
      mayHaveMore = next !== undefined;
      if (next === undefined) break;
      spread = await this.#spread(spreading, next);
    }
    this.#pause = hasNoWork(spread) ? this.#pauseAfter(spread, mayHaveMore) : undefined;
    return spread.claim;
  }

  async #spread(spreading: Omit<Spreading, "putBack">, claimed: HandedOut): Promise<SpreadClaim> {
    const spread = await spreadClaim({ ...spreading, putBack: this.#putBack }, claimed);
    for (const host of spread.hosts) if (this.#hosts.size < 2) this.#hosts.add(host);
    if (spread.claim.items.length < claimed.items.length) this.#isSpaced = true;
    return spread;
  }

  #pauseAfter({ dueMs = 0 }: SpreadClaim, mayHaveMore: boolean): Pause {
    const nowMs = Date.now();
    const pauseMs =
      mayHaveMore || this.#hosts.size > 1 ? PAUSE_MS : Math.min(ONE_HOST_PAUSE_MS, Math.max(PAUSE_MS, dueMs - nowMs));
    return { untilMs: nowMs + pauseMs, mostAfter: PAGES_PER_MESSAGE };
  }
}

function hasNoWork({ claim }: SpreadClaim): boolean {
  return claim.items.length === 0 && !claim.isSeed && claim.comparison === undefined;
}
