import { agentStatus, cancelAgent, startAgent } from "./agent.ts";
import { listAgents } from "./agent-list.ts";
import { agentTrace } from "./agent-trace.ts";
import { batchErrors, batchStatus, cancelBatch, startBatch } from "./batch-scrape.ts";
import {
  activeCrawls,
  cancelCrawl,
  crawlErrors,
  crawlStatus,
  ongoingCrawls,
  previewCrawl,
  startCrawl,
} from "./crawl.ts";
import {
  createBrowser,
  createInteract,
  deleteBrowser,
  deleteInteract,
  executeInBrowser,
  executeInInteract,
  getBrowsers,
  getInteracts,
} from "./browser.ts";
import { browserPlaylist, browserReplay, interactPlaylist, interactReplay } from "./browser-replay.ts";
import { browserCdp, browserCdpSlash } from "./browser-cdp.ts";
import { capabilities } from "./capabilities.ts";
import { crawlUrls } from "./crawl-urls.ts";
import { cancelExtract, extractStatus, startExtract } from "./extract.ts";
import { getFile } from "./files.ts";
import { interact, stopInteract } from "./interact.ts";
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
import { parse } from "./parse.ts";
import { feedback, searchFeedback } from "./feedback.ts";
import { openUploadUrl, sendUpload } from "./parse-uploads.ts";
import { search } from "./search.ts";
import { getScrape, scrape } from "./scrape.ts";
import { teamActivity } from "./team-activity.ts";
import { creditHistory, creditUsage, tokenHistory, tokenUsage } from "./team-credits.ts";
import { createKey, listKeys, revokeKey } from "./team-keys.ts";
import { concurrencyCheck, queueStatus } from "./team-queue.ts";
import { teamUsage } from "./team-usage.ts";
import { listFailed, replayJob, replayOne } from "./team-webhooks.ts";

/** Every route under /v2, in the order in which they are documented. */
export const v2Routes = [
  startAgent,
  listAgents,
  agentTrace,
  agentStatus,
  cancelAgent,
  scrape,
  getScrape,
  startBatch,
  batchErrors,
  batchStatus,
  cancelBatch,
  startCrawl,
  previewCrawl,
  activeCrawls,
  ongoingCrawls,
  crawlErrors,
  crawlUrls,
  crawlStatus,
  cancelCrawl,
  map,
  search,
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
  openUploadUrl,
  sendUpload,
  getFile,
  createBrowser,
  getBrowsers,
  deleteBrowser,
  executeInBrowser,
  browserCdp,
  browserCdpSlash,
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
  creditUsage,
  creditHistory,
  tokenUsage,
  tokenHistory,
  teamUsage,
  teamActivity,
  queueStatus,
  concurrencyCheck,
  createKey,
  listKeys,
  revokeKey,
  listFailed,
  replayJob,
  replayOne,
] as const;
