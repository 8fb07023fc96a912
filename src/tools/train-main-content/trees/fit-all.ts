import { once } from "node:events";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { FitJob, FitResult } from "./fit-job.ts";

/** Runs jobs in a few threads. The results, in the order of the jobs, do not depend on the number of threads. */
export async function fitAll(jobs: readonly FitJob[], threads: number): Promise<FitResult[]> {
  const results: FitResult[] = [];
  let next = 0;
  const work = async () => {
    const worker = new Worker(join(import.meta.dirname, "fit-thread.ts"));
    try {
      for (let job = next++; job < jobs.length; job = next++) {
        worker.postMessage(jobs[job], []);
        [results[job]] = (await once(worker, "message")) as [FitResult];
      }
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: Math.min(threads, jobs.length) }, work));
  return results;
}
