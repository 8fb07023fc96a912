import type { Frontiers } from "../../ports/crawl/frontier.ts";
import type { CrawlFrontier } from "./crawl-frontier.ts";
import { createObjectCalls } from "../object-calls.ts";

/** Calls each job's object. Every transition may be sent twice, except those that are tried once. */
export function createFrontiers(namespace: DurableObjectNamespace<CrawlFrontier>): Frontiers {
  const call = createObjectCalls(namespace);
  return {
    start: (jobId, frontier) => call(jobId, (stub) => stub.start(frontier)),
    append: (jobId, { urls, appendId }) => call(jobId, (stub) => stub.append({ urls: [...urls], appendId })),
    retry: (jobId, retryId) => call(jobId, async (stub) => stub.retry(retryId)),
    open: (jobId, messageId) => call(jobId, async (stub) => stub.open(messageId)),
    // A claim whose response was lost is released by the next claim of the same run, or when its lease expires.
    work: (jobId, request) => call(jobId, async (stub) => stub.work(request)),
    progress: (jobId) => call(jobId, async (stub) => stub.progress()),
    hold: (jobId, untilMs) => call(jobId, async (stub) => stub.hold(untilMs)),
    versions: (jobId, query) =>
      call(jobId, async (stub) => stub.versions("keys" in query ? { keys: [...query.keys] } : query)),
    missing: (jobId, keys) => call(jobId, async (stub) => stub.missing([...keys])),
    tombstones: (jobId, page) => call(jobId, async (stub) => stub.tombstones(page)),
    documents: (jobId, page) => call(jobId, async (stub) => stub.documents(page)),
    findDocument: (jobId, scrapeId) => call(jobId, async (stub) => stub.findDocument(scrapeId)),
    failures: (jobId, page) => call(jobId, async (stub) => stub.failures(page)),
    urls: (jobId, page) => call(jobId, async (stub) => stub.urls(page)),
    fail: (jobId, error) => call(jobId, async (stub) => void (await stub.cancel(error))),
    cancel: (jobId) => call(jobId, async (stub) => stub.cancel()),
    takeEvents: (jobId, limit) => call(jobId, async (stub) => stub.takeEvents(limit)),
    noteSent: (jobId, sent) => call(jobId, async (stub) => stub.noteSent(sent)),
    replayEvents: (jobId, webhookIds) =>
      call(jobId, async (stub) => stub.replayEvents(webhookIds === undefined ? undefined : [...webhookIds])),
    settle: (jobId, costs) => call(jobId, async (stub) => stub.settle(costs)),
    forget: (jobId) => call(jobId, async (stub) => stub.forget()),
    close: (jobId) => call(jobId, async (stub) => stub.close()),
  };
}
