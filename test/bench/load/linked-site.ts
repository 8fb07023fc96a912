import { once } from "node:events";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { BenchSite } from "./bench-site.ts";
import type { Served, SiteData } from "./linked-site-thread.ts";

/** A site of articles whose pages can change. */
export interface LinkedSite extends BenchSite {
  /** Changes the article of so many pages. */
  change(pages: number): Promise<void>;
  /** Returns what the site has sent since the last question. */
  served(): Promise<Served>;
}

/** So many articles that link to each other, served from a thread of their own. */
export async function startLinkedSite(pages: number, dates: SiteData["dates"] = "none"): Promise<LinkedSite> {
  const workerData: SiteData = { pages, dates };
  const thread = new Worker(join(import.meta.dirname, "linked-site-thread.ts"), { workerData });
  const [url] = (await once(thread, "message")) as [string];
  const tell = async (message: { changed?: number }): Promise<Served> => {
    const answer = once(thread, "message");
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    thread.postMessage(message);
    const [served] = (await answer) as [Served];
    return served;
  };
  return {
    url: `${url}/`,
    change: async (changed) => void (await tell({ changed })),
    served: () => tell({}),
    close: async () => {
      await thread.terminate();
    },
  };
}
