import { runTextTaskHere } from "../../../src/content/text-tasks/text-tasks.ts";
import { NO_EGRESS_ROUTES } from "../../../src/core/egress-routes.ts";
import { RunShares } from "../../../src/core/crawl/run-shares.ts";
import { Meter } from "../../../src/core/account/meter.ts";
import { FairAdmission } from "../../../src/core/waits/fair-admission.ts";
import { FairConversions } from "../../../src/engines/fair-conversions.ts";
import { HeldBytes } from "../../../src/core/waits/held-bytes.ts";
import { QueuedScrapes } from "../../../src/core/scrape/queued-scrapes.ts";
import type { Deps, ServiceSettings } from "../../../src/services/deps.ts";
import { memoryChangeHistory } from "../memory/memory-change-history.ts";
import { fixedClock } from "../fixed-clock.ts";
import { memoryApiKeys } from "../memory/memory-api-keys.ts";
import { memoryHostThrottle } from "../memory/memory-host-throttle.ts";
import { memoryPageIndex, noPauses } from "../memory/memory-page-index.ts";
import { memoryKeyLedger } from "../memory/memory-key-ledger.ts";
import { noTelemetry } from "../no-telemetry.ts";

export const FIRST_KEY = `fc-${"1".repeat(32)}`;
export const ADMIN_KEY = `fc-${"a".repeat(32)}`;

const SETTINGS: ServiceSettings = {
  firstKey: FIRST_KEY,
  adminKey: ADMIN_KEY,
  authDisabled: false,
  seesClientAddresses: true,
  acceptsOldKeys: true,
  userAgent: "Orbweaver test",
  bodyTimeMs: 30_000,
  rateLimitPerMinute: 1000,
  creditsPerMonth: undefined,
  maxConcurrency: 50,
  zeroDataRetention: false,
  resultRetentionMs: 86_400_000,
  cacheRetentionMs: 86_400_000,
  sharesPageCache: false,
  maxBodyBytes: 1_000_000,
  runsCode: false,
  indexRetentionMs: 86_400_000,
  searchOrder: {},
  webhookSecret: "a secret of the unit tests",
  allowedHosts: [],
  allowedOrigins: [],
  ownHosts: [],
  allowPrivateHosts: [],
  egress: NO_EGRESS_ROUTES,
};

/** Dependencies of a test's own: memory stores, a fixed clock; a port that the test does not hand in refuses to be used. */
export function testDeps({
  settings,
  ...ports
}: Partial<Omit<Deps, "settings">> & { settings?: Partial<ServiceSettings> } = {}): Deps {
  const clock = ports.clock ?? fixedClock();
  const meter = ports.meter ?? new Meter();
  return {
    settings: { ...SETTINGS, ...settings },
    clock,
    meter,
    telemetry: noTelemetry(),
    keys: memoryApiKeys(),
    keyLedger: memoryKeyLedger(clock, meter),
    hostThrottle: memoryHostThrottle(clock),
    http: unused("http"),
    keyDirectory: { directory: async () => undefined },
    textTasks: () => runTextTaskHere,
    engines: [],
    admission: new FairAdmission({ isProcessorBusy: () => false }),
    requests: new FairAdmission({ fillsFreeTime: true, isProcessorBusy: () => false }),
    checks: new FairAdmission({ isProcessorBusy: () => false }),
    queuedScrapes: new QueuedScrapes(),
    pendingScrapes: undefined,
    monitorEvents: new FairAdmission({ isProcessorBusy: () => false }),
    conversions: new FairConversions(),
    waiting: new HeldBytes(),
    memory: new HeldBytes({ ofTeam: 96_000_000, inAll: 192_000_000 }),
    stepPages: new HeldBytes({ ofTeam: 64_000_000, inAll: 128_000_000 }),
    runShares: new RunShares(),
    changeHistory: memoryChangeHistory(),
    databaseRoom: { usedShare: 0, isNearlyFull: false, warning: undefined },
    pageCache: unused("pageCache"),
    pageIndex: memoryPageIndex(),
    searchProviders: [],
    paperSources: [],
    githubIndex: unused("githubIndex"),
    providerPauses: noPauses(),
    feedback: unused("feedback"),
    scrapes: unused("scrapes"),
    files: unused("files"),
    blobs: unused("blobs"),
    jobs: unused("jobs"),
    jobList: unused("jobList"),
    estimates: { put: async () => undefined, find: async () => undefined, purge: async () => 0 },
    agentTurns: unused("agentTurns"),
    waitingCalls: unused("waitingCalls"),
    unusedTables: unused("unusedTables"),
    idempotencyKeys: unused("idempotencyKeys"),
    monitors: unused("monitors"),
    failedWebhooks: unused("failedWebhooks"),
    webhookDeliveries: unused("webhookDeliveries"),
    uploads: unused("uploads"),
    deadLetters: unused("deadLetters"),
    readiness: { check: async () => ({ status: "ready", checks: {} }) },
    deploymentProbes: unused("deploymentProbes"),
    frontiers: unused("frontiers"),
    stepJobs: unused("stepJobs"),
    browserSessions: undefined,
    sessionConnector: undefined,
    recordings: unused("recordings"),
    profiles: undefined,
    profileBrowser: undefined,
    sessionStore: unused("sessionStore"),
    tasks: unused("tasks"),
    llm: undefined,
    sleep: async () => {},
    defer: () => {},
    log: () => {},
    ...ports,
  };
}

/** The cast is safe because every use of the port throws. */
function unused<Port extends object>(name: string): Port {
  return new Proxy({} as Port, {
    get(): never {
      throw new Error(`This test hands in no ${name}`);
    },
  });
}
