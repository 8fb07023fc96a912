import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { Meter } from "../../src/core/account/meter.ts";
import { createKeyLedger } from "../../src/platform/account/key-ledger-port.ts";
import { createHostThrottle } from "../../src/platform/crawl/host-throttle-port.ts";
import { createStepJobs } from "../../src/platform/jobs/step-job-port.ts";
import { meterBindings } from "../../src/platform/metering/meter-bindings.ts";
import { createColoCache } from "../../src/platform/scrape/colo-cache.ts";
import { pageShards } from "../../src/platform/scrape/page-shards.ts";
import { indexShards } from "../../src/platform/search/index-shards.ts";
import { createR2Blobs } from "../../src/platform/r2-blobs.ts";
import { createApiKeyStore } from "../../src/storage/account/api-keys.ts";
import { createAgentTurns } from "../../src/storage/jobs/agent-turns.ts";
import { createWaitingCalls } from "../../src/storage/jobs/waiting-calls.ts";
import { createChangeHistory } from "../../src/storage/scrape/change-history.ts";
import { withNearDocuments } from "../../src/storage/scrape/near-documents.ts";
import { createPageStore } from "../../src/storage/scrape/page-store.ts";
import { createFeedbackStore } from "../../src/storage/search/feedback.ts";
import { createPageIndex, INDEX_LIMITS } from "../../src/storage/search/page-index.ts";
import { createProviderPauses } from "../../src/storage/search/provider-pauses.ts";
import { createFileStore } from "../../src/storage/scrape/files.ts";
import { jobListContract } from "../contracts/job-list.ts";
import { agentTurnsContract } from "../contracts/agent-turns.ts";
import { waitingCallsContract } from "../contracts/waiting-calls.ts";
import { fileStoreContract } from "../contracts/file-store.ts";
import { pageCacheContract } from "../contracts/page-cache.ts";
import { pageStoreContract } from "../contracts/page-store.ts";
import { pageIndexContract } from "../contracts/page-index.ts";
import { providerPausesContract } from "../contracts/provider-pauses.ts";
import { stepJobsContract } from "../contracts/step-jobs.ts";
import { apiKeyStoreContract } from "../contracts/api-key-store.ts";
import { blobsContract } from "../contracts/blobs.ts";
import { changeHistoryContract } from "../contracts/change-history.ts";
import { databaseContract } from "../contracts/database.ts";
import { feedbackStoreContract } from "../contracts/feedback-store.ts";
import { hostThrottleContract } from "../contracts/host-throttle.ts";
import { keyLedgerContract } from "../contracts/key-ledger.ts";
import { scrapeStoreContract } from "../contracts/scrape-store.ts";

// The adapters run on metered bindings, as they do in the service.
const meter = new Meter();
const bindings = meterBindings(env, meter);
const blobs = () => createR2Blobs(bindings.BUCKET);

apiKeyStoreContract("D1", () => createApiKeyStore(bindings.DB));
blobsContract("R2", blobs);
changeHistoryContract("D1 with R2", () => createChangeHistory(bindings.DB, blobs()));
databaseContract("D1", () => env.DB);
databaseContract("metered D1", () => bindings.DB);
feedbackStoreContract("D1", () => createFeedbackStore(bindings.DB));
hostThrottleContract("Durable Objects", () => createHostThrottle(bindings.HOST_THROTTLE), Date.now);
keyLedgerContract("Durable Objects", () => createKeyLedger(bindings.KEY_LEDGER, meter));
const pageStore = () =>
  createPageStore({
    shard: pageShards(bindings.PAGE_STORE),
    blobs: blobs(),
    retention: { resultMs: 86_400_000, cacheMs: 7 * 86_400_000 },
    isShared: false,
    fullShards: new Set(),
  });
scrapeStoreContract("Durable Objects with R2", () => pageStore().scrapes);
pageStoreContract("Durable Objects with R2", pageStore);
const nearStore = () =>
  withNearDocuments(pageStore(), {
    cache: createColoCache(),
    defer: (work) => deferred.push(work),
    cacheMs: 7 * 86_400_000,
  });
const deferred: Promise<unknown>[] = [];
afterEach(() => Promise.all(deferred.splice(0)));
pageStoreContract("Durable Objects with R2 behind caches.default", nearStore);
pageCacheContract("Durable Objects with R2 behind caches.default", () => nearStore().pageCache);
test("caches.default holds an entry until it is deleted", async () => {
  const cache = createColoCache();
  const key = crypto.randomUUID();
  expect(await cache.get(key)).toBeUndefined();
  await cache.put(key, "日本語", 60_000);
  expect(await cache.get(key)).toBe("日本語");
  expect(await cache.get(`${key}2`)).toBeUndefined();
  await cache.delete(key);
  expect(await cache.get(key)).toBeUndefined();
});
jobListContract("D1", () => bindings.DB);
agentTurnsContract("D1", () => createAgentTurns(bindings.DB));
waitingCallsContract("D1", () => createWaitingCalls(bindings.DB));
fileStoreContract("R2", () => createFileStore(blobs()));
pageCacheContract("Durable Objects with R2", () => pageStore().pageCache);
pageIndexContract("Durable Objects", () => ({
  index: createPageIndex({ shard: indexShards(bindings.SEARCH_INDEX), limits: INDEX_LIMITS, layouts: new Map() }),
  async expire(teamId, nowMs) {
    const now = vi.spyOn(Date, "now").mockReturnValue(nowMs);
    await runDurableObjectAlarm(env.SEARCH_INDEX.getByName(`${teamId}/0`));
    now.mockRestore();
  },
}));
providerPausesContract("D1", () => createProviderPauses(bindings.DB));

afterEach(() => vi.restoreAllMocks());
stepJobsContract("Durable Objects", () => {
  let nowMs = Date.now();
  vi.spyOn(Date, "now").mockImplementation(() => nowMs);
  return {
    jobs: createStepJobs(env.STEP_JOB),
    now: () => nowMs,
    async pass(id, ms) {
      nowMs += ms;
      await runDurableObjectAlarm(env.STEP_JOB.getByName(id));
    },
  };
});
