import { useEffect, useRef, useState } from "preact/hooks";
import type { ApiError } from "../../api/client.ts";
import { toApiError } from "../../api/use-loaded.ts";
import { NO_PAGES, earlierCount, withEarlier, withLater } from "../detail/held-pages.ts";
import type { HeldPages } from "../detail/held-pages.ts";
import { latestPages, readPages, newerPages } from "../detail/read-pages.ts";
import { isUnderWay } from "../job-types.ts";
import type { JobDetails } from "../job-types.ts";
import { watchPages } from "./watch-pages.ts";

const MORE_PAGES = 500;

export interface LivePages extends HeldPages {
  connection: "unread" | "opening" | "live" | "ended" | "lost";
  /** True until the pages of a job that has ended are read. */
  isLoading: boolean;
  /** Set if they could not be read. */
  error: ApiError | undefined;
  retry: () => void;
  /** Reads the pages of a job that is `unread`. */
  read: () => void;
  /** Reads some of the pages before those that are held. @throws ApiError */
  readEarlier: () => Promise<void>;
}

/**
 * Watches the pages of a crawl or batch over its WebSocket while it runs, and reads those that come after a loss of the
 * connection over HTTP. For one that has ended, reads the latest pages. Those of a job with zero data retention are `unread`
 * until `read` is called: they are returned once, and a program may wait for them.
 * @param changed is called when the live connection has ended.
 */
export function useLivePages({ job, pages }: JobDetails, changed: () => void): LivePages {
  const [isRead, setRead] = useState(job.zeroDataRetention !== true);
  const [held, setHeld] = useState(NO_PAGES);
  const [connection, setConnection] = useState<LivePages["connection"]>(isRead ? "opening" : "unread");
  const [isLoading, setLoading] = useState(isRead && !isUnderWay(job));
  const [error, setError] = useState<ApiError>();
  const [tries, setTries] = useState(0);
  const { statusPath } = job;
  const count = pages?.documents ?? pages?.completed ?? 0;

  useEffect(() => {
    setHeld(NO_PAGES);
    if (!isRead) {
      setConnection("unread");
      return undefined;
    }
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
      latestPages(statusPath, count).then(
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
  }, [statusPath, tries, isRead]);

  useUnwatched(connection === "lost", { statusPath, held, count, isRunning: isUnderWay(job), setHeld, setError });

  const readEarlier = async (): Promise<void> => {
    const to = earlierCount(held);
    const earlier = await readPages(statusPath, { from: Math.max(0, to - MORE_PAGES), to });
    setHeld((now) => withEarlier(now, { earlier, to }));
  };
  const retry = (): void => setTries((earlier) => earlier + 1);
  return { ...held, connection, isLoading, error, retry, read: () => setRead(true), readEarlier };
}

interface Unwatched {
  statusPath: string;
  held: HeldPages;
  /** Number of pages that the job has. */
  count: number;
  isRunning: boolean;
  setHeld: (change: (now: HeldPages) => HeldPages) => void;
  setError: (error: ApiError | undefined) => void;
}

/** Reads the pages that are not held yet over HTTP, one read at a time: when the job has more, and when it has ended. */
function useUnwatched(isLost: boolean, { statusPath, held, count, isRunning, setHeld, setError }: Unwatched): void {
  const latest = useRef({ isReading: false, wanted: "" });
  const [reads, setReads] = useState(0);
  const wanted = JSON.stringify([statusPath, count, isRunning]);
  useEffect(() => {
    const isTried = latest.current.wanted === wanted;
    if (!isLost || latest.current.isReading || isTried || count <= held.seen) return;
    latest.current = { isReading: true, wanted };
    const done = (failure?: ApiError): void => {
      latest.current.isReading = false;
      setError(failure);
      setReads((earlier) => earlier + 1);
    };
    newerPages(statusPath, { from: held.seen, to: count }).then(
      (add) => {
        setHeld(add);
        done();
      },
      // While the job runs, its next page or its end is the next attempt.
      (failure: unknown) => done(isRunning ? undefined : toApiError(failure)),
    );
  }, [isLost, wanted, reads]);
}
