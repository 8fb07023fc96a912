import { setTimeout as sleep } from "node:timers/promises";
import { openIngress, type Ingress } from "../ingress/open-ingress.ts";
import { runService } from "./run-service.ts";
import type { RunningService, ServiceEnd, ServiceOptions } from "./run-service.ts";
import { HealthJudge, processorWaitMs } from "./health-judge.ts";
import { BrowserWatch, listProfiles } from "../browser/watch-browsers.ts";
import { endLargeRenderers } from "../browser/watch-renderers.ts";

/** A service that is started again when it hangs or dies. */
export interface WatchedService {
  /** `http://127.0.0.1:<port>`, the same for all its lives. */
  url: string;
  port: number;
  /** Resolves when the service was stopped, or did not start again. */
  ended: Promise<ServiceEnd>;
  /** Runs what the Worker does by its cron triggers. See {@link RunningService.schedule}. */
  schedule(cron?: string): Promise<void>;
  stop(): Promise<void>;
}

export interface WatchOptions extends ServiceOptions {
  /** A message for people: what the watchdog does, and why. */
  log: (line: string) => void;
}

const PROBE_INTERVAL_MS = 2_000;
/** After a question without an answer, the next follows at once. */
const RETRY_INTERVAL_MS = 500;
const PROBE_TIMEOUT_MS = 7_000;
/** A script can take a gigabyte of memory in a second. */
const MEMORY_INTERVAL_MS = 500;
const MEGABYTE = 1_000_000;
/** Starts in a row that end before the service has lived for STABLE_MS. */
const MAX_STARTS = 5;
const STABLE_MS = 60_000;

/**
 * Starts the service, asks `/health` every two seconds, and starts the service again on the same port when it dies (within
 * some seconds) or does not answer for about 15 seconds, up to a minute where it waits for a processor. Jobs are durable, and
 * go on where they were. Browsers that do not answer are ended, and the service starts others; so are pages that use more
 * memory than a page may.
 * @throws Error when the service does not start the first time.
 */
export async function watchService(options: WatchOptions): Promise<WatchedService> {
  const ingress = await openIngress(options.port);
  const { port } = ingress;
  const watch = await ServiceWatch.start(options, ingress).catch(async (error: unknown) => {
    await ingress.close();
    throw error;
  });
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    ended: watch.run().finally(() => ingress.close()),
    schedule: (cron) => watch.current.schedule(cron),
    stop: () => watch.stop(),
  };
}

class ServiceWatch {
  current: RunningService;
  readonly #options: WatchOptions;
  readonly #ingress: Ingress;
  readonly #stopping = new AbortController();
  #starting: Promise<unknown> = Promise.resolve();

  private constructor(options: WatchOptions, ingress: Ingress, current: RunningService) {
    this.#options = options;
    this.#ingress = ingress;
    this.current = current;
  }

  /** Each life of the service has a port of its own, behind that of the ingress. */
  static async start({ port: _port, ...others }: WatchOptions, ingress: Ingress): Promise<ServiceWatch> {
    const options = { ...others, ingressPort: ingress.port };
    const current = await runService(options);
    ingress.serve(current.port);
    return new ServiceWatch(options, ingress, current);
  }

  async run(): Promise<ServiceEnd> {
    let starts = 0;
    for (;;) {
      const startedAt = performance.now();
      const trouble = await this.#trouble();
      if (this.#isStopping) return this.current.ended;
      await this.current.kill();
      if (this.#isStopping) return this.current.ended;
      starts = performance.now() - startedAt > STABLE_MS ? 1 : starts + 1;
      if (starts > MAX_STARTS) return this.current.ended;
      this.#options.log(`The service ${trouble}; starting it again`);
      const failure = await this.#startAgain();
      if (failure !== undefined) return failure;
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    // A service that is being started is stopped when it has come up, so that nothing stays.
    await this.#starting;
    await this.current.stop();
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #startAgain(): Promise<ServiceEnd | undefined> {
    const startedAt = performance.now();
    const starting = runService(this.#options);
    this.#starting = starting.catch(() => undefined);
    try {
      this.current = await starting;
      this.#ingress.serve(this.current.port);
      this.#options.log(`The service answers again after ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
      return undefined;
    } catch (error) {
      return { code: 1, signal: null, lastLines: [error instanceof Error ? error.message : String(error)] };
    }
  }

  /** Resolves with what is wrong, as soon as something is, or when the service is to stop. */
  async #trouble(): Promise<string> {
    const { current } = this;
    const over = new AbortController();
    const signal = AbortSignal.any([over.signal, this.#stopping.signal]);
    const died = current.ended.then(({ code, signal: by }) => `ended by itself (${by ?? `exit code ${code}`})`);
    try {
      return await Promise.race([died, this.#silence(current, signal), this.#watchBrowsers(current, signal), this.#watchMemory(current, signal)]); // prettier-ignore
    } finally {
      over.abort();
    }
  }

  async #silence({ url, processes }: RunningService, signal: AbortSignal): Promise<string> {
    const judge = new HealthJudge();
    for (let isHung = false; !isHung && !signal.aborted;) {
      await pause(judge.isInDoubt ? RETRY_INTERVAL_MS : PROBE_INTERVAL_MS, signal);
      const waitedMs = processorWaitMs(processes());
      const isAnswered = await isHealthy(url);
      isHung = judge.note(isAnswered, isAnswered ? 0 : processorWaitMs(processes()) - waitedMs);
    }
    return "does not answer";
  }

  async #watchBrowsers({ temporaryDir }: RunningService, signal: AbortSignal): Promise<never> {
    const watch = new BrowserWatch();
    while (!signal.aborted) {
      await pause(PROBE_INTERVAL_MS, signal);
      for (const pid of await watch.look(temporaryDir)) {
        this.#options.log(
          `The browser (process ${pid}) does not answer; it was ended, and the next page starts another`,
        );
      }
    }
    return await new Promise<never>(() => undefined);
  }

  async #watchMemory({ temporaryDir }: RunningService, signal: AbortSignal): Promise<never> {
    while (!signal.aborted) {
      await pause(MEMORY_INTERVAL_MS, signal);
      for (const { pid, bytes } of endLargeRenderers(listProfiles(temporaryDir))) {
        this.#options.log(
          `A page, or what draws the pages (process ${pid}), used ${Math.round(bytes / MEGABYTE)} MB of memory; it was ended`,
        );
      }
    }
    return await new Promise<never>(() => undefined);
  }
}

/** Any answer will do: a service that lacks something says so itself. */
async function isHealthy(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
    await response.arrayBuffer();
    // wrangler's own proxy answers 503 or waits while workerd is gone.
    return response.status < 500;
  } catch {
    return false;
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
}
