import type { DocumentReader } from "../content/documents/read-document.ts";
import type { ApiKey } from "../core/account/api-key.ts";
import type { Meter } from "../core/account/meter.ts";
import type { Engine } from "../engines/engine.ts";
import type { FairAdmission } from "../engines/fair-admission.ts";
import type { FairConversions } from "../engines/fair-conversions.ts";
import type { BrowserSessions, BrowserSessionStore } from "../ports/sessions/browser-session.ts";
import type { Blobs } from "../ports/storage/blobs.ts";
import type { HostThrottlePort } from "../ports/crawl/host-throttle.ts";
import type { ChangeHistory } from "../ports/storage/change-history.ts";
import type { Frontiers } from "../ports/crawl/frontier.ts";
import type { LanguageModel } from "../ports/language-model.ts";
import type { Http } from "../ports/outbound/http.ts";
import type { ProfileBrowser, ProfileStore } from "../ports/sessions/profiles.ts";
import type { Recordings } from "../ports/sessions/recordings.ts";
import type { SessionConnector } from "../ports/sessions/live-view.ts";
import type { FeedbackStore } from "../ports/search/feedback.ts";
import type { PageIndex } from "../ports/search/page-index.ts";
import type { ProviderPauses } from "../ports/search/provider-pauses.ts";
import type { ProviderOrder } from "../search/provider-order.ts";
import type { SearchProvider } from "../search/provider.ts";
import type { StepJobs } from "../ports/step-jobs.ts";
import type { KeyLedgerPort } from "../ports/account/key-ledger.ts";
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
import type { CheckAlarms, MonitorStore } from "../ports/monitors.ts";
import type { Readiness } from "../ports/readiness.ts";
import type { TaskQueue } from "../ports/task-queue.ts";
import type { Clock } from "../ports/system.ts";

/** Settings that services act on; `compose.ts` fills them from the variables. */
export interface ServiceSettings {
  /** The bootstrap keys' text: they exist without a row until they are first used. */
  firstKey: string | undefined;
  adminKey: string | undefined;
  authDisabled: boolean;
  userAgent: string;
  rateLimitPerMinute: number;
  creditsPerMonth: number | undefined;
  maxConcurrency: number;
  zeroDataRetention: boolean;
  resultRetentionMs: number;
  cacheRetentionMs: number;
  /** Whether a page that one team has loaded answers the requests of others. */
  sharesPageCache: boolean;
  maxBodyBytes: number;
  /** How long a page can be found again after it was read; 0 keeps none. */
  indexRetentionMs: number;
  /** Whether sessions can run code: the platform's worker loader is there. */
  runsCode: boolean;
  /** Who is asked for what, where the settings say so. */
  searchOrder: ProviderOrder;
  /** Host names under which requests are answered, with or without a port; none for all. */
  allowedHosts: readonly string[];
  /** Origins whose pages may call the service where it asks for no key. */
  allowedOrigins: readonly string[];
  /** What webhooks are signed with; without it none are sent. */
  webhookSecret: string | undefined;
  /** `host:port` of the service itself. */
  ownHosts: readonly string[];
  /** Hosts that may be private, for development and tests. */
  allowPrivateHosts: readonly string[];
}

/** Everything services use, made once per request by `compose.ts`. A service takes the part that it needs. */
export interface Deps {
  settings: ServiceSettings;
  clock: Clock;
  meter: Meter;
  keys: ApiKeyStore;
  keyLedger: KeyLedgerPort;
  hostThrottle: HostThrottlePort;
  http: Http;
  /** Reads documents, apart from the service where there is a place for it. */
  readDocument?: DocumentReader;
  /** Ways to load a page, cheapest first. Where there is no browser binding there is no browser among them. */
  engines: readonly Engine[];
  /** Whose page is begun next, and whose is converted next: one of each for the isolate. */
  admission: FairAdmission;
  conversions: FairConversions;
  /** Pages that teams follow, as they last were. */
  changeHistory: ChangeHistory;
  pageCache: PageCache;
  scrapes: ScrapeStore;
  /** What teams have read, by its words. */
  pageIndex: PageIndex;
  /** Ways to search that this deployment has. */
  searchProviders: readonly SearchProvider[];
  providerPauses: ProviderPauses;
  /** Searches that were answered, and what was said about answers. */
  feedback: FeedbackStore;
  files: FileStore;
  blobs: Blobs;
  jobs: JobStore;
  idempotencyKeys: IdempotencyKeys;
  monitors: MonitorStore;
  checkAlarms: CheckAlarms;
  failedWebhooks: FailedWebhookStore;
  uploads: UploadStore;
  deadLetters: DeadLetterStore;
  readiness: Readiness;
  frontiers: Frontiers;
  stepJobs: StepJobs;
  /** Undefined where there is no browser binding. */
  browserSessions: BrowserSessions | undefined;
  /** Undefined where there is no browser binding. */
  sessionConnector: SessionConnector | undefined;
  recordings: Recordings;
  /** Undefined without a key to encrypt them with. */
  profiles: ProfileStore | undefined;
  /** Undefined where there is no browser binding. */
  profileBrowser: ProfileBrowser | undefined;
  sessionStore: BrowserSessionStore;
  tasks: TaskQueue;
  /** Undefined where none is configured: what a model would do is then done by rules, and the answer says so. */
  llm: LanguageModel | undefined;
  sleep(ms: number): Promise<void>;
  /** Work that goes on after the answer; failures are logged. */
  defer(work: Promise<unknown>): void;
  log(event: Record<string, string | number | boolean | undefined>): void;
}

/** Who is asking. */
export interface Caller {
  key: ApiKey;
}

/** Who is asking for work that costs credits, and where they come from. */
export interface Payer extends Caller {
  purse: Purse;
}

/** Where work that is under way takes more credits from. */
export type Purse =
  /** They are held with the credit ledger until the work is written down under this id. */
  | { kind: "hold"; holdId: string }
  /** A job pays, which knows what it has taken. @returns false when there are fewer left. */
  | { kind: "job"; take(credits: number): Promise<boolean> };
