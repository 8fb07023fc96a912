import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "./client.ts";

export interface Loaded<Value> {
  /** The last value that came, also while a newer one is loaded. */
  value: Value | undefined;
  error: ApiError | undefined;
  isLoading: boolean;
  reload: () => void;
}

/**
 * Loads a value when the view opens, when `inputs` change, and every `everyMs` while the page is visible.
 * @param load is given a signal that ends it when its answer is no longer wanted.
 */
export function useLoaded<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  inputs: readonly unknown[],
  everyMs?: number,
): Loaded<Value> {
  const [value, setValue] = useState<Value>();
  const [error, setError] = useState<ApiError>();
  const [isLoading, setLoading] = useState(true);
  const [turn, setTurn] = useState(0);
  const latest = useRef(load);
  latest.current = load;

  useEffect(() => {
    const leaving = new AbortController();
    setLoading(true);
    latest.current(leaving.signal).then(
      (next) => {
        if (leaving.signal.aborted) return;
        setValue(() => next);
        setError(undefined);
        setLoading(false);
      },
      (failure: unknown) => {
        if (leaving.signal.aborted) return;
        setError(toApiError(failure));
        setLoading(false);
      },
    );
    return () => leaving.abort();
  }, [...inputs, turn]);

  const reload = useCallback(() => setTurn((count) => count + 1), []);
  useEffect(() => {
    if (everyMs === undefined) return undefined;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") reload();
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs, reload]);
  return { value, error, isLoading, reload };
}

export function toApiError(failure: unknown): ApiError {
  if (failure instanceof ApiError) return failure;
  return new ApiError(failure instanceof Error ? failure.message : String(failure), { status: 0 });
}
