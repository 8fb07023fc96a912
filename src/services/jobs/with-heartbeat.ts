import type { Deps } from "../deps.ts";

const HEARTBEAT_MS = 3_000;

/**
 * Calls `beat` every 3 s while the work runs, to renew the lease of its worker run. A failed heartbeat is skipped: the
 * lease lasts for several.
 */
export async function withHeartbeat<Result>(
  { sleep, defer }: Pick<Deps, "sleep" | "defer">,
  beat: () => Promise<unknown>,
  work: () => Promise<Result>,
): Promise<Result> {
  const over = new AbortController();
  const beating = async (): Promise<void> => {
    while (!over.signal.aborted) {
      await sleep(HEARTBEAT_MS);
      if (!over.signal.aborted) await beat().catch(() => undefined);
    }
  };
  defer(beating());
  try {
    return await work();
  } finally {
    over.abort();
  }
}
