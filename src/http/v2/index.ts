import { agentStatus, cancelAgent, startAgent } from "./agent/agent.ts";
import { listAgents } from "./agent/agent-list.ts";
import { agentThread, agentThreads, deleteAgentThread } from "./agent/agent-threads.ts";
import { agentSnapshot, agentTrace } from "./agent/agent-trace.ts";
import { batchErrors, batchStatus, cancelBatch, retryBatch, startBatch } from "./crawl/batch-scrape.ts";
import {
  activeCrawls,
  cancelCrawl,
  retryCrawl,
  crawlErrors,
  crawlStatus,
  ongoingCrawls,
  previewCrawl,
  startCrawl,
} from "./crawl/crawl.ts";
import {
  createBrowser,
  createInteract,
  deleteBrowser,
  deleteInteract,
  executeInBrowser,
  executeInInteract,
  getBrowsers,
  getInteracts,
} from "./browser/browser.ts";
import { browserPlaylist, browserReplay, interactPlaylist, interactReplay } from "./browser/browser-replay.ts";
import { browserCdp } from "./browser/browser-cdp.ts";
import { capabilities } from "./capabilities.ts";
import { crawlArchive, reextractCrawl } from "./crawl/crawl-archive.ts";
import { crawlRemoved } from "./crawl/crawl-removed.ts";
import { crawlUrls } from "./crawl/crawl-urls.ts";
import { exchangeDiscover } from "./exchange-discover.ts";
import { cancelExtract, extractStatus, startExtract } from "./extract.ts";
import { getFile } from "./files.ts";
import { interact, stopInteract } from "./browser/interact.ts";
import { getJob } from "./jobs/job-details.ts";
import { listJobs } from "./jobs/job-list.ts";
import { map } from "./map.ts";
import {
  changeMonitor,
  deleteMonitor,
  getCheck,
  getMonitor,
  listChecks,
  listMonitors,
  runMonitor,
  startMonitor,
} from "./monitors.ts";
import { parse } from "./parse/parse.ts";
import { parseFormats } from "./parse/parse-formats.ts";
import { feedback, searchFeedback } from "./feedback.ts";
import { openUploadUrl, sendUpload } from "./parse/parse-uploads.ts";
import { search } from "./search.ts";
import { searchForDevelopers, searchForDevelopersByQuery } from "./developer.ts";
import { searchGov, searchGovByQuery } from "./gov.ts";
import { searchGithub } from "./research/github.ts";
import { findPapers, findSimilarPapers, getPaper } from "./research/papers.ts";
import { getScrape, scrape } from "./scrape.ts";
import { teamActivity } from "./team/team-activity.ts";
import { creditHistory, creditUsage, tokenHistory, tokenUsage } from "./team/team-credits.ts";
import { createKey, listKeys, revokeKey } from "./team/team-keys.ts";
import { concurrencyCheck, queueStatus } from "./team/team-queue.ts";
import { teamBudgets, usageBreakdown } from "./team/team-breakdown.ts";
import { teamStorage } from "./team/team-storage.ts";
import { teamUsage } from "./team/team-usage.ts";
import { listFailed, replayJob, replayOne } from "./team/team-webhooks.ts";
import {
  getWebhookDelivery,
  listWebhookDeliveries,
  listWebhookEndpoints,
  replayWebhookDelivery,
  testWebhookEndpoint,
} from "./team/webhook-deliveries.ts";

/** Every route under /v2, in the order of the documentation. */
export const v2Routes = [
  startAgent,
  listAgents,
  agentThreads,
  agentThread,
  deleteAgentThread,
  agentTrace,
  agentSnapshot,
  agentStatus,
  cancelAgent,
  scrape,
  getScrape,
  startBatch,
  batchErrors,
  batchStatus,
  cancelBatch,
  retryBatch,
  startCrawl,
  previewCrawl,
  activeCrawls,
  ongoingCrawls,
  crawlErrors,
  crawlUrls,
  crawlRemoved,
  crawlArchive,
  reextractCrawl,
  crawlStatus,
  cancelCrawl,
  retryCrawl,
  listJobs,
  getJob,
  map,
  search,
  findPapers,
  getPaper,
  findSimilarPapers,
  searchGithub,
  searchForDevelopers,
  searchForDevelopersByQuery,
  searchGov,
  searchGovByQuery,
  searchFeedback,
  feedback,
  startExtract,
  extractStatus,
  cancelExtract,
  startMonitor,
  listMonitors,
  getMonitor,
  changeMonitor,
  deleteMonitor,
  runMonitor,
  listChecks,
  getCheck,
  parse,
  parseFormats,
  openUploadUrl,
  sendUpload,
  getFile,
  createBrowser,
  getBrowsers,
  deleteBrowser,
  executeInBrowser,
  browserCdp,
  browserReplay,
  browserPlaylist,
  createInteract,
  getInteracts,
  deleteInteract,
  executeInInteract,
  interact,
  stopInteract,
  interactReplay,
  interactPlaylist,
  capabilities,
  exchangeDiscover,
  creditUsage,
  creditHistory,
  tokenUsage,
  tokenHistory,
  teamUsage,
  usageBreakdown,
  teamBudgets,
  teamStorage,
  teamActivity,
  queueStatus,
  concurrencyCheck,
  createKey,
  listKeys,
  revokeKey,
  listFailed,
  replayJob,
  replayOne,
  listWebhookDeliveries,
  listWebhookEndpoints,
  testWebhookEndpoint,
  getWebhookDelivery,
  replayWebhookDelivery,
] as const;
