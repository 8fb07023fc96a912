import type { z } from "zod";
import { Meter } from "../../../src/core/account/meter.ts";
import type { MonitorPage } from "../../../src/core/monitors/monitor.ts";
import type { Task } from "../../../src/core/jobs/task.ts";
import type { Engine } from "../../../src/engines/engine.ts";
import type { CheckInfo, MonitorInfo } from "../../../src/http/monitors/monitor-response.ts";
import type { SearchProvider } from "../../../src/search/provider.ts";
import { parseProviderOrder } from "../../../src/search/provider-order.ts";
import type { Deps } from "../../../src/services/deps.ts";
import { runStepJob } from "../../../src/services/jobs/run-step-job.ts";
import { runTask } from "../../../src/services/upkeep/run-task.ts";
import { createFailedWebhookStore } from "../../../src/storage/webhooks/failed-webhooks.ts";
import { createWebhookDeliveryStore } from "../../../src/storage/webhooks/webhook-deliveries.ts";
import { createMonitorStore } from "../../../src/storage/monitors/monitors.ts";
import { fixedClock } from "../fixed-clock.ts";
import { memoryApiKeys } from "../memory/memory-api-keys.ts";
import { memoryKeyLedger } from "../memory/memory-key-ledger.ts";
import { memoryStepJobs } from "../memory/memory-step-jobs.ts";
import { emptyPageCache, memoryFiles, memoryScrapes } from "../memory/memory-scrapes.ts";
import { nodeD1 } from "../memory/node-d1.ts";
import { scriptedHttp, type ScriptedResponse } from "../upstream/scripted-http.ts";
import { testApp } from "./test-app.ts";
import { testDeps } from "./test-deps.ts";
import { memoryBlobs } from "../memory/memory-blobs.ts";

export const PRICES_URL = "https://a.example/";
export const PRICES = {
  name: "Prices",
  schedule: { text: "hourly" },
  targets: [{ type: "scrape", urls: [PRICES_URL] }],
};
export const HOOK = "https://hook.example/in";

const LONGEST_PAUSE_MS = 3_000;

type Monitor = z.infer<typeof MonitorInfo>;
type Check = z.infer<typeof CheckInfo> & { pages: MonitorPage[]; next?: string };

/** What an answer about monitors holds; the cast in `read` says that tests then look at it field by field. */
interface Reply<Data> {
  success: boolean;
  data: Data;
  id: string;
  next?: string;
  warning?: string;
}

/** An event as its webhook hears it. */
interface Told {
  type: string;
  webhookId: string;
  data: Record<string, unknown>[];
}

/** A page about prices that says this, with these links. */
export function pricePage(words: string, links: readonly string[] = []): string {
  const anchors = links.map((url) => `<a href="${url}">More</a>`).join("");
  const filler = "<p>The catch of the day, weighed at the quay.</p>".repeat(12);
  return `<title>Prices</title><article><h1>Prices</h1>${filler}<p>${words}</p>${anchors}</article>`;
}

/**
 * A service whose web lives in a table that tests change, and whose queue and worker runs are worked off by hand. Its only search provider
 * finds what `found.urls` names; without any it does not answer.
 */
export function monitorService({
  creditsPerMonth,
  ports = {},
}: { creditsPerMonth?: number; ports?: Partial<Omit<Deps, "settings">> } = {}) {
  const clock = fixedClock();
  const meter = new Meter();
  const keys = memoryApiKeys();
  const web: Record<string, ScriptedResponse> = { [PRICES_URL]: pricePage("Cod costs 4"), [HOOK]: "" };
  const found: { urls: readonly string[] | undefined } = { urls: [] };
  const queue: Task[] = [];
  const logged: Record<string, unknown>[] = [];
  const http = scriptedHttp(web);
  const stepJobs = memoryStepJobs(clock);
  /** Checks whose step job asks for a worker run. */
  const runs: string[] = [];
  const { start: startJob, leave } = stepJobs;
  stepJobs.start = async (id, job) => {
    if (job.firstRunAtMs === undefined) runs.push(id);
    return await startJob(id, job);
  };
  stepJobs.leave = async (id, runId, options) => {
    const isCurrent = stepJobs.currentRun(id) === runId;
    await leave(id, runId, options);
    if (!options.isClosed && isCurrent) runs.push(id);
  };
  const database = nodeD1();
  const blobs = memoryBlobs();
  const room = { usedShare: 0, isNearlyFull: false, warning: undefined };
  const provider: SearchProvider = {
    name: "brave",
    places: new Set(["web"]),
    fulfils: new Set(["tbs"]),
    search: async () =>
      found.urls === undefined
        ? { kind: "failed", reason: "unreachable", message: "It is closed" }
        : { kind: "answered", hits: found.urls.map((url) => ({ url, title: url, description: "As found" })) },
  };
  const deps = testDeps({
    clock,
    meter,
    keys,
    keyLedger: memoryKeyLedger(clock, meter),
    http,
    engines: [engineOf(web)],
    scrapes: memoryScrapes(),
    pageCache: emptyPageCache(),
    files: memoryFiles(),
    searchProviders: [provider],
    monitors: createMonitorStore(database, blobs, room),
    blobs,
    databaseRoom: room,
    stepJobs,
    failedWebhooks: createFailedWebhookStore(database),
    webhookDeliveries: createWebhookDeliveryStore(database),
    tasks: { send: async (task) => void queue.push(task), sendAll: async (tasks) => void queue.push(...tasks) },
    defer: (work) => void work.catch(() => undefined),
    // Pauses are over at once; what is slept for longer is a time limit, and no test runs into one.
    // Whoever waits lets the others go on, hash functions among them.
    sleep: (ms) => new Promise((resolve) => (ms < LONGEST_PAUSE_MS ? setImmediate(resolve) : undefined)),
    log: (event) => void logged.push(event),
    settings: { creditsPerMonth, searchOrder: parseProviderOrder("brave") },
    ...ports,
  });
  const { app, ask, post } = testApp(deps);
  const runCheck = async (checkId: string): Promise<void> => {
    const runId = await stepJobs.beginRun(checkId);
    await runStepJob(deps, { jobId: checkId, runId }).catch((error: unknown) => {
      stepJobs.failRun(checkId, runId);
      throw error;
    });
  };
  const drain = async (): Promise<void> => {
    for (let task = queue.shift(); task !== undefined; task = queue.shift()) await runTask(deps, task);
    for (let id = runs.shift(); id !== undefined; id = runs.shift()) await runCheck(id);
  };
  /** Runs the cron's task and the messages that it sends, and the jobs that send events. */
  const cron = async (): Promise<void> => {
    const failures: unknown[] = [];
    const before = queue.splice(0);
    await runTask(deps, { type: "run_due_monitors" }).catch((error: unknown) => failures.push(error));
    for (let task = queue.shift(); task !== undefined; task = queue.shift()) {
      await runTask(deps, task).catch((error: unknown) => failures.push(error));
    }
    for (const jobId of runs.filter((id) => id.endsWith("-events"))) {
      runs.splice(runs.indexOf(jobId), 1);
      await runCheck(jobId);
    }
    queue.push(...before);
    if (failures.length > 0) throw failures[0];
  };
  const read = async <Data>(path: string) => (await (await ask(path)).json()) as Reply<Data>;
  const patch = async (id: string, body: object) =>
    await ask(`/v2/monitor/${id}`, {
      method: "PATCH",
      body: JSON.stringify(body),
      headers: { "Content-Type": "application/json" },
    });
  const create = async (body: object = PRICES): Promise<string> =>
    ((await (await post("/v2/monitor", body)).json()) as Reply<Monitor>).data.id;
  const start = async (id: string): Promise<string> =>
    ((await (await post(`/v2/monitor/${id}/run`, {})).json()) as Reply<Check>).id;
  const readCheck = async (id: string, checkId: string, query = "") =>
    (await read<Check>(`/v2/monitor/${id}/checks/${checkId}${query}`)).data;
  const run = async (id: string): Promise<Check> => {
    const checkId = await start(id);
    await drain();
    return await readCheck(id, checkId);
  };
  return {
    app, clock, keys, web, found, queue, runs, stepJobs, logged, http, deps, database, blobs, room, ask, post, patch, drain, read, create, start,
    run, runCheck, readCheck,
    monitor: async (id: string) => (await read<Monitor>(`/v2/monitor/${id}`)).data,
    checks: async (id: string) => (await read<Check[]>(`/v2/monitor/${id}/checks`)).data,
    cron,
    /** What the webhook has heard, in its order. */
    told: () =>
      http.seen
        .filter(({ url }) => url === HOOK)
        .map(({ body }) => JSON.parse(new TextDecoder().decode(body as Uint8Array)) as Told),
  }; // prettier-ignore
}

/** Loads pages from the same table as everything else. */
function engineOf(web: Record<string, ScriptedResponse>): Engine {
  return {
    engine: "fetch",
    provides: new Set(),
    async load({ url }) {
      const answer = web[url] ?? web[`${url}/`] ?? { status: 404, body: pricePage("There is nothing here") };
      if (typeof answer === "object" && "failed" in answer)
        return { kind: "failed", code: answer.failed, message: answer.failed };
      const { status = 200, body = "" } =
        typeof answer === "string" || answer instanceof Uint8Array ? { body: answer } : answer;
      const page = { engine: "fetch" as const, url, statusCode: status, headers: {}, contentType: "text/html" };
      return { kind: "loaded", page: { ...page, body, warnings: [] } };
    },
  };
}
