import { once } from "node:events";
import { join } from "node:path";
import { Worker } from "node:worker_threads";

export interface BenchSite {
  url: string;
  close(): Promise<void>;
}

/** Serves the bench's pages from a thread of its own, so that the measuring side does not wait for it. */
export async function startBenchSite(): Promise<BenchSite> {
  const thread = new Worker(join(import.meta.dirname, "bench-site-thread.ts"));
  const [url] = (await once(thread, "message")) as [string];
  return {
    url,
    close: async () => {
      await thread.terminate();
    },
  };
}
