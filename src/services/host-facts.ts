import {
  ALLOW_ALL,
  DISALLOW_ALL,
  MAX_ROBOTS_BYTES,
  crawlDelaySeconds,
  isAllowed,
  parseRobots,
  type Robots,
} from "../content/robots.ts";
import { hostOf } from "../core/dispatch.ts";
import { MAX_ATTEMPTS, type FrontierItem, type PageResult } from "../core/frontier.ts";
import type { TurnContext } from "./turn-context.ts";

const DAY_MS = 86_400_000;
const ROBOTS_TIMEOUT_MS = 15_000;

/** What is kept of a host for the other consumers of a job, and for a day (RFC 9309 § 2.4). */
interface Facts {
  robots: Robots;
  readAtMs: number;
  /** `Crawl-delay`, in ms. */
  delayMs: number;
  /** The file could not be had, which is no answer: it is asked for again. */
  isUnreachable?: boolean;
}

/** robots.txt of the hosts that a consumer meets, each read once. */
export class HostFacts {
  readonly #context: TurnContext;
  readonly #known = new Map<string, Facts>();
  readonly #reading = new Map<string, Promise<Facts>>();
  #news = new Map<string, Facts>();

  constructor(context: TurnContext) {
    this.#context = context;
  }

  /** Takes over what others have found out. They wrote it in this very shape: hence the cast. */
  learn(hosts: Record<string, unknown>): void {
    for (const [host, facts] of Object.entries(hosts)) this.#known.set(host, facts as Facts);
  }

  /** What was found out since the last time. */
  news(): Record<string, unknown> {
    const news = Object.fromEntries(this.#news);
    this.#news = new Map();
    return news;
  }

  /** The rules of the host of a URL; whoever asks first reads them. */
  async robotsOf(url: string): Promise<Robots> {
    return (await this.#factsOf(url)).robots;
  }

  /** Why an item must not be loaded now: robots.txt forbids it, or cannot be had, which forbids it for the time being. */
  async refusal(item: FrontierItem): Promise<PageResult | undefined> {
    const { kind, specification } = this.#context;
    const agent = kind.robotsAgent(specification.input);
    if (agent === undefined) return undefined;
    const { robots, isUnreachable } = await this.#factsOf(item.url);
    const { key, attempt } = item;
    if (isUnreachable === true && attempt < MAX_ATTEMPTS) {
      return {
        key,
        attempt,
        kind: "failed",
        code: "SCRAPE_SITE_ERROR",
        error: "robots.txt cannot be read",
        retryable: true,
      };
    }
    return isAllowed(robots, item.url, agent) ? undefined : { key, attempt, kind: "robots" };
  }

  async #factsOf(url: string): Promise<Facts> {
    const { clock } = this.#context.deps;
    const host = hostOf(url);
    const known = this.#known.get(host);
    if (known !== undefined && clock.now() - known.readAtMs < DAY_MS && known.isUnreachable !== true) return known;
    const reading = this.#reading.get(host) ?? this.#read(url);
    this.#reading.set(host, reading);
    try {
      const facts = await reading;
      this.#known.set(host, facts);
      if (facts.isUnreachable !== true) this.#news.set(host, facts);
      return facts;
    } finally {
      this.#reading.delete(host);
    }
  }

  /** RFC 9309 § 2.3.1: a file that is not there allows everything, one that cannot be had forbids everything for now. */
  async #read(url: string): Promise<Facts> {
    const { deps, kind, specification } = this.#context;
    const readAtMs = deps.clock.now();
    const outcome = await deps.http.request({
      url: new URL("/robots.txt", url).href,
      headers: { "user-agent": deps.settings.userAgent, accept: "text/plain,*/*;q=0.5" },
      deadlineMs: readAtMs + ROBOTS_TIMEOUT_MS,
      maxBodyBytes: MAX_ROBOTS_BYTES * 4,
      ownHosts: deps.settings.ownHosts,
    });
    // What stands in the way of robots.txt stands in the way of the page too, which then says so better.
    if (outcome.kind === "failed") return { robots: ALLOW_ALL, readAtMs, delayMs: 0 };
    const { statusCode, body } = outcome.response;
    if (statusCode >= 500) return { robots: DISALLOW_ALL, readAtMs, delayMs: 0, isUnreachable: true };
    if (statusCode >= 400 || statusCode < 200) return { robots: ALLOW_ALL, readAtMs, delayMs: 0 };
    const robots = parseRobots(new TextDecoder().decode(body));
    const agent = kind.robotsAgent(specification.input) ?? deps.settings.userAgent;
    return { robots, readAtMs, delayMs: (crawlDelaySeconds(robots, agent) ?? 0) * 1000 };
  }
}
