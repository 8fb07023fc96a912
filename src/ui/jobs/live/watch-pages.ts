import type { ArrivedPage } from "../crawl-types.ts";
import { toArrived } from "./to-arrived.ts";
import { watchSocket } from "./watch-socket.ts";

/** Time in ms during which pages are collected for one update of the view. */
const BATCH_MS = 200;

export interface PageEvents {
  /** Called once, with the pages that the crawl had when the connection opened. */
  onLive: (pages: ArrivedPage[]) => void;
  onPages: (pages: ArrivedPage[]) => void;
  onEnd: (isDone: boolean) => void;
}

/** Watches the pages of a crawl or batch. @param path of its status. @returns a function that stops watching. */
export function watchPages(path: string, { onLive, onPages, onEnd }: PageEvents): () => void {
  let batch: ArrivedPage[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const pages = batch;
    batch = [];
    if (pages.length > 0) onPages(pages);
  };
  const stop = watchSocket(path, {
    onCatchUp: ({ data }) => onLive(data.map(toArrived)),
    onDocument: (document) => {
      batch.push(toArrived(document));
      timer ??= setTimeout(flush, BATCH_MS);
    },
    onEnd: ({ isDone }) => {
      flush();
      onEnd(isDone);
    },
  });
  return () => {
    clearTimeout(timer);
    stop();
  };
}
