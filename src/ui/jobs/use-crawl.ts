import { useCallback, useEffect, useState } from "preact/hooks";
import { ask } from "../api/client.ts";
import type { ApiError } from "../api/client.ts";
import { toApiError } from "../api/use-loaded.ts";
import type { CrawlStatus } from "./crawl-types.ts";
import { NO_PAGES, earlierCount, withEarlier, withLater } from "./detail/held-pages.ts";
import type { HeldPages } from "./detail/held-pages.ts";
import { rememberCrawl } from "./known-crawls.ts";
import { readPages } from "./detail/read-pages.ts";
import { watchPages } from "./watch-pages.ts";

const POLL_MS = 2_000;
const FIRST_PAGES = 100;
const MORE_PAGES = 500;

export interface WatchedCrawl extends HeldPages {
  status: CrawlStatus | undefined;
  /** When the status was received (Unix time). */
  statusAtMs: number;
  /** When pages arrived over the live connection (Unix times). */
  arrivalsMs: number[];
  connection: "opening" | "live" | "ended" | "lost";
  error: ApiError | undefined;
  refresh: () => void;
  /** Reads some of the pages before those that are held. @throws ApiError */
  readEarlier: () => Promise<void>;
}

/**
 * Watches a crawl while it runs: receives pages over the WebSocket and polls the status every two seconds. For a crawl
 * that has ended, reads the latest pages.
 */
export function useCrawl(id: string): WatchedCrawl {
  const { status, statusAtMs, error, refresh } = useStatus(id);
  const [held, setHeld] = useState(NO_PAGES);
  const [arrivalsMs, setArrivals] = useState<number[]>([]);
  const [connection, setConnection] = useState<WatchedCrawl["connection"]>("opening");

  useEffect(() => {
    let leave = (): void => {};
    let isLeft = false;
    setHeld(NO_PAGES);
    setArrivals([]);
    setConnection("opening");
    const open = async (): Promise<void> => {
      const now = await refresh();
      if (now === undefined || isLeft) return;
      if (now.status !== "scraping") {
        setConnection("ended");
        const pages = await latestPages(id, now.completed);
        if (!isLeft) setHeld(pages);
        return;
      }
      leave = watchPages(id, {
        onLive: (pages) => {
          setConnection("live");
          setHeld(withLater(NO_PAGES, pages));
        },
        onPages: (pages) => {
          const nowMs = Date.now();
          setHeld((earlier) => withLater(earlier, pages));
          setArrivals((earlier) => [...earlier, ...pages.map(() => nowMs)]);
        },
        onEnd: (isDone) => {
          setConnection(isDone ? "ended" : "lost");
          void refresh();
        },
      });
    };
    void open();
    return () => {
      isLeft = true;
      leave();
    };
  }, [id, refresh]);

  const readEarlier = async (): Promise<void> => {
    const to = earlierCount(held);
    const earlier = await readPages(id, { from: Math.max(0, to - MORE_PAGES), to });
    setHeld((now) => withEarlier(now, { earlier, to }));
  };

  return { ...held, status, statusAtMs, arrivalsMs, connection, error, refresh: () => void refresh(), readEarlier };
}

async function latestPages(id: string, completed: number): Promise<HeldPages> {
  const from = Math.max(0, completed - FIRST_PAGES);
  // If this fails, the list offers to load earlier pages, which then shows the error.
  const pages = await readPages(id, { from, to: completed }).catch(() => []);
  return withLater({ ...NO_PAGES, seen: completed - pages.length }, pages);
}

/** Loads the status of a crawl and polls it while the crawl runs. */
function useStatus(id: string) {
  const [{ status, statusAtMs }, setStatus] = useState<{ status?: CrawlStatus; statusAtMs: number }>({ statusAtMs: 0 });
  const [error, setError] = useState<ApiError>();
  const refresh = useCallback(async (): Promise<CrawlStatus | undefined> => {
    try {
      const next = await ask<CrawlStatus>(`/v2/crawl/${encodeURIComponent(id)}?limit=1`);
      setStatus({ status: next, statusAtMs: Date.now() });
      setError(undefined);
      const { status: state, completed, total } = next;
      rememberCrawl({ id, status: state, completed, total, atMs: Date.parse(next.createdAt ?? "") || Date.now() });
      return next;
    } catch (failure) {
      // The status of a crawl that could not start is an error response.
      setError(toApiError(failure));
      return undefined;
    }
  }, [id]);

  const isRunning = status?.status === "scraping";
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setInterval(() => void refresh(), POLL_MS);
    return () => clearInterval(timer);
  }, [isRunning, refresh]);
  return { status, statusAtMs, error, refresh };
}
