import { createAgentTurns } from "../../../src/storage/jobs/agent-turns.ts";
import { createWaitingCalls } from "../../../src/storage/jobs/waiting-calls.ts";
import { jobListContract } from "../../contracts/job-list.ts";
import { agentTurnsContract } from "../../contracts/agent-turns.ts";
import { waitingCallsContract } from "../../contracts/waiting-calls.ts";
import { fileStoreContract } from "../../contracts/file-store.ts";
import { pageCacheContract } from "../../contracts/page-cache.ts";
import { pageStoreContract } from "../../contracts/page-store.ts";
import { pageIndexContract } from "../../contracts/page-index.ts";
import { providerPausesContract } from "../../contracts/provider-pauses.ts";
import { stepJobsContract } from "../../contracts/step-jobs.ts";
import { apiKeyStoreContract } from "../../contracts/api-key-store.ts";
import { blobsContract } from "../../contracts/blobs.ts";
import { changeHistoryContract } from "../../contracts/change-history.ts";
import { databaseContract } from "../../contracts/database.ts";
import { feedbackStoreContract } from "../../contracts/feedback-store.ts";
import { hostThrottleContract } from "../../contracts/host-throttle.ts";
import { keyLedgerContract } from "../../contracts/key-ledger.ts";
import { scrapeStoreContract } from "../../contracts/scrape-store.ts";
import { fixedClock } from "../../fakes/fixed-clock.ts";
import { memoryApiKeys } from "../../fakes/memory/memory-api-keys.ts";
import { memoryBlobs } from "../../fakes/memory/memory-blobs.ts";
import { memoryChangeHistory } from "../../fakes/memory/memory-change-history.ts";
import { memoryFeedback } from "../../fakes/memory/memory-feedback.ts";
import { memoryHostThrottle } from "../../fakes/memory/memory-host-throttle.ts";
import { memoryKeyLedger } from "../../fakes/memory/memory-key-ledger.ts";
import { memoryIndexShards, memoryPageIndex, noPauses } from "../../fakes/memory/memory-page-index.ts";
import { memoryStepJobs } from "../../fakes/memory/memory-step-jobs.ts";
import { memoryPageStore } from "../../fakes/memory/memory-page-store.ts";
import { memoryFiles, memoryScrapes } from "../../fakes/memory/memory-scrapes.ts";
import { nodeD1 } from "../../fakes/memory/node-d1.ts";

const clock = fixedClock();

apiKeyStoreContract("memory", memoryApiKeys);
blobsContract("memory", memoryBlobs);
changeHistoryContract("memory", memoryChangeHistory);
databaseContract("SQLite in memory", nodeD1);
feedbackStoreContract("memory", memoryFeedback);
hostThrottleContract("memory", () => memoryHostThrottle(clock), clock.now);
keyLedgerContract("memory", () => memoryKeyLedger(clock));
scrapeStoreContract("memory", memoryScrapes);
jobListContract("SQLite in memory", nodeD1);
agentTurnsContract("SQLite in memory", () => createAgentTurns(nodeD1()));
waitingCallsContract("SQLite in memory", () => createWaitingCalls(nodeD1()));
fileStoreContract("memory", memoryFiles);
pageCacheContract("SQLite in memory", () => memoryPageStore().pageCache);
scrapeStoreContract("SQLite in memory", () => memoryPageStore().scrapes);
pageStoreContract("SQLite in memory", memoryPageStore);
pageIndexContract("SQLite in memory", () => {
  const shards = memoryIndexShards();
  const expire = async (teamId: string, nowMs: number) => void shards.shards.get(`${teamId}/0`)?.dropExpired(nowMs);
  return { index: memoryPageIndex(shards), expire };
});
providerPausesContract("memory", noPauses);
stepJobsContract("memory", () => {
  const jobsClock = fixedClock();
  const jobs = memoryStepJobs(jobsClock);
  return {
    jobs,
    now: jobsClock.now,
    async pass(id, ms) {
      jobsClock.advance(ms);
      await jobs.alarm(id);
    },
  };
});
