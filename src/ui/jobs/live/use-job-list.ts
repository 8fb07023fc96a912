import { useEffect, useRef, useState } from "preact/hooks";
import { ask } from "../../api/client.ts";
import type { ApiError } from "../../api/client.ts";
import { toApiError } from "../../api/use-loaded.ts";
import { pathOf } from "../job-filter.ts";
import type { JobFilter } from "../job-filter.ts";
import { withNewest } from "./newest-jobs.ts";
import type { Job, JobList } from "../job-types.ts";

const PAGE_SIZE = 50;
const RELOAD_MS = 5_000;
/** Pages without a match that are read for one press of the button. */
const MAX_EMPTY_PAGES = 20;

export interface LoadedJobs {
  /** undefined until the first page has arrived. */
  jobs: Job[] | undefined;
  hasMore: boolean;
  error: ApiError | undefined;
  reload: () => void;
  loadMore: () => Promise<void>;
}

/** Loads the jobs that match a filter, and the newest ones again every few seconds while the page is visible. */
export function useJobList(filter: JobFilter): LoadedJobs {
  const [{ jobs, cursor }, setList] = useState<{ jobs?: Job[]; cursor: string | null }>({ cursor: null });
  const [error, setError] = useState<ApiError>();
  const leaving = useRef(new AbortController());
  const inputs = JSON.stringify(filter);

  const read = async (from: string | null): Promise<JobList | undefined> => {
    const { signal } = leaving.current;
    try {
      let page = await ask<JobList>(pathOf(filter, { cursor: from, limit: PAGE_SIZE, nowMs: Date.now() }), { signal });
      for (let count = 0; page.jobs.length === 0 && page.cursor !== null && count < MAX_EMPTY_PAGES; count++) {
        const path = pathOf(filter, { cursor: page.cursor, limit: PAGE_SIZE, nowMs: Date.now() });
        page = await ask<JobList>(path, { signal });
      }
      setError(undefined);
      return signal.aborted ? undefined : page;
    } catch (failure) {
      if (!signal.aborted) setError(toApiError(failure));
      return undefined;
    }
  };
  /** Replaces the newest jobs and retains the older ones that were loaded. */
  const refresh = async (): Promise<void> => {
    const page = await read(null);
    if (page === undefined) return;
    setList((now) => {
      const isFirst = now.jobs === undefined || now.jobs.length <= page.jobs.length;
      return isFirst ? page : { jobs: withNewest(now.jobs ?? [], page.jobs), cursor: now.cursor };
    });
  };
  useEffect(() => {
    leaving.current = new AbortController();
    setList({ cursor: null });
    let isReading = false;
    const reread = async (): Promise<void> => {
      isReading = true;
      await refresh();
      isReading = false;
    };
    void reread();
    const timer = setInterval(() => {
      if (document.visibilityState === "visible" && !isReading) void reread();
    }, RELOAD_MS);
    return () => {
      clearInterval(timer);
      leaving.current.abort();
    };
  }, [inputs]);

  const loadMore = async (): Promise<void> => {
    const page = await read(cursor);
    if (page === undefined) return;
    setList((now) => ({ jobs: [...(now.jobs ?? []), ...page.jobs], cursor: page.cursor }));
  };
  return { jobs, hasMore: cursor !== null, error, reload: () => void refresh(), loadMore };
}
