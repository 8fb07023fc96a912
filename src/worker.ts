import { WorkerEntrypoint } from "cloudflare:workers";
import type { Foundation } from "./compose-input.ts";
import { buildDeps, layFoundation, metricTargets, slotsOf } from "./compose.ts";
import { Task } from "./core/jobs/task.ts";
import type { Env } from "./env.ts";
import { createApp } from "./http/app.ts";
import { checkOrigin } from "./http/check-origin.ts";
import { asksForDashboard, asksForGuide } from "./http/dashboard.ts";
import { openJobSocket, watchOf } from "./http/jobs/job-socket.ts";
import { openSessionSocket, sessionEndpointOf } from "./http/sessions/session-sockets.ts";
import { mountMcp } from "./mcp/mount.ts";
import { jobRuns } from "./platform/jobs/job-runs.ts";
import { sendMetrics } from "./platform/metrics/telemetry.ts";
import type { Deps } from "./services/deps.ts";
import { newKnownKeys, type KnownKeys } from "./services/account/authenticate.ts";
import { keepDeadLetters } from "./services/upkeep/keep-dead-letters.ts";
import { runJobBatch } from "./services/crawl/run-job-batch.ts";
import { runQueuedScrape, scrapeBeside } from "./services/scrape/scrape-beside.ts";
import { runStepJob } from "./services/jobs/run-step-job.ts";
import { runTask } from "./services/upkeep/run-task.ts";

export { CrawlFrontier } from "./platform/crawl/crawl-frontier.ts";
export { BrowserPool } from "./platform/browser/browser-pool.ts";
export { BrowserLoader } from "./platform/browser/remote/browser-loader.ts";
export { BrowserSession } from "./platform/sessions/browser-session.ts";
export { SessionBrowserBinding } from "./platform/sessions/session-browser-binding.ts";
export { LiveView } from "./platform/live-view/live-view.ts";
export { HostThrottle } from "./platform/crawl/host-throttle.ts";
export { KeyLedger } from "./platform/account/key-ledger.ts";
export { ServiceMetrics } from "./platform/metrics/service-metrics.ts";
export { PageStore } from "./platform/scrape/page-store.ts";
export { SearchIndex } from "./platform/search/search-index.ts";
export { StepJob } from "./platform/jobs/step-job.ts";

type PromisedTask = Extract<Task, { type: "scrape_page" }>;

const FIRST_RETRY_SECONDS = 10;
/** Of what was given up: ten deliveries take 17 hours, in which a database that does not answer is mended. */
const FIRST_RETRY_OF_DEAD_SECONDS = 60;
/** How the name of the queue ends in which messages arrive that were given up. */
const DEAD_LETTERS = "dead-letters";
/** As `wrangler.toml` has it. */
const FREQUENT_CRON = "*/5 * * * *";
/** Work of the service's own has no host that it was reached under. */
const NO_REQUEST = { url: "https://task.invalid/" };

/**
 * The routes and settings, which are the same for every request; the dependencies are not. An isolate has one set of
 * bindings, tests have several.
 */
const foundations = new WeakMap<Env, Foundation>();
const apps = new WeakMap<Env, ReturnType<typeof createApp>>();
const knownKeys = new WeakMap<Env, KnownKeys>();

/** @throws AppError that names the setting which has a bad value; inside the app, so that it is answered like any error. */
function foundationOf(env: Env): Foundation {
  const known = foundations.get(env);
  if (known !== undefined) return known;
  const foundation = layFoundation(env);
  foundations.set(env, foundation);
  return foundation;
}

function keysOf(env: Env): KnownKeys {
  const keys = knownKeys.get(env) ?? newKnownKeys();
  knownKeys.set(env, keys);
  return keys;
}

function appOf(env: Env): ReturnType<typeof createApp> {
  const known = apps.get(env);
  if (known !== undefined) return known;
  const app = createApp((request, defer) => {
    const { url, cf } = request;
    const near = cf === undefined ? {} : { continent: cf.continent, longitude: cf.longitude };
    const invocation = { url, clientLeft: clientsLeft.get(request) ?? request.signal, extend: defer, near };
    return buildDeps(foundationOf(env), invocation, defer);
  }, keysOf(env));
  mountMcp(app);
  apps.set(env, app);
  return app;
}

/** Reports whether the application has a reason to refuse the request before it reads it. */
function isRefused(env: Env, request: Request): boolean {
  try {
    const { settings } = buildDeps(foundationOf(env), request, () => undefined);
    return checkOrigin(request, settings) !== undefined;
  } catch {
    // Settings that cannot be used: the application says which.
    return true;
  }
}

function taskDeps(env: Env, context: ExecutionContext): Deps {
  const extend = (work: Promise<unknown>): void => context.waitUntil(work);
  return buildDeps(foundationOf(env), { ...NO_REQUEST, isWork: true, extend }, extend);
}

/**
 * Dependencies for a message. They do not extend the invocation until the metrics are sent: the platform acknowledges
 * messages when the work passed to `waitUntil` has ended.
 */
function messageDeps(env: Env, context: ExecutionContext, slots = slotsOf(env)): Deps {
  const defer = (work: Promise<unknown>): void => context.waitUntil(work);
  return buildDeps(foundationOf(env), { ...NO_REQUEST, slots, isWork: true }, defer);
}

/** Signals that a request's client has left before the response was ready. */
const clientsLeft = new WeakMap<Request, AbortSignal>();

/**
 * Answers a request through the application. The platform cancels the invocation of a client that has left, with
 * everything that was not passed to `waitUntil`: the request itself is, so that its loads end, its browser is released
 * and its credits are refunded. After the response is ready, deferred work goes on without the client.
 */
function answer(request: Request, env: Env, context: ExecutionContext): Promise<Response> {
  const left = new AbortController();
  const leave = (): void => left.abort(new DOMException("The client has left", "AbortError"));
  request.signal.addEventListener("abort", leave, { once: true });
  clientsLeft.set(request, left.signal);
  const answering = Promise.resolve(appOf(env).fetch(request, env, context)).finally(() =>
    request.signal.removeEventListener("abort", leave),
  );
  context.waitUntil(answering.catch(() => undefined));
  return answering;
}

/** Tries a message again later each time: the delay is doubled, up to the 12 hours that a queue allows. */
function retryLater(message: Message, firstSeconds: number): void {
  message.retry({ delaySeconds: Math.min(firstSeconds * 2 ** (message.attempts - 1), 43_200) });
}

/** Keeps messages that were given up, each for itself: one that cannot be kept does not bring the others back. */
async function keepEach(deps: Deps, messages: readonly Message[]): Promise<void> {
  const keep = async (message: Message): Promise<void> => {
    try {
      await keepDeadLetters(deps, [message]);
      message.ack();
    } catch (error) {
      deps.log({ event: "dead_letter_not_kept", attempt: message.attempts, message: String(error) });
      retryLater(message, FIRST_RETRY_OF_DEAD_SECONDS);
    }
  };
  await Promise.all(messages.map(keep));
}

/** Worker runs that a job's object starts directly, without a queue message, and scrapes beside the deliveries of their queue. */
export class JobRuns extends WorkerEntrypoint<Env> {
  async pageRun(jobId: string, messageId: string): Promise<void> {
    await runJobBatch(taskDeps(this.env, this.ctx), { jobId, messageId });
  }

  async stepRun(jobId: string, runId: string): Promise<void> {
    await runStepJob(taskDeps(this.env, this.ctx), { jobId, runId });
  }

  scrapeRun(task: PromisedTask): void {
    this.ctx.waitUntil(runQueuedScrape(taskDeps(this.env, this.ctx), task));
  }
}

export default {
  async fetch(request, env, context): Promise<Response> {
    const watch = watchOf(request);
    const endpoint = sessionEndpointOf(request);
    const assets = asksForDashboard(request) || asksForGuide(request) ? env.ASSETS : undefined;
    const isApp = watch === undefined && endpoint === undefined && assets === undefined;
    // The application refuses by itself, and tells of settings that cannot be used.
    if (isApp || isRefused(env, request)) return await answer(request, env, context);
    if (assets !== undefined) {
      const file = await assets.fetch(request);
      // The application answers unknown addresses in JSON.
      return file.status === 404 ? await answer(request, env, context) : file;
    }
    const deps = buildDeps(foundationOf(env), request, (work) => context.waitUntil(work));
    if (endpoint !== undefined) return openSessionSocket(deps, endpoint);
    if (watch !== undefined) return openJobSocket(deps, keysOf(env), { request, watch });
    return await answer(request, env, context);
  },

  /** Each message alone: done and acknowledged, or tried again later each time. What never works ends as a dead letter. */
  async queue(batch, env, context): Promise<void> {
    if (batch.queue.endsWith(DEAD_LETTERS)) return await keepEach(messageDeps(env, context), batch.messages);
    const slots = slotsOf(env);
    const run = async (message: Message): Promise<void> => {
      // Each with dependencies of its own, so that one job does not pay for another.
      const deps = messageDeps(env, context, slots);
      deps.telemetry.observe("queue_wait_seconds", { queue: batch.queue }, Date.now() - message.timestamp.getTime());
      try {
        const task = Task.parse(message.body);
        const { queuedScrapes, tasks } = deps;
        const isBeside = task.type === "scrape_page" && queuedScrapes !== undefined;
        const start = (begun: PromisedTask): Promise<void> => jobRuns(context).scrapeRun(begun);
        await (isBeside ? scrapeBeside({ queuedScrapes, tasks }, task, start) : runTask(deps, task));
        message.ack();
      } catch (error) {
        deps.log({ event: "task_failed", attempt: message.attempts, message: String(error) });
        retryLater(message, FIRST_RETRY_SECONDS);
      }
    };
    await Promise.all(batch.messages.map(run));
    await sendMetrics(metricTargets(foundationOf(env)));
  },

  /** Through the queue, where it is tried again if it fails. */
  async scheduled(controller, env, context): Promise<void> {
    const { tasks, pendingScrapes } = taskDeps(env, context);
    if (controller.cron === FREQUENT_CRON) {
      const ofLocal: Task[] = pendingScrapes === undefined ? [] : [{ type: "resend_scrapes" }];
      return await tasks.sendAll([{ type: "run_due_monitors" }, { type: "wake_jobs" }, ...ofLocal]);
    }
    await tasks.send({ type: "purge_expired" });
  },
} satisfies ExportedHandler<Env>;
