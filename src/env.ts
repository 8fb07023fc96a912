import { z } from "zod";
import { parseBotAuthKeys } from "./core/bot-auth-keys.ts";
import { endpointsOf, NO_EGRESS_ROUTES, parseEgressRoutes } from "./core/egress-routes.ts";
import { overHttp, parseCdpUrls } from "./core/own-browsers.ts";
import { AppError } from "./core/errors.ts";
import { hostWithPort } from "./core/url/outbound-policy.ts";
import { isWebhookSecret, NO_WEBHOOK_KEY } from "./core/webhooks/webhook-secret.ts";
import type { BrowserPool } from "./platform/browser/browser-pool.ts";
import type { BrowserLoader } from "./platform/browser/remote/browser-loader.ts";
import type { BrowserSession } from "./platform/sessions/browser-session.ts";
import type { HostThrottle } from "./platform/crawl/host-throttle.ts";
import type { CrawlFrontier } from "./platform/crawl/crawl-frontier.ts";
import type { LiveView } from "./platform/live-view/live-view.ts";
import { parseProviderOrder, parseProviderUrls } from "./search/provider-order.ts";
import type { StepJob } from "./platform/jobs/step-job.ts";
import type { KeyLedger } from "./platform/account/key-ledger.ts";
import type { ServiceMetrics } from "./platform/metrics/service-metrics.ts";
import type { PageStore } from "./platform/scrape/page-store.ts";
import type { SearchIndex } from "./platform/search/search-index.ts";

/** Bindings from `wrangler.toml`, and variables from settings and secrets, as Cloudflare passes them to the Worker. */
export interface Bindings {
  /** The dashboard's files, and the programs of the sandbox. */
  ASSETS?: Fetcher;
  BROWSER?: Fetcher;
  /**
   * Under `npm start` alone, where the egress proxy puts it: leads to servers that the settings name. With it, every other
   * `fetch` goes through that proxy as well, which resolves names, checks their addresses, and connects to these.
   */
  EGRESS?: Fetcher;
  PAGE_READER?: Fetcher;
  DB: D1Database;
  BUCKET: R2Bucket;
  /** Upkeep: purges, sweeps, jobs to forget. */
  TASKS: Queue;
  MONITORS: Queue;
  /** Scrapes that are read later. */
  SCRAPES: Queue;
  DEAD_LETTERS: Queue;
  LOADER?: WorkerLoader;
  AI?: Ai;
  WEBSEARCH?: WebSearch;
  KEY_LEDGER: DurableObjectNamespace<KeyLedger>;
  BROWSER_POOL: DurableObjectNamespace<BrowserPool>;
  BROWSER_LOADER: DurableObjectNamespace<BrowserLoader>;
  BROWSER_SESSION: DurableObjectNamespace<BrowserSession>;
  LIVE_VIEW: DurableObjectNamespace<LiveView>;
  JOBS: Queue;
  CRAWL_FRONTIER: DurableObjectNamespace<CrawlFrontier>;
  STEP_JOB: DurableObjectNamespace<StepJob>;
  HOST_THROTTLE: DurableObjectNamespace<HostThrottle>;
  PAGE_STORE: DurableObjectNamespace<PageStore>;
  SEARCH_INDEX: DurableObjectNamespace<SearchIndex>;
  SERVICE_METRICS: DurableObjectNamespace<ServiceMetrics>;
  /** Receives the metrics as points, when `ANALYTICS_POINTS` is set. */
  ANALYTICS?: AnalyticsEngineDataset;
}

export type Env = Bindings & Record<string, unknown>;

const flag = z.enum(["true", "false", "1", "0"]).transform((value) => value === "true" || value === "1");
const list = z.string().transform((value) =>
  value
    .split(",")
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== ""),
);
const dollars = z.coerce.number().min(0).max(10_000);
const whole = (min: number, max: number) => z.coerce.number().int().min(min).max(max);
/** A text that a function of the house reads, which throws what is wrong with it. */
const readBy = <Value>(read: (text: string) => Value) =>
  z.string().transform((text, context): Value => {
    try {
      return read(text);
    } catch (error) {
      context.addIssue({ code: "custom", message: error instanceof Error ? error.message : String(error) });
      return z.NEVER;
    }
  });
const providerOrder = readBy(parseProviderOrder);
const addresses = readBy(parseProviderUrls);
const egressRoutes = readBy(parseEgressRoutes);
const cdpUrls = readBy(parseCdpUrls);
const botAuthKeys = readBy(parseBotAuthKeys);
/** An origin: the path of a URL is left out. */
const origin = z.url({ protocol: /^https?$/ }).transform((url) => new URL(url).origin);
const key = z.string().regex(/^fc-[0-9a-f]{32}$/, "must be fc- followed by 32 lower-case hexadecimal digits");

/** Where platforms keep their machines' credentials; no model is served there. */
const isNoLinkLocal = (url: string): boolean => !/^\[?(?:169\.254\.|fe[89ab][0-9a-f]:)/i.test(new URL(url).hostname);

/** Every setting of the service. `.dev.vars.example` documents them; `npm start` passes them through. */
export const SETTINGS = {
  API_KEY: key.optional(),
  ADMIN_KEY: key.optional(),
  AUTH_DISABLED: flag.default(false),
  OLD_KEYS: flag.default(true),
  EGRESS_ROUTES: egressRoutes.default(NO_EGRESS_ROUTES),
  ALLOW_PRIVATE_HOSTS: list.default([]),
  OWN_HOSTS: list.default([]),
  ALLOWED_HOSTS: list.default([]),
  ALLOWED_ORIGINS: list.default([]),
  DNS_OVER_HTTPS_URL: z.union([z.literal("off"), z.url()]).default("https://cloudflare-dns.com/dns-query"),
  DNS_CHECK: z.enum(["before", "beside"]).default("before"),
  SANDBOX_URL: z.url({ protocol: /^http$/ }).optional(),
  BOT_AUTH_KEY: botAuthKeys.default([]),
  SIGNATURE_AGENT: origin.optional(),
  USER_AGENT: z.string().min(1).default("Mozilla/5.0 (compatible; Orbweaver/0.1)"),
  REQUEST_BODY_SECONDS: whole(1, 3600).default(30),
  RATE_LIMIT_PER_MINUTE: whole(1, 10_000_000).default(30_000),
  CREDITS_PER_MONTH: whole(0, 1_000_000_000).optional(),
  MAX_CONCURRENCY: whole(1, 10_000).default(50),
  ANALYTICS_POINTS: flag.default(false),
  ZERO_DATA_RETENTION: flag.default(false),
  RESULT_RETENTION_HOURS: whole(1, 24 * 365).default(24),
  SHARE_PAGE_CACHE: flag.default(false),
  CACHE_RETENTION_HOURS: whole(1, 24 * 730).default(24 * 7),
  SEARCH_PROVIDERS: providerOrder.default({}),
  SEARCH_PROVIDER_URLS: addresses.default({}),
  SEARXNG_URL: z.url({ protocol: /^https?$/ }).optional(),
  BRAVE_API_KEY: z.string().min(1).optional(),
  SERPER_API_KEY: z.string().min(1).optional(),
  TAVILY_API_KEY: z.string().min(1).optional(),
  EXA_API_KEY: z.string().min(1).optional(),
  GITHUB_TOKEN: z.string().min(1).optional(),
  SEARCH_INDEX_RETENTION_HOURS: whole(0, 24 * 3650).default(24 * 30),
  PROFILE_ENCRYPTION_KEY: z
    .string()
    .regex(/^[0-9a-fA-F]{64}$/, "must be 64 hexadecimal digits")
    .optional(),
  WEBHOOK_SECRET: z.string().min(1).refine(isWebhookSecret, NO_WEBHOOK_KEY).optional(),
  LLM_BASE_URL: z
    .url({ protocol: /^https?$/ })
    .refine(isNoLinkLocal, "must not be a link-local address")
    .optional(),
  LLM_API_KEY: z.string().min(1).optional(),
  LLM_MODEL: z.string().min(1).optional(),
  LLM_SMALL_MODEL: z.string().min(1).optional(),
  LLM_CONTEXT_TOKENS: whole(2_000, 10_000_000).default(32_000),
  LLM_CONCURRENCY: whole(1, 10_000).default(32),
  LLM_INPUT_DOLLARS: dollars.default(0),
  LLM_OUTPUT_DOLLARS: dollars.default(0),
  LLM_VISION_MODEL: z.string().min(1).optional(),
  LLM_VISION_INPUT_DOLLARS: dollars.optional(),
  LLM_VISION_OUTPUT_DOLLARS: dollars.optional(),
  MAX_BODY_BYTES: whole(1024, 100_000_000).default(50_000_000),
  BROWSER_CDP_URLS: cdpUrls.default([]),
  BROWSER_CDP_SESSION_URLS: cdpUrls.default([]),
  BROWSER_MAX_BROWSERS: whole(1, 200).optional(),
  BROWSER_TABS_PER_BROWSER: whole(1, 20).default(4),
  BROWSER_WARM: whole(0, 50).default(1),
  BROWSER_SESSIONS: whole(1, 200).default(10),
  BROWSER_SESSIONS_WARM: whole(0, 50).default(1),
  BROWSER_LAUNCHES_PER_MINUTE: whole(1, 600).default(60),
} as const satisfies Record<string, z.ZodType>;

const Settings = z
  .object(SETTINGS)
  .refine(
    ({ LLM_BASE_URL, LLM_MODEL, LLM_VISION_MODEL }) =>
      LLM_BASE_URL === undefined || LLM_MODEL !== undefined || LLM_VISION_MODEL !== undefined,
    { path: ["LLM_MODEL"], message: "must name a model of the server at LLM_BASE_URL" },
  );
export type Settings = z.infer<typeof Settings>;

/**
 * `host:port` of servers that the settings name: the service itself may call them on a private network too, which does not
 * open them for pages.
 */
export function namedServers(settings: Settings): string[] {
  const { LLM_BASE_URL, SEARXNG_URL, SEARCH_PROVIDER_URLS, EGRESS_ROUTES } = settings;
  const endpoints = Object.entries(EGRESS_ROUTES.routes).flatMap(([name, route]) => endpointsOf(name, route));
  const proxies = endpoints.map(({ url }) => url);
  const { BROWSER_CDP_URLS, BROWSER_CDP_SESSION_URLS } = settings;
  const browsers = [...BROWSER_CDP_URLS, ...BROWSER_CDP_SESSION_URLS].map((url) => overHttp(url).href);
  return [LLM_BASE_URL, SEARXNG_URL, ...Object.values(SEARCH_PROVIDER_URLS), ...proxies, ...browsers].flatMap(
    (address) => {
      // A language in the address is a placeholder for a host name that is not known here.
      const parsed = address === undefined || address.includes("{") ? null : URL.parse(address);
      return parsed === null ? [] : [hostWithPort(parsed)];
    },
  );
}

/** Reads the variables; the first bad one stops the service with a sentence that says what it must be. */
export function readSettings(env: Record<string, unknown>): Settings {
  const given = Object.fromEntries(
    Object.keys(SETTINGS).flatMap((name) => (env[name] === undefined || env[name] === "" ? [] : [[name, env[name]]])),
  );
  const parsed = Settings.safeParse(given);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  throw new AppError("SERVICE_UNAVAILABLE", `These settings have values that cannot be used. ${problems.join("; ")}`);
}
