import { useEffect, useState } from "preact/hooks";
import type { ApiError } from "../../api/client.ts";
import { toApiError } from "../../api/use-loaded.ts";
import { NO_PAGES, earlierCount, withEarlier, withLater } from "../detail/held-pages.ts";
import type { HeldPages } from "../detail/held-pages.ts";
import { readPages } from "../detail/read-pages.ts";
import { isUnderWay } from "../job-types.ts";
import type { JobDetails } from "../job-types.ts";
import { watchPages } from "./watch-pages.ts";

const FIRST_PAGES = 100;
const MORE_PAGES = 500;

export interface LivePages extends HeldPages {
  connection: "opening" | "live" | "ended" | "lost";
  /** True until the pages of a job that has ended are read. */
  isLoading: boolean;
  /** Set if they could not be read. */
  error: ApiError | undefined;
  retry: () => void;
  /** Reads some of the pages before those that are held. @throws ApiError */
  readEarlier: () => Promise<void>;
}

/**
 * Watches the pages of a crawl or batch over its WebSocket while it runs. For one that has ended, reads the latest pages.
 * @param changed is called when the live connection has ended.
 */
export function useLivePages({ job, pages }: JobDetails, changed: () => void): LivePages {
  const [held, setHeld] = useState(NO_PAGES);
  const [connection, setConnection] = useState<LivePages["connection"]>("opening");
  const [isLoading, setLoading] = useState(!isUnderWay(job));
  const [error, setError] = useState<ApiError>();
  const [tries, setTries] = useState(0);
  const { statusPath } = job;

  useEffect(() => {
    setHeld(NO_PAGES);
    if (!isUnderWay(job)) {
      let isLeft = false;
      setConnection("ended");
      setLoading(true);
      setError(undefined);
      const show = (latest: HeldPages, failure?: unknown): void => {
        if (isLeft) return;
        setHeld(latest);
        setError(failure === undefined ? undefined : toApiError(failure));
        setLoading(false);
      };
      latestPages(statusPath, pages?.documents ?? pages?.completed ?? 0).then(
        (latest) => show(latest),
        (failure: unknown) => show(NO_PAGES, failure),
      );
      return () => {
        isLeft = true;
      };
    }
    setConnection("opening");
    return watchPages(statusPath, {
      onLive: (live) => {
        setConnection("live");
        setHeld(withLater(NO_PAGES, live));
      },
      onPages: (arrived) => setHeld((earlier) => withLater(earlier, arrived)),
      onEnd: (isDone) => {
        setConnection(isDone ? "ended" : "lost");
        changed();
      },
    });
    // The state at the first view decides; the socket follows from there.
  }, [statusPath, tries]);

  const readEarlier = async (): Promise<void> => {
    const to = earlierCount(held);
    const earlier = await readPages(statusPath, { from: Math.max(0, to - MORE_PAGES), to });
    setHeld((now) => withEarlier(now, { earlier, to }));
  };
  return { ...held, connection, isLoading, error, retry: () => setTries((count) => count + 1), readEarlier };
}

async function latestPages(statusPath: string, completed: number): Promise<HeldPages> {
  const from = Math.max(0, completed - FIRST_PAGES);
  const pages = await readPages(statusPath, { from, to: completed });
  return withLater({ ...NO_PAGES, seen: completed - pages.length }, pages);
}
