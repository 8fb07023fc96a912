import { apiKeyStoreContract } from "../../contracts/api-key-store.ts";
import { blobsContract } from "../../contracts/blobs.ts";
import { changeHistoryContract } from "../../contracts/change-history.ts";
import { databaseContract } from "../../contracts/database.ts";
import { feedbackStoreContract } from "../../contracts/feedback-store.ts";
import { hostThrottleContract } from "../../contracts/host-throttle.ts";
import { keyLedgerContract } from "../../contracts/key-ledger.ts";
import { scrapeStoreContract } from "../../contracts/scrape-store.ts";
import { fixedClock } from "../../fakes/fixed-clock.ts";
import { memoryApiKeys } from "../../fakes/memory-api-keys.ts";
import { memoryBlobs } from "../../fakes/memory-blobs.ts";
import { memoryChangeHistory } from "../../fakes/memory-change-history.ts";
import { memoryFeedback } from "../../fakes/memory-feedback.ts";
import { memoryHostThrottle } from "../../fakes/memory-host-throttle.ts";
import { memoryKeyLedger } from "../../fakes/memory-key-ledger.ts";
import { memoryScrapes } from "../../fakes/memory-scrapes.ts";
import { nodeD1 } from "../../fakes/node-d1.ts";

const clock = fixedClock();

apiKeyStoreContract("memory", memoryApiKeys);
blobsContract("memory", memoryBlobs);
changeHistoryContract("memory", memoryChangeHistory);
databaseContract("SQLite in memory", nodeD1);
feedbackStoreContract("memory", memoryFeedback);
hostThrottleContract("memory", () => memoryHostThrottle(clock), clock.now);
keyLedgerContract("memory", () => memoryKeyLedger(clock));
scrapeStoreContract("memory", memoryScrapes);
