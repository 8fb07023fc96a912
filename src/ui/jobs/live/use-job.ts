import { useCallback, useEffect, useState } from "preact/hooks";
import { ask } from "../../api/client.ts";
import type { ApiError } from "../../api/client.ts";
import { toApiError } from "../../api/use-loaded.ts";
import { isUnderWay } from "../job-types.ts";
import type { JobDetails } from "../job-types.ts";

const POLL_MS = 1_000;

export interface WatchedJob {
  details: JobDetails | undefined;
  /** When the details were received (Unix time). */
  atMs: number;
  error: ApiError | undefined;
  refresh: () => Promise<JobDetails | undefined>;
}

/** Loads a job, and every second again while it runs and the page is visible. */
export function useJob(id: string): WatchedJob {
  const [{ details, atMs }, setLoaded] = useState<{ details?: JobDetails; atMs: number }>({ atMs: 0 });
  const [error, setError] = useState<ApiError>();
  const refresh = useCallback(async (): Promise<JobDetails | undefined> => {
    try {
      const next = await ask<JobDetails>(`/v2/jobs/${encodeURIComponent(id)}`);
      setLoaded({ details: next, atMs: Date.now() });
      setError(undefined);
      return next;
    } catch (failure) {
      setError(toApiError(failure));
      return undefined;
    }
  }, [id]);
  useEffect(() => void refresh(), [refresh]);
  const isRunning = details !== undefined && isUnderWay(details.job);
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") void refresh();
    }, POLL_MS);
    return () => clearInterval(timer);
  }, [isRunning, refresh]);
  return { details, atMs, error, refresh };
}
