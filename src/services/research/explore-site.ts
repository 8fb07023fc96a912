import { type Robots, rulesFor } from "../../content/crawling/robots.ts";
import { RulesOfRequest } from "../../content/crawling/robots-rules.ts";
import type { ScannedPage } from "../../content/html/scan-page.ts";
import { judgeUrl, type CrawlRules } from "../../core/crawl/crawl-scope.ts";
import { pageName } from "../../core/crawl/host-throttle.ts";
import { nextTurn } from "../../core/in-turns.ts";
import { VisitOrder } from "../../core/crawl/visit-order.ts";
import type { GrowingBytes } from "../../core/waits/growing-bytes.ts";
import { waitForTurn } from "../crawl/host-turn.ts";
import type { Deps } from "../deps.ts";
import { loadLinks, type LinkRequest } from "../map/load-links.ts";
import type { SiteLinks } from "../map/site-links.ts";

/** Start, rules and limits of an exploration. */
export interface Exploration {
  start: { url: string; page: ScannedPage };
  links: SiteLinks;
  /** Counts what is found. */
  memory: GrowingBytes;
  /** Rules for pages that may be loaded; the collection decides which of them are listed. */
  visiting: CrawlRules;
  robots: Robots | undefined;
  robotsAgent: string;
  /** Delay that the site asks for, and that of the caller, in ms. */
  delayMs: number;
  ownDelayMs: number;
  /** The key that asks for the pages. */
  keyId: string;
  /** Maximum number of links from the start page. */
  maxDepth: number;
  /** Ms since the epoch after which no further page is loaded. */
  untilMs: number;
  /** Receives a warning about pages that were not read. */
  warn(text: string): void;
  /** Returns the request for a page; its headers are those that the page's origin may see. */
  requestFor(url: string): LinkRequest;
}

type Uses = Pick<Deps, "http" | "clock" | "settings" | "hostThrottle" | "sleep">;

const NO_MEMORY =
  "Other requests of this team held the memory that reading further pages needs, so links may be missing. Map fewer sites at once.";
const MAX_VISITS = 250;
const AT_A_TIME = 8;
/** Characters of the addresses that may be visited. */
const MAX_NOTED_CHARS = 8_000_000;
/** Bytes of such an address beside its text. */
const NOTE_BYTES = 100;
/** Links that take a few milliseconds. */
const LINKS_A_PIECE = 200;

/**
 * Loads pages of a site, the most promising first, and collects their links. Follows robots.txt and the host throttle.
 */
export async function exploreSite(deps: Uses, exploration: Exploration): Promise<void> {
  const { start, maxDepth, delayMs, ownDelayMs } = exploration;
  const walk = new Walk(deps, exploration);
  await walk.take(start.url, start.page, 1);
  if (maxDepth <= 1) return;
  await Promise.all(Array.from({ length: delayMs > 0 || ownDelayMs > 0 ? 1 : AT_A_TIME }, () => walk.run()));
}

class Walk {
  readonly #deps: Uses;
  readonly #exploration: Exploration;
  readonly #order = new VisitOrder();
  readonly #depths = new Map<string, number>();
  readonly #robots: RulesOfRequest | undefined;
  #visits = 0;
  #notedChars = 0;
  #hasFailures = false;
  #running = 0;
  #waiting: (() => void)[] = [];

  constructor(deps: Uses, exploration: Exploration) {
    this.#deps = deps;
    this.#exploration = exploration;
    const { robots, robotsAgent } = exploration;
    this.#robots = robots === undefined ? undefined : new RulesOfRequest(rulesFor(robots, robotsAgent));
  }

  /** Collects a page's links, which are `depth` links away from the start. @returns how many of them were new. */
  async take(pageUrl: string, { links }: ScannedPage, depth: number): Promise<number> {
    let found = 0;
    for (const [index, { url, text }] of links.entries()) {
      if (this.#exploration.links.add({ url, ...(text === "" ? {} : { linkText: text }) }, pageUrl)) found++;
      const mayVisit = depth < this.#exploration.maxDepth && !this.#exploration.links.isFull;
      if (mayVisit && this.#notedChars < MAX_NOTED_CHARS) this.#note(url, pageUrl, depth);
      const isTurnDue = this.#exploration.links.isTurnDue() || this.#robots?.isTurnDue() === true;
      if (index % LINKS_A_PIECE === LINKS_A_PIECE - 1 || isTurnDue) await nextTurn();
    }
    for (const wake of this.#waiting.splice(0)) wake();
    return found;
  }

  /** Runs one of several workers, until no promising URL is left and no other worker can find one. */
  async run(): Promise<void> {
    while (this.#goesOn()) {
      const url = this.#order.take();
      if (url === undefined) {
        if (this.#running === 0) return;
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
        continue;
      }
      this.#visits++;
      this.#running++;
      try {
        await this.#visit(url);
      } finally {
        this.#running--;
        for (const wake of this.#waiting.splice(0)) wake();
      }
    }
    for (const wake of this.#waiting.splice(0)) wake();
  }

  #goesOn(): boolean {
    const { links, untilMs } = this.#exploration;
    return !links.isFull && this.#visits < MAX_VISITS && this.#deps.clock.now() < untilMs;
  }

  #note(url: string, pageUrl: string, depth: number): void {
    const { visiting, start } = this.#exploration;
    const judged = judgeUrl(url, { from: { url: pageUrl, depth: 0, isExternal: false }, rules: visiting });
    if (judged.kind === "filtered" || judged.isExternal || judged.url === start.url) return;
    if (this.#depths.has(judged.url) || this.#robots?.allows(judged.url) === false) return;
    this.#notedChars += judged.url.length;
    this.#exploration.memory.add(judged.url.length + NOTE_BYTES);
    this.#depths.set(judged.url, depth);
    this.#order.add(judged.url);
  }

  async #visit(url: string): Promise<void> {
    const { delayMs, ownDelayMs, keyId, untilMs, requestFor, links, memory } = this.#exploration;
    const { hostThrottle } = this.#deps;
    const { host } = new URL(url);
    const mayGoOn = () => waitForTurn(this.#deps, { url, delayMs, ownDelayMs, keyId, untilMs });
    // Without memory for more, the answer is made of the links so far.
    const isOver = memory.isOver;
    if (isOver && this.#visits < MAX_VISITS) this.#exploration.warn(NO_MEMORY);
    if (isOver || !(await mayGoOn())) {
      this.#visits = MAX_VISITS;
      return;
    }
    const outcome = await loadLinks(this.#deps, { ...requestFor(url), waitUntilMs: untilMs });
    // A request that was not sent says nothing about the host.
    if (outcome.kind === "failed" && outcome.isUnsent === true) {
      if (!memory.isOver) return;
      if (this.#visits < MAX_VISITS) this.#exploration.warn(NO_MEMORY);
      this.#visits = MAX_VISITS;
      return;
    }
    this.#hasFailures ||= outcome.kind !== "page";
    if (outcome.kind === "failed") return hostThrottle.report(host, { keyId, failed: true });
    if (outcome.kind === "refused") {
      const { statusCode, retryAfterMs } = outcome;
      return hostThrottle.report(host, {
        keyId,
        statusCode,
        page: pageName(url),
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      });
    }
    // Successes matter to the throttle only after failures.
    if (this.#hasFailures)
      await hostThrottle.report(host, { keyId, statusCode: outcome.statusCode, page: pageName(url) });
    if (outcome.statusCode >= 400) return;
    const { title, description } = outcome.page;
    links.add({ url, title, description }, url);
    this.#order.learn(url, await this.take(outcome.url, outcome.page, (this.#depths.get(url) ?? 1) + 1));
  }
}
