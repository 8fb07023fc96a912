import { useEffect, useState } from "preact/hooks";

/**
 * Returns which of `count` pieces are rendered: the first ones at once, the others one by one while the browser is idle,
 * and `wanted` before them. While it is paused no further ones are added.
 */
export function usePieces(
  count: number,
  { atOnce, wanted, isPaused = false }: { atOnce: number; wanted?: number | undefined; isPaused?: boolean },
): ReadonlySet<number> {
  const [shown, setShown] = useState<ReadonlySet<number>>(() => firstOf(Math.min(atOnce, count)));
  useEffect(() => setShown(firstOf(Math.min(atOnce, count))), [count]);
  useEffect(() => {
    if (wanted !== undefined) setShown((current) => (current.has(wanted) ? current : new Set(current).add(wanted)));
  }, [wanted]);
  useEffect(() => {
    const next = isPaused ? undefined : firstMissing(shown, count);
    if (next === undefined) return undefined;
    return whenIdle(() => setShown((current) => new Set(current).add(next)));
  }, [shown, count, isPaused]);
  return shown;
}

function firstOf(count: number): ReadonlySet<number> {
  return new Set(Array.from({ length: count }, (_, at) => at));
}

function firstMissing(shown: ReadonlySet<number>, count: number): number | undefined {
  for (let at = 0; at < count; at++) if (!shown.has(at)) return at;
  return undefined;
}

const IDLE_TIMEOUT_MS = 400;

/** Calls when the browser is idle. @returns Cancels the call. */
function whenIdle(call: () => void): () => void {
  if ("requestIdleCallback" in globalThis) {
    const id = requestIdleCallback(call, { timeout: IDLE_TIMEOUT_MS });
    return () => cancelIdleCallback(id);
  }
  const id = setTimeout(call, 16);
  return () => clearTimeout(id);
}
