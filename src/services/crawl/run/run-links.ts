import { NOTHING, type Discoveries } from "../../../jobs/kind.ts";
import { distinctDiscoveries, ReportedUrls } from "../distinct-discoveries.ts";
import { followInPieces, type ManyLinks } from "../follow-links.ts";
import { callInFairOrder, EMPTY, handLinks, type Links } from "./hand-links.ts";
import type { WorkerRunContext } from "./worker-run-context.ts";

const MAX_REMEMBERED = 50_000;

/** State of a run that its links depend on. */
interface RunState {
  hasEnded(): boolean;
  leaseIds(): number[];
  /** Part of the usual number of remembered URLs that the run may hold, from 0 to 1. */
  share(): number;
}

/** The links that a run finds: each is handed in once, as far as the run remembers, and those of a page with many by portions. */
export class RunLinks {
  readonly #context: WorkerRunContext;
  readonly #run: RunState;
  readonly #reported = new ReportedUrls();

  constructor(context: WorkerRunContext, run: RunState) {
    this.#context = context;
    this.#run = run;
  }

  /** Returns the URLs that were not handed in before. */
  async distinct(found: readonly Discoveries[]): Promise<Discoveries> {
    return await distinctDiscoveries(found, this.#reported);
  }

  /** Remembers URLs that the frontier has. */
  async remember(links: Links): Promise<void> {
    await this.#reported.add(links, MAX_REMEMBERED * this.#run.share());
  }

  /** Hands in a portion of links when its turn comes, unless the job has ended until then. */
  async handPortion(links: Links): Promise<void> {
    const { deps, specification, messageId } = this.#context;
    if (this.#run.hasEnded()) return;
    await callInFairOrder(this.#context, links, async () => {
      if (this.#run.hasEnded()) return;
      const leaseIds = this.#run.leaseIds();
      const request = { messageId, leaseIds, capacity: 0, completion: { ...EMPTY, ...links } };
      await deps.frontiers.work(specification.id, request);
    });
  }

  /**
   * Follows the links of a page that has many, and hands them in by portions, before its result.
   * @returns the links that are left, which make no portion.
   */
  async handMany(many: ManyLinks, specification: string | undefined): Promise<Discoveries> {
    let left = NOTHING;
    for await (const found of followInPieces(this.#context.kind, many)) {
      if (this.#run.hasEnded()) return NOTHING;
      const links = await this.distinct([left, found]);
      const completion = { ...EMPTY, ...links, ...(specification === undefined ? {} : { specification }) };
      const { candidates, filtered } = await handLinks(completion, async (portion) => {
        await this.handPortion(portion);
        await this.remember(portion);
      });
      left = { candidates: [...candidates], filtered: [...filtered] };
    }
    return left;
  }
}
