import { useCallback, useEffect, useRef, useState } from "preact/hooks";
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

/** Loads a job, and every second again while it runs, the page is visible and no answer is due. */
export function useJob(id: string): WatchedJob {
  const [{ details, atMs }, setLoaded] = useState<{ details?: JobDetails; atMs: number }>({ atMs: 0 });
  const [error, setError] = useState<ApiError>();
  /** The latest request. Answers to earlier ones are dropped. */
  const asked = useRef({ isAnswered: true });
  const refresh = useCallback(async (): Promise<JobDetails | undefined> => {
    const request = { isAnswered: false };
    asked.current = request;
    try {
      const next = await ask<JobDetails>(`/v2/jobs/${encodeURIComponent(id)}`);
      if (asked.current !== request) return next;
      setLoaded({ details: next, atMs: Date.now() });
      setError(undefined);
      return next;
    } catch (failure) {
      if (asked.current === request) setError(toApiError(failure));
      return undefined;
    } finally {
      request.isAnswered = true;
    }
  }, [id]);
  useEffect(() => void refresh(), [refresh]);
  const isRunning = details !== undefined && isUnderWay(details.job);
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible" && asked.current.isAnswered) void refresh();
    }, POLL_MS);
    return () => clearInterval(timer);
  }, [isRunning, refresh]);
  return { details, atMs, error, refresh };
}
