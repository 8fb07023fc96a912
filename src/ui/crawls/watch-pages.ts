import type { ArrivedPage } from "./crawl-types.ts";
import { toArrived } from "./to-arrived.ts";
import { watchSocket } from "./watch-socket.ts";

/** Pages come in bursts; the screen is drawn once for all of such a while. */
const GATHERING_MS = 200;

export interface PageEvents {
  /** Once, with the pages that there were when the watch began. */
  onLive: (pages: ArrivedPage[]) => void;
  onPages: (pages: ArrivedPage[]) => void;
  onEnd: (isDone: boolean) => void;
}

/** Watches the pages of a crawl as they come. @returns a function that stops watching. */
export function watchPages(id: string, { onLive, onPages, onEnd }: PageEvents): () => void {
  let gathered: ArrivedPage[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const hand = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const pages = gathered;
    gathered = [];
    if (pages.length > 0) onPages(pages);
  };
  const stop = watchSocket(id, {
    onCatchUp: ({ data }) => onLive(data.map(toArrived)),
    onDocument: (document) => {
      gathered.push(toArrived(document));
      timer ??= setTimeout(hand, GATHERING_MS);
    },
    onEnd: ({ isDone }) => {
      hand();
      onEnd(isDone);
    },
  });
  return () => {
    clearTimeout(timer);
    stop();
  };
}
