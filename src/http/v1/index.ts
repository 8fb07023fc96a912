import { batchErrors, batchErrorsByDelete, batchStatus, cancelBatch, startBatch } from "./batch-scrape.ts";
import {
  activeCrawls,
  cancelCrawl,
  crawlErrors,
  crawlErrorsByDelete,
  crawlStatus,
  ongoingCrawls,
  startCrawl,
} from "./crawl.ts";
import { deepResearchStatus, startDeepResearch } from "./deep-research.ts";
import { cancelExtract, extractStatus, startExtract } from "./extract.ts";
import { llmstxtStatus, startLlmstxt } from "./llmstxt.ts";
import { map } from "./map.ts";
import { search } from "./search.ts";
import { getScrape, scrape } from "./scrape.ts";
import {
  concurrencyCheck,
  creditHistory,
  creditUsage,
  queueStatus,
  teamActivity,
  tokenHistory,
  tokenUsage,
} from "./team.ts";

/** Every route under /v1: translations to the v2 services. */
export const v1Routes = [
  scrape,
  getScrape,
  startBatch,
  batchErrors,
  batchErrorsByDelete,
  batchStatus,
  cancelBatch,
  startCrawl,
  activeCrawls,
  ongoingCrawls,
  crawlErrors,
  crawlErrorsByDelete,
  crawlStatus,
  cancelCrawl,
  startExtract,
  extractStatus,
  cancelExtract,
  startDeepResearch,
  deepResearchStatus,
  startLlmstxt,
  llmstxtStatus,
  map,
  search,
  creditUsage,
  creditHistory,
  tokenUsage,
  tokenHistory,
  queueStatus,
  concurrencyCheck,
  teamActivity,
] as const;
