import type { Claim, WorkRequest } from "../../ports/crawl/frontier.ts";
import { heldOf, type Claim as HandedOut } from "../../storage/crawl/frontier-claim.ts";
import type { Frontier } from "../../storage/crawl/frontier.ts";
import type { Pause } from "../../storage/crawl/frontier-outlook.ts";
import type { JobCharges } from "../account/job-charges.ts";
import { claimPrepaid, isPrepaid } from "./claim-prepaid.ts";
import { ClaimRounds } from "./claim-rounds.ts";
import type { FrontierEnv } from "./frontier-env.ts";

interface ClaimParts {
  frontier(): Frontier;
  charges: JobCharges;
  throttles(): FrontierEnv["HOST_THROTTLE"];
  /** Number of pages that are finished and not reported. */
  unreported(): number;
}

/** Longer than a request that was cut off holds its credits. */
const MAX_SHORT_MS = 400_000;

/** The claims of a job's worker runs. */
export class JobClaims {
  readonly #parts: ClaimParts;
  readonly #rounds = new ClaimRounds();
  /** Time since which the key cannot pay for a page of a job without pages in progress; undefined when it can. */
  #shortSinceMs: number | undefined;

  constructor(parts: ClaimParts) {
    this.#parts = parts;
  }

  /** The pause after a claim whose pages were all put back; undefined otherwise. */
  get pause(): Pause | undefined {
    return this.#rounds.pause;
  }

  /** Ends the pause: URLs are added. */
  resume(): void {
    this.#rounds.resume();
  }

  claim(request: WorkRequest): HandedOut | undefined {
    return this.#claim(request, { ahead: this.#rounds.isSpaced ? 0 : request.ahead });
  }

  /** @param isQueueOnly true when no URLs are wanted that were leased before */
  async claimPrepaid(request: WorkRequest, isQueueOnly = false): Promise<HandedOut | undefined> {
    const { frontier, charges, unreported } = this.#parts;
    return await charges.inOrder(() =>
      claimPrepaid({
        capacity: request.capacity,
        state: () => frontier().state(),
        claimable: () => frontier().outlook(Date.now(), unreported()).claimable,
        charge: async (pages) => {
          const affordable = await charges.charge(pages);
          if (affordable > 0) this.#shortSinceMs = undefined;
          return affordable;
        },
        mayComeBack: async () => {
          this.#shortSinceMs ??= Date.now();
          return Date.now() - this.#shortSinceMs < MAX_SHORT_MS && (await charges.othersHold());
        },
        pause: () => this.#rounds.pauseForCredits(),
        stop: () => frontier().stop(Date.now()),
        claim: (pages) => this.#claim(request, { pages, isQueueOnly }),
      }),
    );
  }

  /** Gives the pages of a claim the times of their hosts, and claims others where all of them must wait. */
  spread(claimed: HandedOut, request: WorkRequest): Promise<Claim> {
    const { frontier, throttles } = this.#parts;
    return this.#rounds.spread({ frontier: frontier(), throttles: throttles() }, claimed, async () => {
      const mustPrepay = isPrepaid(frontier().state());
      return mustPrepay ? await this.claimPrepaid(request, true) : this.#claim(request, { isQueueOnly: true });
    });
  }

  #claim(
    request: WorkRequest,
    {
      pages = request.capacity,
      ahead = 0,
      isQueueOnly = false,
    }: { pages?: number; ahead?: number | undefined; isQueueOnly?: boolean },
  ): HandedOut | undefined {
    const unreported = this.#parts.unreported();
    return this.#parts.frontier().claim(pages, Date.now(), { held: heldOf(request), unreported, ahead, isQueueOnly });
  }
}
