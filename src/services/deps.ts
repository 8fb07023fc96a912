import type { JobList } from "../ports/storage/job-list.ts";
import type { EstimateStore } from "../ports/storage/estimates.ts";
import type { UnusedTables } from "../ports/storage/unused-tables.ts";
import type { AgentTurns } from "../ports/storage/agent-turns.ts";
import type { WaitingCalls } from "../ports/storage/waiting-calls.ts";
import type { PageReader } from "../content/page-view.ts";
import type { RunTextTask } from "../content/text-tasks/text-tasks.ts";
import type { ApiKey } from "../core/account/api-key.ts";
import type { EgressSettings } from "../core/egress-routes.ts";
import type { Meter } from "../core/account/meter.ts";
import type { Engine } from "../engines/engine.ts";
import type { RunShares } from "../core/crawl/run-shares.ts";
import type { Owner } from "../core/fair-order.ts";
import type { WaitLimit } from "../core/waits/wait-for-grant.ts";
import type { QueuedScrapes } from "../core/scrape/queued-scrapes.ts";
import type { FairAdmission } from "../core/waits/fair-admission.ts";
import type { FairConversions } from "../engines/fair-conversions.ts";
import type { HeldBytes } from "../core/waits/held-bytes.ts";
import type { BrowserSessions, BrowserSessionStore } from "../ports/sessions/browser-session.ts";
import type { Blobs } from "../ports/storage/blobs.ts";
import type { HostThrottlePort } from "../ports/crawl/host-throttle.ts";
import type { ChangeHistory } from "../ports/storage/change-history.ts";
import type { DatabaseRoom } from "../ports/storage/database-room.ts";
import type { Frontiers } from "../ports/crawl/frontier.ts";
import type { LanguageModel } from "../ports/language-model.ts";
import type { Http } from "../ports/outbound/http.ts";
import type { KeyDirectory } from "../ports/outbound/request-signer.ts";
import type { ProfileBrowser, ProfileStore } from "../ports/sessions/profiles.ts";
import type { Recordings } from "../ports/sessions/recordings.ts";
import type { SessionConnector } from "../ports/sessions/live-view.ts";
import type { FeedbackStore } from "../ports/search/feedback.ts";
import type { PageIndex } from "../ports/search/page-index.ts";
import type { ProviderPauses } from "../ports/search/provider-pauses.ts";
import type { ProviderOrder } from "../search/provider-order.ts";
import type { SearchProvider } from "../search/provider.ts";
import type { GithubIndex } from "../search/developer/github-index.ts";
import type { PaperSource } from "../search/papers/paper.ts";
import type { OcrEngine } from "../ports/ocr-engine.ts";
import type { StepJobs } from "../ports/step-jobs.ts";
import type { KeyLedgerPort } from "../ports/account/key-ledger.ts";
import type { PendingScrapes } from "../ports/storage/pending-scrapes.ts";
import type {
  ApiKeyStore,
  DeadLetterStore,
  FailedWebhookStore,
  FileStore,
  IdempotencyKeys,
  JobStore,
  PageCache,
  ScrapeStore,
  UploadStore,
} from "../ports/storage/stores.ts";
import type { WebhookDeliveryStore } from "../ports/storage/webhook-deliveries.ts";
import type { MonitorStore } from "../ports/monitors.ts";
import type { DeploymentProbes } from "../ports/deployment-probes.ts";
import type { Readiness } from "../ports/readiness.ts";
import type { TaskQueue } from "../ports/task-queue.ts";
import type { Clock } from "../ports/system.ts";
import type { Telemetry } from "../ports/telemetry.ts";

/** Settings of the services; `compose.ts` fills them from the variables. */
export interface ServiceSettings {
  /** Texts of the bootstrap keys, which have no row until they are first used. */
  firstKey: string | undefined;
  adminKey: string | undefined;
  authDisabled: boolean;
  /** True where the platform names the client's address; elsewhere the header is that of a proxy, or of the client itself. */
  seesClientAddresses: boolean;
  /** True when keys without check digits, which earlier versions created, are looked up. */
  acceptsOldKeys: boolean;
  userAgent: string;
  /** Time of a request body of any length. */
  bodyTimeMs: number;
  rateLimitPerMinute: number;
  creditsPerMonth: number | undefined;
  maxConcurrency: number;
  zeroDataRetention: boolean;
  resultRetentionMs: number;
  cacheRetentionMs: number;
  /** True when a page that one team has loaded is returned to other teams from the cache. */
  sharesPageCache: boolean;
  maxBodyBytes: number;
  /** Ms for which a page stays in the search index; 0 disables the index. */
  indexRetentionMs: number;
  /** True when sessions can run code: the platform's worker loader is available. */
  runsCode: boolean;
  /** Order of the search providers, as far as the settings give one. */
  searchOrder: ProviderOrder;
  /** Host names that the service answers to, with or without a port; empty for all. */
  allowedHosts: readonly string[];
  /** Origins whose pages may call the service where it requires no key. */
  allowedOrigins: readonly string[];
  /** Secret that signs webhooks; without it none are sent. */
  webhookSecret: string | undefined;
  /** `host:port` of the service. */
  ownHosts: readonly string[];
  /** Hosts that may be private, for development and tests. */
  allowPrivateHosts: readonly string[];
  /** Egress routes, and the rules by which they are chosen. */
  egress: EgressSettings;
}

/** Dependencies of the services, created once per request by `compose.ts`. A service picks those that it needs. */
export interface Deps {
  settings: ServiceSettings;
  clock: Clock;
  meter: Meter;
  /** Aborted when the client of the request has left; undefined for work that no client waits for. */
  clientLeft?: AbortSignal | undefined;
  telemetry: Telemetry;
  keys: ApiKeyStore;
  keyLedger: KeyLedgerPort;
  hostThrottle: HostThrottlePort;
  http: Http;
  /** The public keys that requests to sites are signed with. */
  keyDirectory: KeyDirectory;
  /** Reads documents and large pages for an owner, in a separate process; undefined where none is available. */
  readApart?: ((owner: Owner, limit?: WaitLimit) => PageReader) | undefined;
  /** Recognises text in scans and pictures; undefined where there is no browser binding. */
  ocr?: OcrEngine | undefined;
  /** Runs tasks on texts for an owner: those on large texts in a separate process, where one is available. */
  textTasks(this: void, owner: Owner, limit?: WaitLimit): RunTextTask;
  /** Engines, cheapest first. Without a browser binding there is no browser engine. */
  engines: readonly Engine[];
  /** Fair order of scrapes and of conversions among teams and their keys: one of each for the isolate. */
  admission: FairAdmission;
  conversions: FairConversions;
  /** Memory that the loaded pages of each team hold in the isolate, which `admission` bounds. */
  waiting: HeldBytes;
  /** Memory that requests and jobs hold beside loaded pages: it is taken before anything is read into it. */
  memory: HeldBytes;
  /** Memory that step jobs keep the texts and data of their pages in. Jobs take minutes, and requests do not wait for them. */
  stepPages: HeldBytes;
  /** Fair order of requests other than scrapes and searches. */
  requests: FairAdmission;
  /** Fair order of the work of monitor checks: of the pages with all that is read and stored for them. */
  checks: FairAdmission;
  /** Queued scrapes that run beside the deliveries of the queue, where it delivers one message after the other; else undefined. */
  queuedScrapes: QueuedScrapes | undefined;
  /** The messages of queued scrapes that have not ended, where the queue ends with its process; else undefined. */
  pendingScrapes: PendingScrapes | undefined;
  /** Fair order of the checks whose events are sent. */
  monitorEvents: FairAdmission;
  /** How much each run of a job may hold: one for the isolate. */
  runShares: RunShares;
  /** Last states of the pages whose changes teams track. */
  changeHistory: ChangeHistory;
  /** How full the database is. */
  databaseRoom: DatabaseRoom;
  pageCache: PageCache;
  scrapes: ScrapeStore;
  /** Full-text index of the pages that teams have scraped. */
  pageIndex: PageIndex;
  /** Search providers of this deployment. */
  searchProviders: readonly SearchProvider[];
  /** Sources of papers of this deployment. */
  paperSources: readonly PaperSource[];
  githubIndex: GithubIndex;
  providerPauses: ProviderPauses;
  /** Searches, and the feedback on responses. */
  feedback: FeedbackStore;
  files: FileStore;
  blobs: Blobs;
  jobs: JobStore;
  jobList: JobList;
  estimates: EstimateStore;
  agentTurns: AgentTurns;
  waitingCalls: WaitingCalls;
  unusedTables: UnusedTables;
  idempotencyKeys: IdempotencyKeys;
  monitors: MonitorStore;
  failedWebhooks: FailedWebhookStore;
  webhookDeliveries: WebhookDeliveryStore;
  uploads: UploadStore;
  deadLetters: DeadLetterStore;
  readiness: Readiness;
  deploymentProbes: DeploymentProbes;
  frontiers: Frontiers;
  stepJobs: StepJobs;
  /** Undefined where there is no browser binding. */
  browserSessions: BrowserSessions | undefined;
  /** Undefined where there is no browser binding. */
  sessionConnector: SessionConnector | undefined;
  recordings: Recordings;
  /** Undefined without an encryption key. */
  profiles: ProfileStore | undefined;
  /** Undefined where there is no browser binding. */
  profileBrowser: ProfileBrowser | undefined;
  sessionStore: BrowserSessionStore;
  tasks: TaskQueue;
  /** Undefined where none is configured: rules then replace the model, and the response says so. */
  llm: LanguageModel | undefined;
  sleep(ms: number): Promise<void>;
  /** Runs work that continues after the response; failures are logged. */
  defer(work: Promise<unknown>): void;
  log(event: Record<string, string | number | boolean | undefined>): void;
}

/** The caller of a request. */
export interface Caller {
  key: ApiKey;
}

/** The caller of work that costs credits, and the source of these. */
export interface Payer extends Caller {
  creditSource: CreditSource;
}

/** Source of further credits for work in progress. */
export type CreditSource =
  /** The credit ledger holds them until the work is recorded under this ID. */
  | { kind: "hold"; holdId: string }
  /** A job pays, and counts what it has taken. @returns false when there are fewer left. */
  | { kind: "job"; take(credits: number): Promise<boolean> };
