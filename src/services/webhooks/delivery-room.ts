import type { Owner } from "../../core/fair-order.ts";
import type { Deps } from "../deps.ts";

/** Bodies with fewer bytes are not counted. */
const SMALL_BYTES = 65_536;
/** A body is in memory as the text of its document, as a text of its own, and as bytes. */
const TIMES_IN_MEMORY = 3;
/** Each wait looks this often whether it may go on. */
const TICK_MS = 500;

/** Memory that the bodies of events take while they are sent. */
export interface DeliveryRoom {
  /** Call when only the bytes of the bodies are left. */
  keepBodies(): void;
  release(): void;
}

interface Wanted {
  owner: Owner;
  /** Bytes of the documents and contents that are sent. */
  bytes: number;
  /** False ends the wait. */
  mayWait(this: void): boolean;
}

/** Waits for room for the bodies of events. @returns undefined when the wait ends without it */
export async function takeRoom(
  deps: Pick<Deps, "memory" | "sleep">,
  wanted: Wanted,
): Promise<DeliveryRoom | undefined> {
  const { owner, bytes } = wanted;
  if (bytes < SMALL_BYTES) return { keepBodies: () => undefined, release: () => undefined };
  const most = TIMES_IN_MEMORY * bytes;
  const taken = deps.memory.tryTake(owner, most) ?? (await waitForRoom(deps, most, wanted));
  if (taken === undefined) return undefined;
  let release = taken;
  return {
    keepBodies: () => {
      const kept = deps.memory.hold(owner, bytes);
      release();
      release = kept;
    },
    release: () => release(),
  };
}

async function waitForRoom(
  { memory, sleep }: Pick<Deps, "memory" | "sleep">,
  bytes: number,
  { owner, mayWait }: Wanted,
): Promise<(() => void) | undefined> {
  const over = new AbortController();
  const ended = new AbortController();
  const watching = async (): Promise<void> => {
    while (!ended.signal.aborted && mayWait()) await sleep(TICK_MS);
    if (!ended.signal.aborted) over.abort();
  };
  void watching();
  try {
    return await memory.take(owner, bytes, { left: over.signal });
  } catch (error) {
    if (!over.signal.aborted) throw error;
    return undefined;
  } finally {
    ended.abort();
  }
}
