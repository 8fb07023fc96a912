import type { EstimateBasis, EstimateRange } from "../../core/account/estimate.ts";
import { extrapolateUrls, shareOfFurther, spread } from "../../core/crawl/extrapolate-urls.ts";
import type { Candidate } from "../../core/crawl/frontier.ts";
import { nextTurn } from "../../core/in-turns.ts";
import { hash53, randomSeed } from "../../core/text/hash.ts";
import { crawl, MAX_PATTERN_STEPS, type CrawlInput } from "../../jobs/crawl/crawl.ts";
import { hostOf } from "../../core/crawl/dispatch.ts";
import { GrowingBytes } from "../../core/waits/growing-bytes.ts";
import { WorkBudget } from "../../core/work-budget.ts";
import { inParallel } from "../../jobs/in-parallel.ts";
import type { Landing } from "../../jobs/kind.ts";
import { estimateCredits } from "../scrape/scrape-credits.ts";
import { RulesOfHosts, type HostRules } from "./host-rules.ts";
import { folderOf, KnownUrls, LaterUrls } from "./known-urls.ts";
import { sum, type PageRates } from "./cost-of-pages.ts";
import { basisOf } from "./basis-of-sample.ts";
import { samplingOf } from "./options-of-candidate.ts";
import { describeSitemaps, extentOfSitemaps, readSitemapUrls } from "./sitemap-urls.ts";
import {
  samplePage,
  needsBrowser,
  TIMED,
  type SampleDeps,
  type SampledPage,
  type SampleOptions,
} from "./sample-page.ts";

/** A crawl whose site is sampled. */
export interface SiteRequest {
  start: Candidate;
  input: CrawlInput;
  /** Maximum number of pages of the crawl. */
  limit: number;
  /** Delay between two pages that the crawl asks for, in ms. */
  delayMs: number;
  sampling: Omit<SampleOptions, "deadlineMs">;
}

/** Result of sampling a site. */
export interface SiteForecast {
  /** Pages that the crawl will return. */
  pages: EstimateRange;
  rates: PageRates;
  basis: EstimateBasis[];
  /** True when every page in scope was seen, so that nothing was extrapolated. */
  isComplete: boolean;
}

/** Pages that a sample loads; of these, so many with a browser. */
const MAX_LOADS = 100;
const MAX_RENDERED = 8;
const MAX_MS = 20_000;
const PAGE_MS = 10_000;
const AT_A_TIME = 6;
/** A group of more pages than can still be loaded is read by a sample of this size, or of half of these loads. */
const SAMPLE = 15;
/** Pages of a folder without any new link, after which its other pages are taken to have none. */
const EXHAUSTED_AFTER = 8;
const MAX_KNOWN = 200_000;
/** Share of the time and of the work of patterns that is for URLs of sitemaps. */
const SITEMAP_SHARE = 0.5;

/** Pages at one distance from the start: those that are known, and how many there probably are. */
interface Group {
  depth: number;
  /** Of sitemaps with very many pages a part of these. */
  members: Candidate[];
  /** Number of pages that are known. */
  known: number;
  size: number;
}

/** A page of a sample, with the number of pages that it stands for. */
interface Sampled {
  /** Without its links, which take most of its memory. */
  page: Omit<SampledPage, "links"> | undefined;
  isResult: boolean;
  weight: number;
}

/** Samples a site as a crawl would see it, within 100 pages and 20 seconds, and forecasts the crawl. */
export async function sampleSite(deps: SampleDeps, request: SiteRequest): Promise<SiteForecast> {
  const memory = new GrowingBytes(deps.memory, request.sampling.owner, deps.clientLeft);
  return await new SiteSample(deps, request, memory).run().finally(() => memory.release());
}

class SiteSample {
  readonly #deps: SampleDeps;
  readonly #request: SiteRequest;
  readonly #deadlineMs: number;
  readonly #known: KnownUrls;
  readonly #landed = new Set<string>();
  readonly #rules: RulesOfHosts;
  readonly #samples: Sampled[] = [];
  /** Hashes of known URLs that robots.txt disallows. */
  readonly #disallowed = new Set<number>();
  readonly #seed = randomSeed();
  /** Pages that were read, by the folder of their URL, and new URLs on them. */
  readonly #folders = new Map<string, { read: number; found: number }>();
  /** Hosts whose next page would be loaded after the sample. */
  readonly #late = new Set<string>();
  readonly #basis: EstimateBasis[] = [];
  /** Of the patterns of the rules. */
  readonly #budget: WorkBudget;
  #input: CrawlInput;
  #loads = 0;
  #rendered = 0;
  #linked = 0;
  #isComplete = true;

  constructor(deps: SampleDeps, request: SiteRequest, memory: GrowingBytes) {
    this.#deps = deps;
    this.#request = request;
    this.#input = request.input;
    this.#known = new KnownUrls(request.limit, memory);
    this.#deadlineMs = deps.clock.now() + MAX_MS;
    this.#budget = new WorkBudget({
      steps: MAX_PATTERN_STEPS,
      deadline: { atMs: this.#deadlineMs, now: deps.clock.now },
    });
    const { owner } = request.sampling;
    const agent = crawl.robotsAgent(request.input);
    this.#rules = new RulesOfHosts(deps, { agent, deadlineMs: this.#deadlineMs, owner });
  }

  async run(): Promise<SiteForecast> {
    const { start } = this.#request;
    const groups = new Map<number, Group>();
    let total = 0;
    let last = { size: 0, further: 0 };
    const visit = async (group: Group): Promise<void> => {
      const open = this.#openSize(group);
      const further = await this.#read(group, groups);
      total += group.size;
      last = { size: open, further };
    };
    if (await this.#take(start, undefined)) await visit({ depth: 0, members: [start], known: 1, size: 1 });
    const listed = await this.#readSitemaps();
    if (listed.known > 0) await visit({ depth: 0, members: [...this.#known.members], ...listed });
    for (let depth = 1; ; depth++) {
      const group = groups.get(depth);
      if (group === undefined) break;
      if (!this.#mayContinue() || this.#isEnough(total)) {
        this.#isComplete = false;
        total += group.size + this.#tail(group, { before: last.size, total });
        break;
      }
      await visit(group);
    }
    return await this.#forecast(total);
  }

  #mayContinue(): boolean {
    return this.#loads < MAX_LOADS && this.#rendered < MAX_RENDERED && this.#deps.clock.now() < this.#deadlineMs;
  }

  /** Reports whether the crawl will reach its limit with the pages that are known. */
  #isEnough(total: number): boolean {
    return Math.min(total, this.#known.size) * this.#scrapedShare() >= this.#request.limit;
  }

  /** Estimates the pages beyond the last group that was sampled: fewer with each step, or an unknown number. */
  #tail(group: Group, { before, total }: { before: number; total: number }): number {
    const size = this.#openSize(group);
    if (size === 0) return 0;
    const ratio = before === 0 ? 1 : size / before;
    if (ratio < 0.9) return (size * ratio) / (1 - ratio);
    if (this.#isEnough(total + group.size)) return 0;
    return Math.max(0, Math.sqrt((total + group.size) * this.#request.limit) - total - group.size);
  }

  /** Loads a group or a sample of it, and adds what it links to. @returns how many pages it probably leads to. */
  async #read(group: Group, groups: Map<number, Group>): Promise<number> {
    const open = group.members.filter((member) => !this.#isExhausted(member));
    const parents = this.#openSize(group);
    const sample = this.#choose(open);
    this.#known.startReading();
    const found = new Map<string, { candidate: Candidate; count: number }>();
    let back = 0;
    let loaded = 0;
    await inParallel(sample, this.#atATime(AT_A_TIME), async (candidate) => {
      if (!this.#mayContinue() || this.#late.has(hostOf(candidate.url))) return;
      this.#loads++;
      const sampled = await this.#sample(candidate);
      if (sampled === undefined) {
        this.#loads--;
        this.#late.add(hostOf(candidate.url));
        return;
      }
      loaded++;
      const { page, isResult, links } = sampled;
      let fresh = 0;
      this.#samples.push({ page, isResult, weight: 0 });
      for (const link of links) {
        const depth = this.#known.depthBefore(link.key);
        if (depth !== undefined) {
          if (depth === group.depth && !this.#known.areSiblings(link.key, candidate.key)) back++;
        } else if (await this.#take(link, candidate.key)) {
          const { count = 0 } = found.get(link.key) ?? {};
          found.set(link.key, { candidate: link, count: count + 1 });
          if (count === 0) fresh++;
        }
      }
      this.#note(candidate, fresh);
    });
    for (const each of this.#samples.slice(this.#samples.length - loaded)) each.weight = parents / loaded;
    if (loaded < group.members.length || group.known < group.size) this.#isComplete = false;
    this.#linked += found.size;
    const share = shareOfFurther({ found: found.size, back, coverage: group.known / group.size });
    const counts = [...found.values()].map(({ count }) => count);
    const further = Math.max(found.size, extrapolateUrls({ counts, sampled: loaded, parents }) * share);
    if (found.size > 0) {
      const next = groups.get(group.depth + 1) ?? { depth: group.depth + 1, members: [], known: 0, size: 0 };
      for (const { candidate } of found.values()) next.members.push(candidate);
      next.known = next.members.length;
      next.size += further;
      groups.set(next.depth, next);
    }
    return further;
  }

  /** Reports whether pages of this folder were read and led to nothing new, as articles do. */
  #isExhausted({ url }: Candidate): boolean {
    const { read = 0, found = 0 } = this.#folders.get(folderOf(url)) ?? {};
    return read >= EXHAUSTED_AFTER && found === 0;
  }

  /** Returns the number of pages of a group that may lead further. */
  #openSize({ members, size }: Group): number {
    const open = members.filter((member) => !this.#isExhausted(member)).length;
    return members.length === 0 ? 0 : (size * open) / members.length;
  }

  #choose(members: readonly Candidate[]): Candidate[] {
    const left = MAX_LOADS - this.#loads;
    const due = Math.max(1, this.#request.limit - this.#loads);
    // A crawl with a small limit reads the first pages that it finds.
    const first = members.slice(0, due).toSorted((one, other) => (one.url < other.url ? -1 : 1));
    return spread(first, first.length <= left ? left : Math.min(left, Math.max(SAMPLE, Math.floor(left / 2))));
  }

  #note({ url }: Candidate, found: number): void {
    const known = this.#folders.get(folderOf(url)) ?? { read: 0, found: 0 };
    this.#folders.set(folderOf(url), { read: known.read + 1, found: known.found + found });
  }

  /** Adds a URL that the crawl may load. @returns false for one that robots.txt disallows. */
  async #take(candidate: Candidate, parent: string | undefined): Promise<boolean> {
    const rules = this.#known.has(candidate.key) ? undefined : await this.#rules.of(candidate.url);
    if (rules?.isTurnDue() === true) await nextTurn();
    if (!this.#known.has(candidate.key)) {
      if (rules === undefined || !this.#isAllowed(rules, candidate.url)) return false;
      if (this.#known.size >= MAX_KNOWN || this.#known.isFull) {
        this.#isComplete = false;
        return false;
      }
      this.#known.add(candidate);
    }
    if (parent !== undefined) this.#known.addParent(candidate.key, parent);
    return true;
  }

  /** Adds a URL of a sitemap, as `take` does. */
  #list(candidate: Candidate, rules: HostRules): void {
    if (this.#known.has(candidate.key) || !this.#isAllowed(rules, candidate.url)) return;
    if (this.#known.size < MAX_KNOWN) this.#known.list(candidate);
  }

  #isAllowed(rules: HostRules, url: string): boolean {
    const isAllowed = rules.allows(url);
    if (rules.isSpent) this.#isComplete = false;
    else if (!isAllowed) this.#disallowed.add(hash53(url, this.#seed));
    return isAllowed;
  }

  #delaysOf(url: string): { delayMs: number; ownDelayMs: number } {
    return { delayMs: this.#rules.known(url)?.delayMs ?? 0, ownDelayMs: this.#request.delayMs };
  }

  /** Returns how many pages are loaded at a time: where the site asks for a delay, they take turns. */
  #atATime(most: number): number {
    const { delayMs, ownDelayMs } = this.#delaysOf(this.#input.rules.startUrl);
    return delayMs > 0 || ownDelayMs > 0 ? 1 : most;
  }

  /** Loads a page. @returns undefined when the sample ended before that. */
  async #sample(
    candidate: Candidate,
  ): Promise<{ page: Sampled["page"]; isResult: boolean; links: Candidate[] } | undefined> {
    const { start } = this.#request;
    await this.#rules.of(candidate.url);
    const sampling = samplingOf(this.#request.sampling, candidate, this.#input);
    const options = { ...sampling, ...this.#delaysOf(candidate.url), deadlineMs: this.#deadlineMs, loadMs: PAGE_MS };
    const sampled = await samplePage(this.#deps, candidate.url, options);
    if (sampled === "late") return undefined;
    if (sampled === "failed") return { page: undefined, isResult: false, links: [] };
    const { links, ...page } = sampled;
    if (page.isRendered) this.#rendered++;
    const item = { ...candidate, attempt: 1 };
    const landing: Landing = { item, finalUrl: page.finalUrl, isRendered: page.isRendered };
    const verdict = crawl.land(landing, this.#input);
    if (candidate.key === start.key) this.#input = crawl.rebase?.(landing, this.#input) ?? this.#input;
    const finalKey = (verdict.kind === "kept" ? verdict.finalKey : undefined) ?? candidate.key;
    const isCopy = this.#landed.has(finalKey) || (finalKey !== candidate.key && this.#known.has(finalKey));
    if (verdict.kind === "denied" || isCopy) return { page, isResult: false, links: [] };
    this.#landed.add(finalKey);
    const { candidates, filtered } = await crawl.follow(landing, () => links, this.#input, { budget: this.#budget });
    if (filtered.some(({ reason }) => reason === "WORK_LIMIT")) this.#isComplete = false;
    return { page, isResult: true, links: candidates };
  }

  /** Reads the sitemaps. @returns the number of pages that were not known before, and how many there probably are. */
  async #readSitemaps(): Promise<Pick<Group, "known" | "size">> {
    if (this.#input.sitemap === "skip") return { known: 0, size: 0 };
    await this.#rules.of(this.#input.rules.startUrl);
    const { memory } = this.#known;
    const later = new LaterUrls(memory);
    const { clock } = this.#deps;
    const atMs = clock.now() + (this.#deadlineMs - clock.now()) * SITEMAP_SHARE;
    const reading = {
      input: this.#input,
      owner: this.#request.sampling.owner,
      deadlineMs: this.#deadlineMs,
      maxUrls: MAX_KNOWN,
      memory,
      budget: this.#budget.within({ steps: MAX_PATTERN_STEPS * SITEMAP_SHARE, deadline: { atMs, now: clock.now } }),
    };
    const counts = await readSitemapUrls(this.#deps, reading, (candidate) => {
      const known = this.#rules.known(candidate.url);
      if (known === undefined) later.add(candidate);
      else this.#list(candidate, known);
    });
    for (const candidate of later.take()) this.#list(candidate, await this.#rules.of(candidate.url));
    if ((counts.uncompared += later.left) > 0) this.#isComplete = false;
    const known = this.#known.listed;
    this.#basis.push({ source: "sitemap", detail: describeSitemaps(counts, known) });
    return { known, size: known * extentOfSitemaps(counts) };
  }

  #scrapedShare(): number {
    const all = sum(this.#samples, ({ weight }) => weight);
    return all === 0 ? 1 : sum(this.#samples, ({ isResult, weight }) => (isResult ? weight : 0)) / all;
  }

  async #forecast(total: number): Promise<SiteForecast> {
    const { limit } = this.#request;
    const share = this.#scrapedShare();
    const results = this.#samples.filter(({ isResult }) => isResult);
    const isComplete = this.#isComplete;
    const capped = (pages: number): number => Math.min(limit, pages * share);
    const seen = isComplete ? results.length : this.#known.size;
    const expected = isComplete ? Math.min(limit, seen) : capped(Math.max(total, seen));
    const low = isComplete ? expected : Math.min(expected, capped(seen));
    const pages = { low, expected, high: Math.max(expected, Math.min(limit, expected + (expected - low) + UNSEEN)) };
    if (isComplete) pages.high = expected;
    return { pages, rates: await this.#rates(results), basis: this.#allBasis(pages, isComplete), isComplete };
  }

  async #rates(results: readonly Sampled[]): Promise<PageRates> {
    const all = sum(results, ({ weight }) => weight);
    const usual = this.#samples.length === 0 ? estimateCredits(this.#request.sampling) : 0;
    const mean = (of: (page: Omit<SampledPage, "links">) => number): number =>
      all === 0 ? 0 : sum(results, ({ page, weight }) => (page === undefined ? 0 : of(page) * weight)) / all;
    const browserMs = (await this.#timed()) ?? mean((page) => page.browserMs);
    return { credits: mean(({ credits }) => credits) + usual, bytes: mean(({ bytes }) => bytes), browserMs };
  }

  /** Loads some pages with all that the request asks for. @returns ms of browser time a page; undefined when none is needed. */
  async #timed(): Promise<number | undefined> {
    const { sampling } = this.#request;
    if (!needsBrowser(this.#deps, sampling)) return undefined;
    const deadlineMs = this.#deps.clock.now() + PAGE_MS * 2;
    const pages = await inParallel(spread(this.#known.kept, TIMED), this.#atATime(TIMED), (candidate) => {
      const own = samplingOf(sampling, candidate, this.#input);
      return samplePage(this.#deps, candidate.url, {
        ...own,
        ...this.#delaysOf(candidate.url),
        deadlineMs,
        isWhole: true,
      });
    });
    const times = pages.flatMap((page) => (typeof page === "string" ? [] : [page.browserMs]));
    this.#basis.push({ source: "sample", detail: `${times.length} pages were loaded in a browser to time them` });
    return times.length === 0 ? undefined : sum(times, (ms) => ms) / times.length;
  }

  #allBasis({ expected }: EstimateRange, isComplete: boolean): EstimateBasis[] {
    const { limit } = this.#request;
    const counts = { loads: this.#loads, linked: this.#linked, known: this.#known.size, rendered: this.#rendered };
    return [...this.#basis, ...basisOf({ ...counts, disallowed: this.#disallowed.size, limit, expected, isComplete })];
  }
}

/** Pages that an incomplete sample may have missed in any case. */
const UNSEEN = 3;
