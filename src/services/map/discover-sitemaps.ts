import type { SitemapUrl } from "../../content/crawling/sitemap-url.ts";
import type { RunTextTask } from "../../content/text-tasks/text-tasks.ts";
import type { ProfileCookie } from "../../core/sessions/profile.ts";
import { isAppError } from "../../core/errors.ts";
import type { Owner } from "../../core/fair-order.ts";
import { nextTurn } from "../../core/in-turns.ts";
import { WorkBudget } from "../../core/work-budget.ts";
import type { GrowingBytes } from "../../core/waits/growing-bytes.ts";
import { retryAfterMs } from "../../core/scrape/retry-after.ts";
import { portableHeaders } from "../../core/url/portable-headers.ts";
import type { Sitemap } from "../../content/crawling/sitemap.ts";
import type { OutboundOutcome, OutboundResponse } from "../../ports/outbound/http.ts";
import type { Deps } from "../deps.ts";
import { dropBody, requestCounted } from "./counted-request.ts";
import { NO_TIME } from "./paced-http.ts";
import { sitemapPlaces } from "./sitemap-places.ts";

/** Sources of a site's sitemaps, and limits of the search for them. */
export interface SitemapSearch {
  startUrl: string;
  /** The `Sitemap` lines of robots.txt, unchanged. */
  listed?: readonly string[];
  /** Ms since the epoch at which the search ends. */
  deadlineMs: number;
  /** Number of URLs after which no further file is requested. */
  maxUrls?: number;
  /** Called before each further file, which is skipped on true; for callers that do not take every URL. */
  isEnough?: () => boolean;
  /** Called after each URL: other requests run on true. */
  isTurnDue?: () => boolean;
  /** Headers of the caller; another origin than that of the start URL receives the portable ones only. */
  headers?: Record<string, string>;
  /** Cookies of a profile: each request carries those that belong to its URL. */
  cookies?: readonly ProfileCookie[] | undefined;
  runTask: RunTextTask;
  /** Counts the files and their URLs, until these are taken. */
  memory: GrowingBytes;
  /** Whose requests these are, where teams share the connections. */
  owner?: Owner;
  /** Set for a caller that has time: a file whose site answers 429 or 5xx is requested again after a pause. */
  sleep?: ((ms: number) => Promise<void>) | undefined;
  /** Called with each URL as it is read; one that is in two files is passed twice. A promise delays those that follow. */
  onUrl: (entry: SitemapUrl) => Promise<void> | void;
}

export interface SitemapsFound {
  /** URLs of the files that were read, in that order. */
  sitemaps: string[];
  /**
   * The first problem with each file that robots.txt or an index names; also with guesses of the start host that answer 429
   * or 5xx, unless a file that robots.txt names was read or, for the guess in a folder, the one at the root. Other files that
   * are missing at guessed locations are not reported.
   */
  problems: string[];
  /** Number of the files that robots.txt or an index names and the limits left out. */
  unread: number;
}

type Uses = Pick<Deps, "http" | "clock" | "settings">;

const MAX_SITEMAPS = 20;
/** Limit of the requests, those that find no sitemap included. */
const MAX_REQUESTS = 40;
const AT_A_TIME = 5;
/** Files up to this size are fetched in parallel; larger ones one at a time, so that memory stays bounded. */
const SMALL_FILE_BYTES = 10_000_000;
const FILE_TIMEOUT_MS = 20_000;
/** Limit of the unpacked bytes of all files together. */
const MAX_TOTAL_BYTES = 100_000_000;
const MAX_FILE_BYTES = 50_000_000;
/** Limit of the bytes of all responses, as they were received and whatever their status. */
const MAX_RECEIVED_BYTES = 200_000_000;
/** Bytes that a runner is handed in one message, of at most 32 MiB in the runtime. */
const MAX_PASSED_BYTES = 32_000_000;
/** URLs of one file: twice as many as the protocol allows (sitemaps.org). */
const MAX_FILE_URLS = 100_000;
/** URLs that take a few milliseconds. */
const URLS_A_PIECE = 500;
/** Pauses before a file is requested again, at least: `Retry-After` may ask for longer ones, up to a limit. */
const RETRY_PAUSES_MS = [2_000, 8_000];
const MAX_PAUSE_MS = 60_000;

/** An index may name 50,000 files, of which twenty are read. */
const MAX_WAITING = 1_000;

interface Problem {
  text: string;
  /** True for what is usual at a guessed location: it is reported only where robots.txt or an index names the file. */
  isUsual: boolean;
}

/**
 * Finds and reads the sitemaps of a site: those that robots.txt lists, `sitemap.xml` in the start page's folder, at the
 * root and at the root of the registrable domain, and those that indexes name. Each file is read once: twenty at most, in
 * forty requests at most.
 */
export async function discoverSitemaps(deps: Uses, search: SitemapSearch): Promise<SitemapsFound> {
  const discovery = new Discovery(deps, search);
  await discovery.run();
  return { sitemaps: discovery.read, problems: discovery.problems(), unread: discovery.unread };
}

class Discovery {
  readonly read: string[] = [];
  unread = 0;
  readonly #deps: Uses;
  readonly #search: SitemapSearch;
  readonly #rootUrl: string;
  readonly #waiting: string[];
  #large: string[] = [];
  /** The answers of guesses that are busy: 429 or 5xx. */
  readonly #busy = new Map<string, OutboundOutcome>();
  /** The first problem with each file. */
  readonly #problems = new Map<string, Problem>();
  /** URLs that robots.txt or an index names; the others are guesses. */
  readonly #named: Set<string>;
  /** URLs that robots.txt leads to: itself, by indexes and by redirects. */
  readonly #listed: Set<string>;
  readonly #requested = new Set<string>();
  /** URLs after redirects, of files that were received. */
  readonly #received = new Set<string>();
  /** URLs before and after redirects, of files that list something. */
  readonly #found = new Set<string>();
  #urls = 0;
  #bytes = 0;
  #receivedBytes = 0;
  #requests = 0;
  /** Shared by all files of the site. */
  readonly #budget = new WorkBudget();

  constructor(deps: Uses, search: SitemapSearch) {
    const { named, guesses } = sitemapPlaces(search);
    this.#deps = deps;
    this.#search = search;
    this.#rootUrl = new URL("/sitemap.xml", search.startUrl).href;
    this.#named = new Set(named.slice(0, MAX_WAITING));
    this.#listed = new Set(this.#named);
    this.#waiting = [...this.#named, ...guesses];
    this.unread = new Set(named).size - this.#named.size;
  }

  async run(): Promise<void> {
    do await this.#readWaiting();
    while (await this.#requestBusyAgain());
    const left = [...this.#next(Infinity), ...this.#large];
    this.unread += left.filter((url) => this.#named.has(url)).length;
    // A caller that has enough misses nothing.
    if (this.#search.isEnough?.() === true) this.unread = 0;
  }

  problems(): string[] {
    const isReported = ([url, { isUsual }]: [string, Problem]): boolean => !isUsual || this.#named.has(url);
    return [...this.#problems].filter(isReported).map(([url, { text }]) => `${url}: ${text}`);
  }

  async #readWaiting(): Promise<void> {
    while (this.#waiting.length + this.#large.length > 0 && this.#mayContinue()) {
      const most = Math.min(MAX_SITEMAPS - this.read.length, MAX_REQUESTS - this.#requests);
      const urls = this.#next(Math.min(AT_A_TIME, most));
      await Promise.all(urls.map((url) => this.#visit(url)));
      while (this.#mayContinue()) {
        const url = this.#large.shift();
        if (url === undefined) break;
        await this.#visit(url, { isLarge: true });
      }
    }
  }

  /** Requests the guesses again that were busy and that the site needs. @returns whether one was requested */
  async #requestBusyAgain(): Promise<boolean> {
    if (this.#search.isEnough?.() === true) return false;
    const needed = [...this.#busy].filter(([url]) => this.#isNeeded(url));
    for (const [url] of needed) this.#busy.delete(url);
    await Promise.all(needed.map(([url, earlier]) => this.#visit(url, { earlier })));
    return needed.length > 0;
  }

  /**
   * Reports whether a guess that was busy may have pages that no other file has: an index names it by now, or robots.txt leads
   * to no file that was read. The guess in a folder is needed where the one at the root is missing.
   */
  #isNeeded(url: string): boolean {
    if (this.#received.has(url)) return false;
    if (this.#named.has(url)) return true;
    if (new URL(url).host !== new URL(this.#rootUrl).host) return false;
    if ([...this.#found].some((found) => this.#listed.has(found))) return false;
    return url === this.#rootUrl || !(this.#found.has(this.#rootUrl) || this.#isRootExpected());
  }

  /** True while the guess at the root is busy, and will be requested again. */
  #isRootExpected(): boolean {
    return this.#busy.has(this.#rootUrl) && !this.#received.has(this.#rootUrl);
  }

  #mayContinue(): boolean {
    return (
      this.read.length < MAX_SITEMAPS &&
      this.#requests < MAX_REQUESTS &&
      this.#urls < (this.#search.maxUrls ?? Infinity) &&
      this.#bytes < MAX_TOTAL_BYTES &&
      this.#receivedBytes < MAX_RECEIVED_BYTES &&
      this.#search.isEnough?.() !== true &&
      this.#deps.clock.now() < this.#search.deadlineMs
    );
  }

  #next(count: number): string[] {
    const urls: string[] = [];
    while (urls.length < count) {
      const url = this.#waiting.shift();
      if (url === undefined) break;
      if (this.#requested.has(url) || this.#received.has(url)) continue;
      this.#requested.add(url);
      urls.push(url);
    }
    return urls;
  }

  /** @param options.earlier The answer to an earlier request of a guess, which was busy. */
  async #visit(
    url: string,
    { isLarge = false, earlier }: { isLarge?: boolean; earlier?: OutboundOutcome } = {},
  ): Promise<void> {
    const maxBodyBytes = Math.min(isLarge ? MAX_FILE_BYTES : SMALL_FILE_BYTES, this.#deps.settings.maxBodyBytes);
    const first = earlier ?? (await this.#request(url, maxBodyBytes));
    const mayWait = this.#named.has(url) || earlier !== undefined;
    const outcome = mayWait ? await this.#requestAgain(url, { first, maxBodyBytes }) : first;
    if (outcome.kind === "failed") {
      if (outcome.code === "SCRAPE_BODY_TOO_LARGE" && !isLarge) this.#large.push(url);
      else this.#note(url, { text: outcome.message, isUsual: earlier === undefined && outcome.message !== NO_TIME });
      return;
    }
    const { statusCode, url: finalUrl } = outcome.response;
    if (statusCode !== 200) {
      const isBusy = isPassing(statusCode);
      if (isBusy && !mayWait) this.#busy.set(url, outcome);
      else this.#note(url, { text: `the site answers ${statusCode}`, isUsual: !isBusy });
      return;
    }
    if (this.#listed.has(url)) this.#listed.add(finalUrl);
    // A file that was requested at two addresses is read at the first answer that has it.
    if (this.#received.has(finalUrl)) return dropBody(outcome.response, this.#search.memory);
    this.#received.add(finalUrl);
    await this.#take(outcome.response, url);
  }

  /** Requests a file again after a pause while the site answers 429 or 5xx, where the caller has time for it. */
  async #requestAgain(
    url: string,
    { first, maxBodyBytes }: { first: OutboundOutcome; maxBodyBytes: number },
  ): Promise<OutboundOutcome> {
    const { sleep } = this.#search;
    let outcome = first;
    for (const leastMs of RETRY_PAUSES_MS) {
      const pauseMs = this.#pauseAfter(outcome, leastMs);
      if (sleep === undefined || pauseMs === undefined || !this.#mayContinue()) return outcome;
      await sleep(pauseMs);
      // Other files were requested meanwhile.
      if (!this.#mayContinue()) return outcome;
      outcome = await this.#request(url, maxBodyBytes);
    }
    return outcome;
  }

  /** Returns the pause in ms before a file is requested again; undefined when it is not. */
  #pauseAfter(outcome: OutboundOutcome, leastMs: number): number | undefined {
    const { clock } = this.#deps;
    if (outcome.kind === "failed" || !isPassing(outcome.response.statusCode)) return undefined;
    const askedMs = retryAfterMs(outcome.response.headers["retry-after"] ?? "", clock.now()) ?? 0;
    const pauseMs = Math.max(leastMs, askedMs);
    return pauseMs <= MAX_PAUSE_MS && clock.now() + pauseMs < this.#search.deadlineMs ? pauseMs : undefined;
  }

  async #request(url: string, maxBodyBytes: number): Promise<OutboundOutcome> {
    const { http, clock, settings } = this.#deps;
    const { cookies, deadlineMs, memory, owner } = this.#search;
    this.#requests++;
    const toRequest = () => ({
      url,
      headers: {
        accept: "application/xml,text/xml,*/*;q=0.5",
        "accept-encoding": "gzip, br",
        "user-agent": settings.userAgent,
        ...this.#headersFor(url),
      },
      deadlineMs: Math.min(deadlineMs, clock.now() + FILE_TIMEOUT_MS),
      maxBodyBytes,
      owner,
      ownHosts: settings.ownHosts,
      ...(cookies === undefined ? {} : { cookies }),
    });
    const outcome = await requestCounted(http, { memory, deadlineMs, toRequest });
    if (outcome.kind === "response") this.#receivedBytes += outcome.response.body.byteLength;
    else if (outcome.code === "SCRAPE_BODY_TOO_LARGE") this.#receivedBytes += maxBodyBytes;
    // It may be kept until the file is requested again.
    if (outcome.kind === "response" && outcome.response.statusCode !== 200) dropBody(outcome.response, memory);
    return outcome;
  }

  #headersFor(url: string): Record<string, string> {
    const { startUrl, headers = {} } = this.#search;
    return URL.parse(url)?.origin === new URL(startUrl).origin ? headers : portableHeaders(headers);
  }

  /** Reads a file, whose body is dropped. */
  async #read(response: OutboundResponse, url: string): Promise<Sitemap> {
    const { runTask, memory } = this.#search;
    const { body, headers } = response;
    const contentType = headers["content-type"];
    const maxBytes = Math.max(0, Math.min(MAX_FILE_BYTES, MAX_TOTAL_BYTES - this.#bytes));
    const limits = { maxBytes, maxUrls: MAX_FILE_URLS };
    const passed = body.byteLength > MAX_PASSED_BYTES ? body.slice(0, MAX_PASSED_BYTES) : body;
    if (passed !== body)
      this.#note(url, { text: `only the first ${MAX_PASSED_BYTES / 1e6} MB were read`, isUsual: false });
    try {
      return await runTask("sitemap", { body: passed, contentType, ...limits }, this.#budget);
    } catch (error) {
      if (!isAppError(error)) throw error;
      // A file that no runner could read says nothing about its size.
      const bytesRead = error.code === "SERVICE_UNAVAILABLE" ? passed.byteLength : maxBytes;
      return { urls: [], sitemaps: [], problems: [error.message], bytesRead };
    } finally {
      dropBody(response, memory);
    }
  }

  async #take(response: OutboundResponse, url: string): Promise<void> {
    const { onUrl, isEnough, isTurnDue, memory } = this.#search;
    const finalUrl = response.url;
    const { urls, sitemaps, problems, bytesRead } = await this.#read(response, url);
    this.#bytes += bytesRead;
    this.#urls += urls.length;
    const isFound = urls.length + sitemaps.length > 0;
    if (isFound) {
      this.read.push(url);
      this.#found.add(url).add(finalUrl);
    }
    this.#addNamed(sitemaps, this.#listed.has(url));
    const bytes = bytesOf(urls);
    memory.add(bytes);
    try {
      for (const [index, entry] of urls.entries()) {
        const taken = onUrl(entry);
        if (taken !== undefined) await taken;
        if (isEnough?.() === true) break;
        if (index % URLS_A_PIECE === URLS_A_PIECE - 1 || isTurnDue?.() === true) await nextTurn();
      }
    } finally {
      memory.add(-bytes);
    }
    for (const text of problems) this.#note(url, { text, isUsual: !isFound });
  }

  /** Adds the files that an index names. */
  #addNamed(urls: readonly string[], isListed: boolean): void {
    for (const url of new Set(urls)) {
      const isNew = !(this.#named.has(url) || this.#requested.has(url) || this.#received.has(url));
      if (isNew && this.#waiting.length >= MAX_WAITING) {
        this.unread++;
        continue;
      }
      if (isNew) this.#waiting.push(url);
      this.#named.add(url);
      if (isListed) this.#listed.add(url);
    }
  }

  #note(url: string, problem: Problem): void {
    const isNoted = this.#problems.get(url)?.isUsual === false;
    if (!isNoted) this.#problems.set(url, problem);
  }
}

/** Reports whether a status says that the file may be there at another time. */
function isPassing(statusCode: number): boolean {
  return statusCode === 429 || statusCode >= 500;
}

/** Bytes of an entry beside its texts. */
const ENTRY_BYTES = 100;

function bytesOf(urls: readonly SitemapUrl[]): number {
  return urls.reduce((sum, { url, title = "" }) => sum + url.length + title.length + ENTRY_BYTES, 0);
}
