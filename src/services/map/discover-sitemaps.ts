import type { SitemapUrl } from "../../content/crawling/sitemap-url.ts";
import type { RunTextTask } from "../../content/text-tasks/text-tasks.ts";
import type { ProfileCookie } from "../../core/sessions/profile.ts";
import { isAppError } from "../../core/errors.ts";
import { nextTurn } from "../../core/in-turns.ts";
import { WorkBudget } from "../../core/work-budget.ts";
import { retryAfterMs } from "../../core/scrape/retry-after.ts";
import { portableHeaders } from "../../core/url/portable-headers.ts";
import { registrableDomain, withoutWww } from "../../core/url/registrable-domain.ts";
import type { OutboundOutcome } from "../../ports/outbound/http.ts";
import type { Deps } from "../deps.ts";

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
  /** Set for a caller that has time: a file whose site answers 429 or 5xx is requested again after a pause. */
  sleep?: ((ms: number) => Promise<void>) | undefined;
  /** Called with each URL as it is read; one that is in two files is passed twice. */
  /** A promise delays the further URLs of the same file. */
  onUrl: (entry: SitemapUrl) => Promise<void> | void;
}

export interface SitemapsFound {
  /** URLs of the files that were read, in that order. */
  sitemaps: string[];
  /**
   * Problems with files that robots.txt or an index names; also with guessed ones of the start host that answer 429 or 5xx,
   * unless a file that robots.txt names was read. Other files that are missing at guessed locations are not reported.
   */
  problems: string[];
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
/** Problems that are reported at most. */
export const MAX_PROBLEMS = 20;
/** Pauses before a file is requested again, at least: `Retry-After` may ask for longer ones, up to a limit. */
const RETRY_PAUSES_MS = [2_000, 8_000];
const MAX_PAUSE_MS = 60_000;

interface Place {
  url: string;
  isGuess: boolean;
  /** True when the file is too large to be fetched in parallel with others. */
  isLarge?: boolean;
}

/** A guess of the start host that answers 429 or 5xx. */
interface BusyGuess {
  place: Place;
  outcome: OutboundOutcome;
}

/**
 * Finds and reads the sitemaps of a site: those that robots.txt lists, `sitemap.xml` in the start page's folder, at the
 * root and at the root of the registrable domain, and those that indexes name. Each file is read once: twenty at most, in
 * forty requests at most.
 */
export async function discoverSitemaps(deps: Uses, search: SitemapSearch): Promise<SitemapsFound> {
  const discovery = new Discovery(deps, search);
  await discovery.run();
  return { sitemaps: discovery.read, problems: discovery.problems };
}

class Discovery {
  readonly read: string[] = [];
  readonly problems: string[] = [];
  readonly #deps: Uses;
  readonly #search: SitemapSearch;
  readonly #waiting: Place[];
  readonly #isAnyListed: boolean;
  #large: Place[] = [];
  #busy: BusyGuess[] = [];
  readonly #seen = new Set<string>();
  #urls = 0;
  #bytes = 0;
  #received = 0;
  #requests = 0;
  /** Shared by all files of the site. */
  readonly #budget = new WorkBudget();

  constructor(deps: Uses, search: SitemapSearch) {
    this.#deps = deps;
    this.#search = search;
    this.#waiting = firstPlaces(search);
    this.#isAnyListed = this.#waiting.some(({ isGuess }) => !isGuess);
  }

  async run(): Promise<void> {
    do await this.#readWaiting();
    while (await this.#requestBusyAgain());
    // A caller that has enough misses nothing.
    if (this.#search.isEnough?.() === true) return;
    const left = this.#next(Infinity).filter(({ isGuess }) => !isGuess).length;
    if (left > 0) this.#note(`${left} further sitemaps were not read`);
  }

  async #readWaiting(): Promise<void> {
    while (this.#waiting.length + this.#large.length > 0 && this.#mayContinue()) {
      const most = Math.min(MAX_SITEMAPS - this.read.length, MAX_REQUESTS - this.#requests);
      const places = this.#next(Math.min(AT_A_TIME, most));
      await Promise.all(places.map((place) => this.#visit(place)));
      for (const place of this.#large.splice(0)) {
        if (this.#mayContinue()) await this.#visit({ ...place, isLarge: true });
      }
    }
  }

  /**
   * Requests the guesses again that were busy: a site whose robots.txt names its sitemaps needs none of them.
   * @returns whether one was requested
   */
  async #requestBusyAgain(): Promise<boolean> {
    const busy = this.#busy.splice(0);
    const areNamed = this.#isAnyListed && this.read.length > 0;
    if (busy.length === 0 || areNamed || this.#search.isEnough?.() === true) return false;
    await Promise.all(busy.map(({ place, outcome }) => this.#visit(place, outcome)));
    return true;
  }

  #mayContinue(): boolean {
    return (
      this.read.length < MAX_SITEMAPS &&
      this.#requests < MAX_REQUESTS &&
      this.#urls < (this.#search.maxUrls ?? Infinity) &&
      this.#bytes < MAX_TOTAL_BYTES &&
      this.#received < MAX_RECEIVED_BYTES &&
      this.#search.isEnough?.() !== true &&
      this.#deps.clock.now() < this.#search.deadlineMs
    );
  }

  #next(count: number): Place[] {
    const places: Place[] = [];
    while (places.length < count) {
      const place = this.#waiting.shift();
      if (place === undefined) break;
      if (this.#seen.has(place.url)) continue;
      this.#seen.add(place.url);
      places.push(place);
    }
    return places;
  }

  /** @param earlier The answer to an earlier request of a guess, which was busy. */
  async #visit(place: Place, earlier?: OutboundOutcome): Promise<void> {
    const { url, isGuess, isLarge = false } = place;
    const maxBodyBytes = Math.min(isLarge ? MAX_FILE_BYTES : SMALL_FILE_BYTES, this.#deps.settings.maxBodyBytes);
    const first = earlier ?? (await this.#request(url, maxBodyBytes));
    const mayWait = !isGuess || earlier !== undefined;
    const outcome = mayWait ? await this.#requestAgain(url, { first, maxBodyBytes }) : first;
    if (outcome.kind === "failed") {
      const isTooLarge = outcome.code === "SCRAPE_BODY_TOO_LARGE" && !isLarge;
      return isTooLarge ? void this.#large.push(place) : this.#report(isGuess, `${url}: ${outcome.message}`);
    }
    const { statusCode, body, headers: answered, url: finalUrl } = outcome.response;
    if (statusCode !== 200) {
      const isBusy = isGuess && isPassing(statusCode);
      if (isBusy && earlier === undefined) return this.#putOff({ place, outcome });
      return this.#report(isGuess && !isBusy, `${url}: the site answers ${statusCode}`);
    }
    if (finalUrl !== url && this.#seen.has(finalUrl)) return;
    this.#seen.add(finalUrl);
    await this.#take(body, { url, isGuess, contentType: answered["content-type"] });
  }

  /** Leaves a busy guess for later; the one at another host is dropped. */
  #putOff(guess: BusyGuess): void {
    if (new URL(guess.place.url).host === new URL(this.#search.startUrl).host) this.#busy.push(guess);
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
      if (sleep === undefined || pauseMs === undefined || this.#requests >= MAX_REQUESTS) return outcome;
      await sleep(pauseMs);
      // Other files were requested meanwhile.
      if (this.#requests >= MAX_REQUESTS) return outcome;
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
    const { cookies, deadlineMs } = this.#search;
    this.#requests++;
    const outcome = await http.request({
      url,
      headers: {
        accept: "application/xml,text/xml,*/*;q=0.5",
        "accept-encoding": "gzip, br",
        "user-agent": settings.userAgent,
        ...this.#headersFor(url),
      },
      deadlineMs: Math.min(deadlineMs, clock.now() + FILE_TIMEOUT_MS),
      maxBodyBytes,
      ownHosts: settings.ownHosts,
      ...(cookies === undefined ? {} : { cookies }),
    });
    if (outcome.kind === "response") this.#received += outcome.response.body.byteLength;
    else if (outcome.code === "SCRAPE_BODY_TOO_LARGE") this.#received += maxBodyBytes;
    return outcome;
  }

  #headersFor(url: string): Record<string, string> {
    const { startUrl, headers = {} } = this.#search;
    return URL.parse(url)?.origin === new URL(startUrl).origin ? headers : portableHeaders(headers);
  }

  async #take(
    body: Uint8Array,
    { url, isGuess, contentType }: Place & { contentType: string | undefined },
  ): Promise<void> {
    const { runTask, onUrl, isEnough, isTurnDue } = this.#search;
    const maxBytes = Math.max(0, Math.min(MAX_FILE_BYTES, MAX_TOTAL_BYTES - this.#bytes));
    const limits = { maxBytes, maxUrls: MAX_FILE_URLS };
    const passed = body.byteLength > MAX_PASSED_BYTES ? body.slice(0, MAX_PASSED_BYTES) : body;
    if (passed !== body) this.#note(`${url}: only the first ${MAX_PASSED_BYTES / 1e6} MB were read`);
    const sitemap = await runTask("sitemap", { body: passed, contentType, ...limits }, this.#budget).catch(
      (error: unknown) => {
        if (!isAppError(error)) throw error;
        // A file that no runner could read says nothing about its size.
        const bytesRead = error.code === "SERVICE_UNAVAILABLE" ? passed.byteLength : maxBytes;
        return { urls: [], sitemaps: [], problems: [error.message], bytesRead };
      },
    );
    const { urls, sitemaps, problems, bytesRead } = sitemap;
    this.#bytes += bytesRead;
    this.#urls += urls.length;
    const isFound = urls.length + sitemaps.length > 0;
    if (isFound) this.read.push(url);
    for (const sitemapUrl of sitemaps.slice(0, Math.max(0, MAX_WAITING - this.#waiting.length)))
      this.#waiting.push({ url: sitemapUrl, isGuess: false });
    for (const [index, entry] of urls.entries()) {
      const taken = onUrl(entry);
      if (taken !== undefined) await taken;
      if (isEnough?.() === true) break;
      if (index % URLS_A_PIECE === URLS_A_PIECE - 1 || isTurnDue?.() === true) await nextTurn();
    }
    for (const problem of problems) this.#report(isGuess && !isFound, `${url}: ${problem}`);
  }

  #report(isGuess: boolean, problem: string): void {
    if (!isGuess) this.#note(problem);
  }

  #note(problem: string): void {
    if (this.problems.length < MAX_PROBLEMS) this.problems.push(problem);
  }
}

/** Reports whether a status says that the file may be there at another time. */
function isPassing(statusCode: number): boolean {
  return statusCode === 429 || statusCode >= 500;
}

/** An index may name 50,000 files, of which twenty are read. */
const MAX_WAITING = 1_000;

function firstPlaces({ startUrl, listed = [] }: SitemapSearch): Place[] {
  const start = new URL(startUrl);
  const named = listed.flatMap((line) => URL.parse(line, start.origin)?.href ?? []);
  const guesses = [new URL("./sitemap.xml", folderUrl(start)).href, new URL("/sitemap.xml", start).href];
  const domain = registrableDomain(start.hostname);
  if (domain !== undefined && domain !== withoutWww(start.hostname)) {
    guesses.push(`${start.protocol}//${domain}/sitemap.xml`);
  }
  return [
    ...named.slice(0, MAX_WAITING).map((url) => ({ url, isGuess: false })),
    ...guesses.map((url) => ({ url, isGuess: true })),
  ];
}

/** Returns the folder of the start page: `/docs/` for `/docs`, for `/docs/` and for `/docs/start.html`. */
function folderUrl(start: URL): URL {
  const last = start.pathname.slice(start.pathname.lastIndexOf("/") + 1);
  return new URL(last === "" || last.includes(".") ? start.pathname : `${start.pathname}/`, start);
}
