import type { AppendOutcome, Frontiers, JobProgress, StartOutcome } from "../../ports/crawl/frontier.ts";
import type { CrawlFrontier } from "./crawl-frontier.ts";
import { createObjectCalls } from "../object-calls.ts";

/**
 * Calls each job's object. While a deployment is rolled out, objects may still run its predecessor: their responses are
 * converted to those of this version. Every transition may be sent twice, except those that
 * are tried once.
 */
export function createFrontiers(namespace: DurableObjectNamespace<CrawlFrontier>): Frontiers {
  const call = createObjectCalls(namespace);
  return {
    start: (jobId, frontier) => call(jobId, async (stub) => toStartOutcome(await stub.start(frontier))),
    append: (jobId, { urls, appendId }) =>
      call(jobId, async (stub) => toAppendOutcome(await stub.append({ urls: [...urls], appendId }))),
    retry: (jobId, retryId) => call(jobId, async (stub) => stub.retry(retryId)),
    open: (jobId, messageId) => call(jobId, async (stub) => stub.open(messageId)),
    recordedOptions: (jobId) => call(jobId, async (stub) => stub.recordedOptions()),
    // A claim whose response was lost is released by the next claim of the same run, or when its lease expires.
    work: (jobId, request) => call(jobId, async (stub) => stub.work(request)),
    raise: (jobId, page) => call(jobId, async (stub) => stub.raise(page)),
    progress: (jobId) => call(jobId, async (stub) => toProgress(await stub.progress())),
    hold: (jobId, untilMs) => call(jobId, async (stub) => stub.hold(untilMs)),
    versions: (jobId, query) =>
      call(jobId, async (stub) => stub.versions("keys" in query ? { keys: [...query.keys] } : query)),
    missing: (jobId, keys) => call(jobId, async (stub) => stub.missing([...keys])),
    tombstones: (jobId, page) => call(jobId, async (stub) => stub.tombstones(page)),
    documents: (jobId, page) =>
      call(jobId, async (stub) => {
        const found = await stub.documents(page);
        return found && { ...found, progress: toProgress(found.progress) };
      }),
    findDocument: (jobId, scrapeId) => call(jobId, async (stub) => stub.findDocument(scrapeId)),
    failures: (jobId, page) => call(jobId, async (stub) => stub.failures(page)),
    urls: (jobId, page) => call(jobId, async (stub) => stub.urls(page)),
    fail: (jobId, error) => call(jobId, async (stub) => void (await stub.cancel(error))),
    // A repeated call would return the status that the first one has set.
    cancel: (jobId) => call(jobId, async (stub) => stub.cancel(), 1),
    takeEvents: (jobId, limit) => call(jobId, async (stub) => stub.takeEvents(limit)),
    noteSent: (jobId, sent) => call(jobId, async (stub) => stub.noteSent(sent)),
    replayEvents: (jobId, webhookIds) =>
      call(jobId, async (stub) => stub.replayEvents(webhookIds === undefined ? undefined : [...webhookIds])),
    settle: (jobId, costs) => call(jobId, async (stub) => toProgress(await stub.settle(costs))),
    forget: (jobId, { createdAtMs, endedAtMs }) => call(jobId, async (stub) => stub.forget(createdAtMs, endedAtMs)),
    noteRead: (jobId, read) => call(jobId, async (stub) => stub.noteRead(read)),
    close: (jobId, forgetting) => call(jobId, async (stub) => stub.close(forgetting)),
  };
}

/** An object of an earlier version returns whether its key had a slot. */
function toStartOutcome(outcome: StartOutcome | boolean): StartOutcome {
  if (typeof outcome === "string") return outcome;
  return outcome ? "started" : "no_slot";
}

/** An object of an earlier version returns whether the URLs were added, which a batch that has ended refuses. */
function toAppendOutcome(outcome: AppendOutcome | boolean): AppendOutcome {
  if (typeof outcome === "string") return outcome;
  return outcome ? "appended" : "ended";
}

type AnyProgress = Omit<JobProgress, "documents"> & Partial<Pick<JobProgress, "documents">>;

/** In an object of an earlier version every completed page is a document. */
function toProgress(progress: AnyProgress): JobProgress;
function toProgress(progress: AnyProgress | undefined): JobProgress | undefined;
function toProgress(progress: AnyProgress | undefined): JobProgress | undefined {
  return progress && { ...progress, documents: progress.documents ?? progress.completed };
}
