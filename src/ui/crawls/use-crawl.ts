import { useCallback, useEffect, useState } from "preact/hooks";
import { ask } from "../api/client.ts";
import type { ApiError } from "../api/client.ts";
import { toApiError } from "../api/use-loaded.ts";
import type { ShownDocument } from "../playground/documents.ts";
import type { ArrivedPage, CrawlStatus } from "./crawl-types.ts";
import { rememberCrawl } from "./known-crawls.ts";
import { watchSocket } from "./watch-socket.ts";

/** Beyond this the list on the screen would be slow; downloads have everything. */
export const MAX_LISTED = 1_000;
const POLL_MS = 2_000;

export interface WatchedCrawl {
  status: CrawlStatus | undefined;
  /** The latest first. */
  pages: ArrivedPage[];
  /** Pages that came so far, the ones no longer listed included. */
  seen: number;
  /** Moments at which pages arrived while this was watched. */
  arrivalsMs: number[];
  connection: "opening" | "live" | "ended" | "lost";
  error: ApiError | undefined;
  refresh: () => void;
}

/** Watches a crawl: its pages over the socket as they come, its numbers by asking every two seconds while it runs. */
export function useCrawl(id: string): WatchedCrawl {
  const [status, setStatus] = useState<CrawlStatus>();
  const [pages, setPages] = useState<ArrivedPage[]>([]);
  const [seen, setSeen] = useState(0);
  const [arrivalsMs, setArrivals] = useState<number[]>([]);
  const [connection, setConnection] = useState<WatchedCrawl["connection"]>("opening");
  const [error, setError] = useState<ApiError>();

  const refresh = useCallback(() => {
    ask<CrawlStatus>(`/v2/crawl/${encodeURIComponent(id)}?limit=1`).then(
      (next) => {
        setStatus(next);
        setError(undefined);
        const { status: state, completed, total } = next;
        rememberCrawl({ id, status: state, completed, total, atMs: Date.parse(next.createdAt ?? "") || Date.now() });
      },
      // A crawl that could not begin answers as an error, with its status in the body all the same.
      (failure: unknown) => setError(toApiError(failure)),
    );
  }, [id]);

  useEffect(() => {
    setStatus(undefined);
    setPages([]);
    setSeen(0);
    setArrivals([]);
    setConnection("opening");
    refresh();
    return watchSocket(id, {
      onCatchUp: (caughtUp) => {
        setConnection("live");
        setSeen(caughtUp.data.length);
        setPages(caughtUp.data.map(toArrived).toReversed().slice(0, MAX_LISTED));
      },
      onDocument: (document) => {
        setSeen((count) => count + 1);
        setPages((earlier) => [toArrived(document), ...earlier].slice(0, MAX_LISTED));
        setArrivals((earlier) => [...earlier, Date.now()]);
      },
      onEnd: ({ isDone }) => {
        setConnection(isDone ? "ended" : "lost");
        refresh();
      },
    });
  }, [id, refresh]);

  const isRunning = status?.status === "scraping";
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setInterval(refresh, POLL_MS);
    return () => clearInterval(timer);
  }, [isRunning, refresh]);

  return { status, pages, seen, arrivalsMs, connection, error, refresh };
}

function toArrived({ metadata = {} }: ShownDocument): ArrivedPage {
  const { title, sourceURL, url, statusCode, scrapeId } = metadata;
  return {
    url: String(url ?? sourceURL ?? ""),
    title: typeof title === "string" && title !== "" ? title : undefined,
    statusCode: typeof statusCode === "number" ? statusCode : undefined,
    scrapeId: typeof scrapeId === "string" ? scrapeId : undefined,
    atMs: Date.now(),
  };
}
