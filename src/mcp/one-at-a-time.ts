import { nextTurn } from "../core/in-turns.ts";
import { assertPresent, waitForGrant } from "../core/waits/wait-for-grant.ts";

/** Work and those that wait for their turn show this often that their request still exists. */
const SEEN_EVERY_MS = 1_000;
/** One that was not seen for this long belongs to a cancelled request, which runs no `finally`. */
const LOST_MS = 5_000;

interface Seen {
  seenAtMs: number;
}

interface Waiter extends Seen {
  start(): void;
}

/** The work of one owner. */
interface Line {
  running: Seen | undefined;
  /** In order of arrival. */
  waiting: Waiter[];
}

/**
 * Runs the work of each owner one after another, and lets other requests run between. Requests that are cancelled while they
 * work or wait do not stop the line.
 */
export class OneAtATime {
  readonly #lines = new Map<string, Line>();

  /**
   * @param left aborted when the client of the request has left, which then does not wait any longer
   * @returns the result of the work, or its error
   */
  async run<Result>(owner: string, work: () => Promise<Result>, left?: AbortSignal): Promise<Result> {
    assertPresent({ left });
    const line = this.#lines.get(owner) ?? { running: undefined, waiting: [] };
    this.#lines.set(owner, line);
    const turn = await turnOf(line, left);
    const beat = setInterval(() => (turn.seenAtMs = Date.now()), SEEN_EVERY_MS);
    try {
      return await work();
    } finally {
      await nextTurn();
      clearInterval(beat);
      if (line.running === turn) line.running = undefined;
      startNext(line);
      if (line.running === undefined && line.waiting.length === 0) this.#lines.delete(owner);
    }
  }
}

async function turnOf(line: Line, left: AbortSignal | undefined): Promise<Seen> {
  const waiter: Waiter = { seenAtMs: Date.now(), start: () => undefined };
  return await waitForGrant<Seen>({
    everyMs: SEEN_EVERY_MS,
    limit: { left },
    withdraw: () => (line.waiting = line.waiting.filter((each) => each !== waiter)),
    enqueue: (grant) => {
      waiter.start = () => grant((line.running = { seenAtMs: Date.now() }));
      line.waiting.push(waiter);
      startNext(line);
    },
    recheck: () => {
      waiter.seenAtMs = Date.now();
      if (!line.waiting.includes(waiter)) line.waiting.push(waiter);
      startNext(line);
    },
  });
}

function startNext(line: Line): void {
  const sinceMs = Date.now() - LOST_MS;
  if (line.running !== undefined && line.running.seenAtMs >= sinceMs) return;
  line.running = undefined;
  line.waiting = line.waiting.filter(({ seenAtMs }) => seenAtMs >= sinceMs);
  line.waiting.shift()?.start();
}
