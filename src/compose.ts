import { buildBrowser, buildLeases, buildOcr, type LeaseParts } from "./compose-browsers.ts";
import type { Foundation, Invocation } from "./compose-input.ts";
import { buildGuards, buildHttp } from "./compose-outbound.ts";
import { buildSearch } from "./compose-search.ts";
import { memoryOf, modelTurnsOf, stepPagesOf, turns } from "./compose-turns.ts";
import { endpointsOf } from "./core/egress-routes.ts";
import { Meter } from "./core/account/meter.ts";
import { createBrowserEngine } from "./engines/browser.ts";
import type { Engine } from "./engines/engine.ts";
import { withFairConversions } from "./engines/fair-conversions.ts";
import { measuredEngine } from "./engines/measured-engine.ts";
import { createPlainFetchEngine } from "./engines/plain-fetch.ts";
import { readSettings, type Env, type Settings } from "./env.ts";
import { createBrowser } from "./platform/browser/browser-rendering.ts";
import { withOwnBrowsers } from "./platform/browser/own-browsers.ts";
import { createCodeRunner } from "./platform/code-runner/create-code-runner.ts";
import { createSharedReader } from "./platform/code-runner/shared-reader.ts";
import { createBrowserSessions } from "./platform/sessions/session-port.ts";
import { operatorFetch } from "./platform/outbound/egress.ts";
import { createFrontiers } from "./platform/crawl/crawl-frontier-port.ts";
import { ConnectionSlots } from "./platform/outbound/connection-slots.ts";
import { createOriginFetch } from "./platform/outbound/guarded-fetch.ts";
import { createHostThrottle } from "./platform/crawl/host-throttle-port.ts";
import { createKeyLedger } from "./platform/account/key-ledger-port.ts";
import { KeyLeases } from "./platform/account/key-leases.ts";
import { createLanguageModel, type ModelServer } from "./platform/language-model/language-model.ts";
import { logEvent } from "./platform/log-event.ts";
import { BotIdentity } from "./platform/outbound/request-signer.ts";
import { Rotation } from "./platform/outbound/rotation.ts";
import { readGauges } from "./platform/metrics/gauges.ts";
import type { MetricTargets } from "./platform/metrics/metric-buffer.ts";
import { createTelemetry } from "./platform/metrics/telemetry.ts";
import { createProfileBrowser } from "./platform/sessions/profile-browser.ts";
import { createRecordings } from "./platform/sessions/recordings.ts";
import { createSessionConnector } from "./platform/sessions/session-connector.ts";
import { meterBindings } from "./platform/metering/meter-bindings.ts";
import { WatchedDatabase } from "./platform/metering/watched-database.ts";
import { createColoCache } from "./platform/scrape/colo-cache.ts";
import { indexShards } from "./platform/search/index-shards.ts";
import { pageShards } from "./platform/scrape/page-shards.ts";
import { createDeploymentProbes, createProbes } from "./platform/probes.ts";
import { createR2Blobs } from "./platform/r2-blobs.ts";
import { createStepJobs } from "./platform/jobs/step-job-port.ts";
import { createTaskQueue } from "./platform/jobs/task-queue.ts";
import type { BrowserSessions } from "./ports/sessions/browser-session.ts";
import type { OutboundGuard } from "./ports/outbound/outbound-guard.ts";
import type { LanguageModel } from "./ports/language-model.ts";
import type { Http } from "./ports/outbound/http.ts";
import type { Clock } from "./ports/system.ts";
import type { Telemetry } from "./ports/telemetry.ts";
import { checkReadiness } from "./services/upkeep/check-readiness.ts";
import { pageReaderOf } from "./services/parse/read-page-apart.ts";
import type { ReadApartTools } from "./services/parse/run-apart.ts";
import { textTasksApart } from "./services/parse/text-tasks-apart.ts";
import { runTextTaskHere } from "./content/text-tasks/text-tasks.ts";
import type { Deps, ServiceSettings } from "./services/deps.ts";
import { createApiKeyStore } from "./storage/account/api-keys.ts";
import { createChangeHistory } from "./storage/scrape/change-history.ts";
import { createDeadLetterStore } from "./storage/webhooks/dead-letters.ts";
import { createFailedWebhookStore } from "./storage/webhooks/failed-webhooks.ts";
import { createWebhookDeliveryStore } from "./storage/webhooks/webhook-deliveries.ts";
import { createProfileStore } from "./storage/sessions/profiles.ts";
import { createBrowserSessionStore } from "./storage/sessions/browser-session-store.ts";
import { createFeedbackStore } from "./storage/search/feedback.ts";
import { createFileStore } from "./storage/scrape/files.ts";
import { createIdempotencyKeys } from "./storage/jobs/idempotency-keys.ts";
import { createAgentTurns } from "./storage/jobs/agent-turns.ts";
import { createWaitingCalls } from "./storage/jobs/waiting-calls.ts";
import { createEstimateStore } from "./storage/jobs/estimates.ts";
import { createUnusedTables } from "./storage/unused-tables.ts";
import { createJobList } from "./storage/jobs/job-list.ts";
import { createJobStore } from "./storage/jobs/jobs.ts";
import { createMonitorStore } from "./storage/monitors/monitors.ts";
import { createPageIndex, INDEX_LIMITS } from "./storage/search/page-index.ts";
import { createProviderPauses } from "./storage/search/provider-pauses.ts";
import { withNearDocuments } from "./storage/scrape/near-documents.ts";
import { createPendingScrapes } from "./storage/scrape/pending-scrapes.ts";
import { createPageStore } from "./storage/scrape/page-store.ts";
import { createUploadStore } from "./storage/scrape/uploads.ts";

const HOUR_MS = 3_600_000;
const systemClock: Clock = { now: () => Date.now() };

/** @throws Error that names the setting which has a bad value. */
export function layFoundation(bound: Env): Foundation {
  const settings = readSettings(bound);
  const env = withOwnBrowsers(bound);
  const { BOT_AUTH_KEY: keys, SIGNATURE_AGENT: agent } = settings;
  const identity = new BotIdentity({ keys, agent, clock: systemClock });
  const rotation = new Rotation(systemClock);
  const memory = { resolvedNames: new Map(), readiness: {}, fullShards: new Set<string>(), indexLayouts: new Map() };
  const shared = { databaseRoom: new WatchedDatabase(), keyLeases: new KeyLeases() };
  return { env, settings, identity, rotation, ...shared, ...memory };
}

/** Returns slots for one invocation. A machine of one's own, where the egress proxy is, limits no connections. */
export function slotsOf({ EGRESS }: Pick<Env, "EGRESS">): ConnectionSlots {
  return EGRESS === undefined ? new ConnectionSlots() : new ConnectionSlots(Infinity);
}

/** Turns bindings into ports, once per request, so that each request's costs are counted apart. */
export function buildDeps(
  foundation: Foundation,
  { url: requestUrl, clientLeft, slots = slotsOf(foundation.env), isWork = false, extend, near = {} }: Invocation,
  defer: (work: Promise<unknown>) => void,
): Deps {
  const { settings, identity } = foundation;
  const { guard, fetchGuard, searchGuard } = buildGuards(foundation, { slots, ...(clientLeft && { clientLeft }) });
  const meter = new Meter();
  const telemetry = buildTelemetry(foundation, extend);
  const env = meterBindings(foundation.env, meter, foundation.databaseRoom);
  const serviceSettings = toServiceSettings(env, settings, requestUrl);
  const blobs = createR2Blobs(env.BUCKET);
  const { indexLayouts: layouts } = foundation;
  const pageIndex = createPageIndex({ shard: indexShards(env.SEARCH_INDEX), limits: INDEX_LIMITS, layouts });
  const http = buildHttp(
    foundation,
    { guard, fetchGuard },
    { meter, telemetry, slots, movesDeadlines: isWork, callerLeft: clientLeft },
  );
  const deferLogged = (work: Promise<unknown>): void =>
    defer(work.catch((error: unknown) => logEvent({ event: "deferred_work_failed", message: String(error) })));
  const leasing = { env, settings, meter, telemetry, defer: deferLogged, clientLeft, near };
  const engines = buildEngines({ ...leasing, identity, guard, http });
  const objects = { frontiers: createFrontiers(env.CRAWL_FRONTIER), stepJobs: createStepJobs(env.STEP_JOB) };
  const apart = buildReadApart(env, settings, deferLogged);
  return {
    settings: serviceSettings,
    clock: systemClock,
    clientLeft,
    meter,
    telemetry,
    keys: createApiKeyStore(env.DB),
    keyLedger: createKeyLedger(env.KEY_LEDGER, meter, {
      leases: foundation.keyLeases,
      clock: systemClock,
      sleep,
      defer: deferLogged,
    }),
    hostThrottle: createHostThrottle(env.HOST_THROTTLE),
    http,
    engines,
    ocr: buildOcr(leasing, buildModel({ env, settings, meter }, visionModel(settings))),
    readApart: apart && ((owner, limit) => pageReaderOf(apart, owner, limit)),
    textTasks: (owner, limit) => (apart === undefined ? runTextTaskHere : textTasksApart(apart, owner, limit)),
    requests: turns.requests,
    admission: turns.admission,
    conversions: turns.conversions,
    waiting: turns.waiting,
    memory: memoryOf(env),
    stepPages: stepPagesOf(env),
    checks: turns.checks,
    monitorEvents: turns.monitorEvents,
    // The simulator, where the egress proxy is, delivers messages one after the other.
    queuedScrapes: env.EGRESS === undefined ? undefined : turns.queuedScrapes,
    pendingScrapes: env.EGRESS === undefined ? undefined : createPendingScrapes(env.DB),
    runShares: turns.runShares,
    keyDirectory: identity,
    changeHistory: createChangeHistory(env.DB, blobs, foundation.databaseRoom),
    ...withNearDocuments(
      createPageStore({
        shard: pageShards(env.PAGE_STORE),
        blobs,
        retention: { resultMs: serviceSettings.resultRetentionMs, cacheMs: serviceSettings.cacheRetentionMs },
        isShared: serviceSettings.sharesPageCache,
        fullShards: foundation.fullShards,
      }),
      {
        // A machine of one's own keeps entries on its disk until they are used again.
        cache: env.EGRESS === undefined ? createColoCache() : undefined,
        defer: deferLogged,
        cacheMs: serviceSettings.cacheRetentionMs,
      },
    ),
    pageIndex,
    ...buildSearch({
      env,
      settings,
      guard: searchGuard,
      clock: systemClock,
      meter,
      pages: pageIndex,
      admit: ({ teamId }, work, deadlineMs) => turns.searches.run({ teamId, keyId: "" }, work, { deadlineMs }),
      engines,
      ownHosts: serviceSettings.ownHosts,
      slots,
    }),
    providerPauses: createProviderPauses(env.DB),
    feedback: createFeedbackStore(env.DB),
    files: createFileStore(blobs),
    blobs,
    jobs: createJobStore(env.DB, {
      ...objects,
      room: foundation.databaseRoom,
      retentionMs: serviceSettings.resultRetentionMs,
    }),
    jobList: createJobList(env.DB),
    estimates: createEstimateStore(env.DB),
    agentTurns: createAgentTurns(env.DB),
    waitingCalls: createWaitingCalls(env.DB),
    unusedTables: createUnusedTables(env.DB),
    idempotencyKeys: createIdempotencyKeys(env.DB),
    monitors: createMonitorStore(env.DB, blobs, foundation.databaseRoom),
    uploads: createUploadStore(env.DB),
    failedWebhooks: createFailedWebhookStore(env.DB),
    webhookDeliveries: createWebhookDeliveryStore(env.DB, foundation.databaseRoom),
    databaseRoom: foundation.databaseRoom,
    readiness: {
      check: () =>
        checkReadiness({
          clock: systemClock,
          probes: createProbes(foundation.env),
          memory: foundation.readiness,
          sleep,
          log: logEvent,
        }),
    },
    deploymentProbes: createDeploymentProbes(foundation.env),
    deadLetters: createDeadLetterStore(env.DB),
    ...objects,
    browserSessions: env.BROWSER === undefined ? undefined : buildBrowserSessions(env, settings),
    sessionConnector:
      env.BROWSER === undefined ? undefined : createSessionConnector({ binding: env.BROWSER, views: env.LIVE_VIEW }),
    recordings: createRecordings(env.LIVE_VIEW),
    profiles:
      settings.PROFILE_ENCRYPTION_KEY === undefined
        ? undefined
        : createProfileStore({ db: env.DB, blobs, keyHex: settings.PROFILE_ENCRYPTION_KEY }),
    profileBrowser: env.BROWSER === undefined ? undefined : createProfileBrowser(env.BROWSER),
    sessionStore: createBrowserSessionStore(env.DB),
    tasks: createTaskQueue(env),
    llm: buildModel({ env, settings, meter }, textModel(settings)),
    sleep,
    defer: deferLogged,
    log: logEvent,
  };
}

/** Creates the telemetry of an invocation, whose own calls are no costs of its work. */
function buildTelemetry(foundation: Foundation, extend: Invocation["extend"]): Telemetry {
  const targets = metricTargets(foundation);
  return createTelemetry({ targets, extend, gauges: (samples) => readGauges(foundation.env, samples) });
}

/** Returns where the counts of the service are sent. */
export function metricTargets({ env, settings }: Pick<Foundation, "env" | "settings">): MetricTargets {
  return { SERVICE_METRICS: env.SERVICE_METRICS, ANALYTICS: settings.ANALYTICS_POINTS ? env.ANALYTICS : undefined };
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Names of the models of one kind, and their prices in dollars per million tokens. */
interface ModelPart {
  large: string | undefined;
  small?: string | undefined;
  dollarsAMillion: { input: number; output: number };
}

function textModel(settings: Settings): ModelPart {
  const { LLM_MODEL: large, LLM_SMALL_MODEL: small, LLM_INPUT_DOLLARS: input, LLM_OUTPUT_DOLLARS: output } = settings;
  return { large, small, dollarsAMillion: { input, output } };
}

function visionModel(settings: Settings): ModelPart {
  const { dollarsAMillion: usual } = textModel(settings);
  const { LLM_VISION_INPUT_DOLLARS: input = usual.input, LLM_VISION_OUTPUT_DOLLARS: output = usual.output } = settings;
  return { large: settings.LLM_VISION_MODEL, dollarsAMillion: { input, output } };
}

/** A server that the settings name goes before the platform's own models, which need a name as well. */
function buildModel(
  { env, settings, meter }: Pick<Foundation, "env" | "settings"> & { meter: Meter },
  { large, small, dollarsAMillion }: ModelPart,
): LanguageModel | undefined {
  const { LLM_BASE_URL: baseUrl, LLM_API_KEY: apiKey } = settings;
  const server: ModelServer | undefined =
    baseUrl !== undefined
      ? { kind: "openai", baseUrl, apiKey }
      : env.AI === undefined
        ? undefined
        : { kind: "workers", ai: env.AI };
  if (server === undefined || large === undefined) return undefined;
  return createLanguageModel({
    server,
    names: { large, small: small ?? large },
    contextTokens: settings.LLM_CONTEXT_TOKENS,
    turns: modelTurnsOf(settings),
    dollarsAMillion,
    fetcher: createOriginFetch(baseUrl ?? "https://workers-ai.invalid", operatorFetch(env).fetcher),
    clock: systemClock,
    meter,
    sleep,
  });
}

function buildReadApart(
  env: Env,
  { SANDBOX_URL: url }: Settings,
  defer: (work: Promise<unknown>) => void,
): ReadApartTools | undefined {
  const runner = createCodeRunner({ ...env, SANDBOX_URL: url });
  const binding = env.PAGE_READER;
  const { fetcher } = operatorFetch(env);
  const isBusy = (): boolean => turns.conversions.isBusy;
  const state = turns.sharedReader;
  const shared = binding && url ? createSharedReader({ binding, url, fetcher, defer, isBusy, state }) : undefined;
  return runner && { runner, shared, turns: turns.apart, waiting: turns.waiting, defer, log: logEvent };
}

function buildEngines(
  parts: LeaseParts & Pick<Foundation, "identity"> & { guard: OutboundGuard; http: Http },
): Engine[] {
  const { env, settings, identity, guard, http, telemetry } = parts;
  const fetchOptions = { userAgent: settings.USER_AGENT, maxBodyBytes: settings.MAX_BODY_BYTES };
  const routes = Object.entries(settings.EGRESS_ROUTES.routes);
  const engines = [
    createPlainFetchEngine(http, fetchOptions),
    ...routes.map(([name, route]) => {
      const endpoints = endpointsOf(name, route).length;
      return createPlainFetchEngine(http, { ...fetchOptions, route: { name, endpoints } });
    }),
  ];
  const withConversionOrder = (engine: Engine): Engine =>
    withFairConversions(measuredEngine(engine, telemetry), turns.conversions, turns.waiting);
  if (env.BROWSER === undefined) return engines.map(withConversionOrder);
  const leases = buildLeases(parts, env.BROWSER);
  const browser =
    buildBrowser(parts, leases) ?? createBrowser({ ...leases, guard, signer: identity, clock: systemClock });
  return [...engines, createBrowserEngine(browser)].map(withConversionOrder);
}

function buildBrowserSessions(env: Env, settings: Settings): BrowserSessions {
  return createBrowserSessions({
    namespace: env.BROWSER_SESSION,
    settings: {
      maxSessions: settings.BROWSER_SESSIONS,
      warmBrowsers: settings.BROWSER_SESSIONS_WARM,
      launchesPerMinute: settings.BROWSER_LAUNCHES_PER_MINUTE,
      allowPrivateHosts: settings.ALLOW_PRIVATE_HOSTS,
      resolverUrl: settings.DNS_OVER_HTTPS_URL,
    },
  });
}

function toServiceSettings(env: Env, settings: Settings, requestUrl: string): ServiceSettings {
  return {
    firstKey: settings.API_KEY,
    adminKey: settings.ADMIN_KEY,
    authDisabled: settings.AUTH_DISABLED,
    seesClientAddresses: env.EGRESS === undefined,
    acceptsOldKeys: settings.OLD_KEYS,
    userAgent: settings.USER_AGENT,
    bodyTimeMs: settings.REQUEST_BODY_SECONDS * 1000,
    rateLimitPerMinute: settings.RATE_LIMIT_PER_MINUTE,
    creditsPerMonth: settings.CREDITS_PER_MONTH,
    maxConcurrency: settings.MAX_CONCURRENCY,
    zeroDataRetention: settings.ZERO_DATA_RETENTION,
    resultRetentionMs: settings.RESULT_RETENTION_HOURS * HOUR_MS,
    sharesPageCache: settings.SHARE_PAGE_CACHE,
    cacheRetentionMs: settings.CACHE_RETENTION_HOURS * HOUR_MS,
    maxBodyBytes: settings.MAX_BODY_BYTES,
    runsCode: env.LOADER !== undefined || settings.SANDBOX_URL !== undefined,
    indexRetentionMs: settings.SEARCH_INDEX_RETENTION_HOURS * HOUR_MS,
    searchOrder: settings.SEARCH_PROVIDERS,
    allowedHosts: settings.ALLOWED_HOSTS,
    allowedOrigins: settings.ALLOWED_ORIGINS,
    webhookSecret: settings.WEBHOOK_SECRET,
    allowPrivateHosts: settings.ALLOW_PRIVATE_HOSTS,
    egress: settings.EGRESS_ROUTES,
    ownHosts: [...settings.OWN_HOSTS, ...ownHostsOf(requestUrl)],
  };
}

/** The service under the host of a request; this machine goes by three names. */
function ownHostsOf(requestUrl: string): string[] {
  const { hostname, port, protocol } = new URL(requestUrl);
  const names = LOOPBACK_NAMES.includes(hostname) ? LOOPBACK_NAMES : [hostname];
  const shownPort = port === "" ? (protocol === "https:" ? "443" : "80") : port;
  return names.map((name) => `${name.replace(/^\[|\]$/g, "")}:${shownPort}`);
}

const LOOPBACK_NAMES = ["127.0.0.1", "localhost", "[::1]"];
