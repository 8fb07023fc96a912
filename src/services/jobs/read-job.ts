import type { DocumentRun, JobProgress } from "../../ports/crawl/frontier.ts";
import type { Blobs } from "../../ports/storage/blobs.ts";
import type { Deps } from "../deps.ts";

export type { JobProgress } from "../../ports/crawl/frontier.ts";

const MAX_PAGE_BYTES = 10 * 1024 * 1024;

/** A page of a job's documents, in the order in which they were finished, with the job's progress at that moment. */
export interface JobPage {
  progress: JobProgress;
  /** Number of documents on this page; zero when there is none at this place yet. */
  count: number;
  /** The documents as JSON texts separated by commas. */
  documents: ReadableStream<Uint8Array>;
}

/**
 * Reads a page of a job's documents, at least one if there is one; undefined when the frontier does not know the job.
 */
export async function readJob(
  { frontiers, blobs }: Pick<Deps, "frontiers" | "blobs">,
  id: string,
  page: { skip: number; limit: number; maxBytes?: number },
): Promise<JobPage | undefined> {
  const found = await frontiers.documents(id, { maxBytes: MAX_PAGE_BYTES, ...page });
  if (found === undefined) return undefined;
  return { progress: found.progress, count: found.count, documents: streamRuns(blobs, found.runs) };
}

interface Stretch {
  object: string;
  offset: number;
  length: number;
}

/** Returns ranges of objects that can be copied unchanged: documents with one comma between each two. */
export function stretchesOf(runs: readonly DocumentRun[]): Stretch[] {
  const stretches: Stretch[] = [];
  for (const { object, documents } of runs) {
    let open: Stretch | undefined;
    for (const { offset, length } of documents) {
      if (open !== undefined && open.offset + open.length + 1 === offset) open.length += 1 + length;
      else stretches.push((open = { object, offset, length }));
    }
  }
  return stretches;
}

/** Streams one object after the other, so that at most one of them is in memory. */
function streamRuns(blobs: Pick<Blobs, "get">, runs: readonly DocumentRun[]): ReadableStream<Uint8Array> {
  const stretches = stretchesOf(runs);
  let next = 0;
  return new ReadableStream({
    async pull(controller) {
      const stretch = stretches[next];
      if (stretch === undefined) return controller.close();
      const blob = await blobs.get(stretch.object, stretch);
      if (blob === undefined) throw new Error(`The object ${stretch.object} is gone`);
      if (next > 0) controller.enqueue(new TextEncoder().encode(","));
      controller.enqueue(blob.bytes);
      next++;
    },
  });
}
