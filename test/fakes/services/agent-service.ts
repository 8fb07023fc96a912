import { Meter } from "../../../src/core/account/meter.ts";
import type { EngineOutcome } from "../../../src/core/scrape/page.ts";
import type { LanguageModel } from "../../../src/ports/language-model.ts";
import type { FoundPage } from "../../../src/jobs/step-kind.ts";
import type { SearchProvider } from "../../../src/search/provider.ts";
import { STORE_WAIT_MS } from "../../../src/services/scrape/run-scrape.ts";
import { parseProviderOrder } from "../../../src/search/provider-order.ts";
import { runStepJob } from "../../../src/services/jobs/run-step-job.ts";
import { createAgentTurns } from "../../../src/storage/jobs/agent-turns.ts";
import { createWaitingCalls } from "../../../src/storage/jobs/waiting-calls.ts";
import { createIdempotencyKeys } from "../../../src/storage/jobs/idempotency-keys.ts";
import { createJobStore } from "../../../src/storage/jobs/jobs.ts";
import { createFailedWebhookStore } from "../../../src/storage/webhooks/failed-webhooks.ts";
import { createWebhookDeliveryStore } from "../../../src/storage/webhooks/webhook-deliveries.ts";
import { fixedClock } from "../fixed-clock.ts";
import { memoryBlobs } from "../memory/memory-blobs.ts";
import { memoryFeedback } from "../memory/memory-feedback.ts";
import { emptyPageCache, memoryFiles, memoryScrapes } from "../memory/memory-scrapes.ts";
import { memoryKeyLedger } from "../memory/memory-key-ledger.ts";
import { memoryStepJobs } from "../memory/memory-step-jobs.ts";
import { nodeD1 } from "../memory/node-d1.ts";
import { testApp } from "./test-app.ts";
import { testDeps } from "./test-deps.ts";

interface AgentWorld {
  /** HTML by address; what is not there fails. A search finds all of them. */
  pages: Record<string, string>;
  llm?: LanguageModel;
  /** Results of a search; without it, every search finds all pages. */
  search?: (query: string) => readonly FoundPage[];
  creditsPerMonth?: number;
  /** Of each agent, the number of the step before which its first run is lost with everything that it holds. */
  losesRunAt?: number;
}

/** A service whose agents work while their start is waited for: each starts by a POST, and has ended with its answer. */
export function agentService({ pages, llm, search, creditsPerMonth = 1000, losesRunAt }: AgentWorld) {
  const clock = fixedClock(Date.now());
  const meter = new Meter();
  const keyLedger = memoryKeyLedger(clock, meter);
  const stepJobs = memoryStepJobs(clock, keyLedger);
  const waiting: string[] = [];
  const start = stepJobs.start.bind(stepJobs);
  stepJobs.start = async (id, job) => {
    const isStarted = await start(id, job);
    waiting.push(id);
    return isStarted;
  };
  const loaded: string[] = [];
  let begun = 0;
  const begin = stepJobs.begin.bind(stepJobs);
  stepJobs.begin = async (...step) => {
    if (++begun === losesRunAt) throw new Error("This run is lost");
    return await begin(...step);
  };
  const provider: SearchProvider = {
    name: "brave",
    places: new Set(["web"]),
    fulfils: new Set([]),
    search: async ({ text }) => ({
      kind: "answered",
      hits: (search?.(text) ?? Object.keys(pages).map((url): FoundPage => ({ url }))).map((page) => ({
        url: page.url,
        title: page.title ?? "",
        description: page.description ?? "",
      })),
    }),
  };
  const d1 = nodeD1();
  const deps = testDeps({
    clock,
    meter,
    keyLedger,
    stepJobs,
    blobs: memoryBlobs(),
    jobs: createJobStore(d1, { stepJobs }),
    agentTurns: createAgentTurns(d1),
    waitingCalls: createWaitingCalls(d1),
    idempotencyKeys: createIdempotencyKeys(d1),
    failedWebhooks: createFailedWebhookStore(d1),
    webhookDeliveries: createWebhookDeliveryStore(d1),
    scrapes: memoryScrapes(),
    pageCache: emptyPageCache(),
    files: memoryFiles(),
    feedback: memoryFeedback(),
    searchProviders: [provider],
    settings: { searchOrder: parseProviderOrder("brave"), creditsPerMonth },
    engines: [
      { engine: "fetch", provides: new Set(), load: async ({ url }) => (loaded.push(url), outcomeOf(url, pages[url])) },
    ],
    ...(llm === undefined ? {} : { llm }),
    /** Whoever waits a moment gives a job its run; longer waits, such as for a sign of life, come to no end. */
    async sleep(ms) {
      // The wait for a store, which is immediate here.
      if (ms === STORE_WAIT_MS) return await new Promise(() => undefined);
      if (ms > 1_000) return await new Promise(() => undefined);
      clock.advance(ms);
      for (const jobId of waiting.splice(0)) {
        const run = async () => await runStepJob(deps, { jobId, runId: await stepJobs.beginRun(jobId) });
        // A job whose run is lost is given the next one.
        await run().catch(run);
      }
    },
  });
  return { ...testApp(deps), deps, stepJobs, clock, loaded };
}

function outcomeOf(url: string, body: string | undefined): EngineOutcome {
  if (body === undefined) return { kind: "failed", code: "SCRAPE_SSL_ERROR", message: "The certificate has expired" };
  const [engine, contentType] = ["fetch" as const, "text/html"];
  return { kind: "loaded", page: { engine, url, statusCode: 200, headers: {}, contentType, body, warnings: [] } };
}
