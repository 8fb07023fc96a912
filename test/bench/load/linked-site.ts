import { once } from "node:events";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { BenchSite } from "./bench-site.ts";

/** So many articles that link to each other, served from a thread of their own. */
export async function startLinkedSite(pages: number): Promise<BenchSite> {
  const thread = new Worker(join(import.meta.dirname, "linked-site-thread.ts"), { workerData: { pages } });
  const [url] = (await once(thread, "message")) as [string];
  return {
    url: `${url}/`,
    close: async () => {
      await thread.terminate();
    },
  };
}
