import type { Owner } from "../../../core/fair-order.ts";
import type { HeldBytes } from "../../../core/waits/held-bytes.ts";
import type { ItemOutcome } from "../item-task.ts";

/** Characters from which a page counts: ordinary pages are few bytes, and a report is full with 4 MB of them. */
const HEAVY_CHARS = 500_000;

/**
 * Counts what the heavy pages of a run hold in memory until they are reported, among the loaded pages of the isolate: a team
 * whose pages hold too much begins no others.
 */
export class PageMemory {
  readonly #waiting: HeldBytes;
  readonly #owner: Owner;
  readonly #releases = new Map<ItemOutcome, () => void>();
  /** The run has ended, and reports no page any more. */
  #isOver = false;

  constructor(waiting: HeldBytes, owner: Owner) {
    this.#waiting = waiting;
    this.#owner = owner;
  }

  /** Counts a page, with what it holds now. */
  hold(outcome: ItemOutcome): void {
    if (this.#isOver) return;
    this.release(outcome);
    const chars = charsOf(outcome);
    if (chars >= HEAVY_CHARS) this.#releases.set(outcome, this.#waiting.hold(this.#owner, chars));
  }

  release(outcome: ItemOutcome): void {
    this.#releases.get(outcome)?.();
    this.#releases.delete(outcome);
  }

  /** Ends the count, also of pages that are still under way. */
  end(): void {
    this.#isOver = true;
    for (const release of this.#releases.values()) release();
    this.#releases.clear();
  }
}

/** Returns the characters that a page holds until it is reported. */
export function charsOf({ json = "", links, manyLinks }: ItemOutcome): number {
  const lists = [links?.links ?? [], manyLinks?.links ?? []];
  return json.length + lists.reduce((sum, list) => sum + charsOfList(list), 0);
}

/** Returns the characters of links, with some for each text itself. */
function charsOfList(links: readonly string[]): number {
  return links.reduce((sum, link) => sum + link.length + CHARS_OF_A_TEXT, 0);
}

const CHARS_OF_A_TEXT = 24;
