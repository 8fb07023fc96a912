import { crawlDelaySeconds, rulesFor, type Robots } from "../../content/crawling/robots.ts";
import { hostOf } from "../../core/crawl/dispatch.ts";
import type { FrontierItem, PageResult } from "../../core/crawl/frontier.ts";
import { ownerOf } from "../../core/fair-order.ts";
import { inTurns } from "../../core/in-turns.ts";
import { loadNumber, MAX_LOADS } from "../../core/crawl/page-retries.ts";
import { unsent } from "../crawl/unread-page.ts";
import type { HostRobots } from "../crawl/robots-cache.ts";
import { NO_RESPONSE_MS, robotsOfHost } from "../crawl/robots-of-host.ts";
import type { WorkerRunContext } from "../crawl/run/worker-run-context.ts";

/** Delay before a page is tried again when robots.txt is unreachable. */
const UNREACHABLE_WAIT_MS = 15_000;
/** Loads of a page whose host does not send its robots.txt in time: some 20 seconds in all. */
const MAX_TIMEOUTS = 2;

/** Reads the robots.txt of the hosts of a worker run, and collects the crawl delays for the frontier. */
export class HostFacts {
  readonly #context: WorkerRunContext;
  readonly #reported = new Set<string>();
  #news: Record<string, { delayMs: number }> = {};

  constructor(context: WorkerRunContext) {
    this.#context = context;
  }

  /** Returns the delays that were found since the last call, by host. */
  news(): Record<string, { delayMs: number }> {
    const news = this.#news;
    this.#news = {};
    return news;
  }

  async robotsOf(url: string): Promise<Robots> {
    return (await this.#ask(url)).robots;
  }

  /**
   * Returns the reason why an item must not be loaded now: robots.txt forbids it, or is unreachable, which forbids it
   * for now.
   */
  async refusal(item: FrontierItem): Promise<PageResult | undefined> {
    const { kind, specification } = this.#context;
    const agent = kind.robotsAgent(specification.input);
    if (agent === undefined) return undefined;
    const { robots, kind: reached, failure } = await this.#ask(item.url);
    if (reached === "unreachable") return unreachable(item, failure);
    const { key, attempt } = item;
    this.#tellDelay(hostOf(item.url), crawlDelaySeconds(robots, agent) ?? 0);
    // Rules for which a URL takes long: the pages of all jobs wait in this isolate.
    const isAllowed = await inTurns(rulesFor(robots, agent).allowing(item.url));
    return isAllowed ? undefined : { key, attempt, kind: "robots" };
  }

  #ask(url: string): Promise<HostRobots> {
    const { deps, specification } = this.#context;
    return robotsOfHost(deps, url, { owner: ownerOf(specification.key) });
  }

  #tellDelay(host: string, seconds: number): void {
    if (seconds === 0 || this.#reported.has(host)) return;
    this.#reported.add(host);
    this.#news[host] = { delayMs: seconds * 1000 };
  }
}

/** Returns the failure of a page whose host gave no response, or only an error, for its robots.txt. */
function unreachable(item: FrontierItem, failure: HostRobots["failure"]): PageResult {
  const { key, attempt } = item;
  if (failure?.isUnsent === true) return unsent(item, failure);
  return {
    key,
    attempt,
    kind: "failed",
    code: failure?.code ?? "SCRAPE_SITE_ERROR",
    error:
      failure === undefined
        ? "The site's robots.txt cannot be read, so its pages are not requested"
        : `The host of this page could not be reached: ${failure.message}`,
    retryable: loadNumber(item) < (failure?.code === "SCRAPE_TIMEOUT" ? MAX_TIMEOUTS : MAX_LOADS),
    retryAfterMs: failure === undefined ? UNREACHABLE_WAIT_MS : NO_RESPONSE_MS,
  };
}
