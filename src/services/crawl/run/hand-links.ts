import { ownerOf } from "../../../core/fair-order.ts";
import type { Completion } from "../../../ports/crawl/frontier.ts";
import { repeatWrite } from "./repeat-write.ts";
import type { WorkerRunContext } from "./worker-run-context.ts";

/** Links, and the rules of a crawl by which they were chosen where its first page has changed them. */
export type Links = Pick<Completion, "candidates" | "filtered" | "specification">;

export const NO_LINKS: Links = { candidates: [], filtered: [] };
export const EMPTY: Completion = { results: [], object: "", hosts: {}, ...NO_LINKS };

/** Links in one call. The frontier adds them without a break, and under `npm start` every request waits for it. */
export const LINKS_A_CALL = 1_000;
/** Links from which a call takes its turn among the pages of all teams: adding them takes as long as a page does. */
const MANY_LINKS = 500;

/**
 * Hands in the links of a completion in portions, all but the last before its results: a crash in between has the pages
 * loaded again.
 * @returns the completion with the links that are left.
 */
export async function handLinks(completion: Completion, hand: (portion: Links) => Promise<void>): Promise<Completion> {
  const { candidates, filtered, specification } = completion;
  const rules = specification === undefined ? {} : { specification };
  let from = 0;
  const left = (links: readonly unknown[]): number => Math.max(0, links.length - from);
  while (left(candidates) + left(filtered) > LINKS_A_CALL) {
    const to = from + LINKS_A_CALL;
    const portion = { candidates: candidates.slice(from, to), filtered: filtered.slice(from, to), ...rules };
    from = to;
    await hand(portion);
  }
  return { ...completion, candidates: candidates.slice(from), filtered: filtered.slice(from) };
}

/** Calls the frontier, and again when that fails; with many links, when the team's turn comes. */
export async function callInFairOrder<Answer>(
  context: Pick<WorkerRunContext, "deps" | "specification">,
  { candidates, filtered }: Links,
  call: () => Promise<Answer>,
): Promise<Answer> {
  const write = (): Promise<Answer> => repeatWrite(context, call);
  if (candidates.length + filtered.length < MANY_LINKS) return await write();
  // The pages that the links are of hold the room of their team until this is done.
  return await context.deps.admission.run(ownerOf(context.specification.key), write, { needsRoom: false });
}
