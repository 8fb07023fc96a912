import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "./client.ts";

export interface Loaded<Value> {
  /** The latest value, also while a newer one is loading. */
  value: Value | undefined;
  error: ApiError | undefined;
  isLoading: boolean;
  /** True while `value` is the one of earlier inputs. */
  isStale: boolean;
  reload: () => void;
}

/**
 * Loads a value when the view opens, when `inputs` change, and every `everyMs` while the page is visible and nothing is
 * loading.
 * @param load receives a signal that aborts when its result is no longer needed.
 */
export function useLoaded<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  inputs: readonly unknown[],
  everyMs?: number,
): Loaded<Value> {
  const [latestValue, setValue] = useState<{ value: Value; of: readonly unknown[] }>();
  const [error, setError] = useState<ApiError>();
  const [isLoading, setLoading] = useState(true);
  const [loads, setLoads] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  const isUnderWay = useRef(false);

  useEffect(() => {
    const leaving = new AbortController();
    setLoading(true);
    isUnderWay.current = true;
    latest.current(leaving.signal).then(
      (next) => {
        if (leaving.signal.aborted) return;
        isUnderWay.current = false;
        setValue({ value: next, of: inputs });
        setError(undefined);
        setLoading(false);
      },
      (failure: unknown) => {
        if (leaving.signal.aborted) return;
        isUnderWay.current = false;
        setError(toApiError(failure));
        setLoading(false);
      },
    );
    return () => leaving.abort();
  }, [...inputs, loads]);

  const reload = useCallback(() => setLoads((count) => count + 1), []);
  useEffect(() => {
    if (everyMs === undefined) return undefined;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible" && !isUnderWay.current) reload();
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs, reload]);
  const isStale = latestValue?.of.some((input, at) => !Object.is(input, inputs[at])) === true;
  return { value: latestValue?.value, error, isLoading, isStale, reload };
}

export function toApiError(failure: unknown): ApiError {
  if (failure instanceof ApiError) return failure;
  return new ApiError(failure instanceof Error ? failure.message : String(failure), { status: 0 });
}
