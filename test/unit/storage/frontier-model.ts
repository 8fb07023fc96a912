import { expect } from "vitest";
import { skippedOf, type Candidate, type FilteredUrl, type FrontierItem } from "../../../src/core/crawl/frontier.ts";
import type { Completion, UrlCursor, UrlLine } from "../../../src/ports/crawl/frontier.ts";
import { Frontier } from "../../../src/storage/crawl/frontier.ts";
import type { LeasedResult, BatchEntry } from "../../../src/storage/crawl/frontier-complete.ts";
import { readLeases } from "../../../src/storage/crawl/frontier-leases.ts";
import { readUrls } from "../../../src/storage/crawl/frontier-read.ts";
import { writeAsBefore } from "./older-frontier.ts";
import { InjectedFailure, nodeSql, type NodeSql } from "../../fakes/memory/node-sql.ts";

/** How a page of the modelled site behaves. */
export interface ModelPage {
  links: number[];
  filtered: number[];
  behaviour: "fine" | "fails" | "flaky" | "robots" | "denied" | "redirects" | "deferred";
  /** Where it redirects to, or how often it fails first. */
  number: number;
}

export interface ModelJob {
  kind: "crawl" | "batch";
  pages: ModelPage[];
  limit: number | undefined;
  maxConcurrency: number;
  hasSeed: boolean;
}

export type Step =
  /** By a consumer that holds a lease, which its claim extends, or by a new one. A lost claim never reaches its consumer. */
  | { do: "claim"; capacity: number; ahead: number; consumer: number | undefined; isLost: boolean }
  /** With a capacity, the same transaction claims more. */
  | { do: "complete"; consumer: number; share: number; crashAfter: number | undefined; capacity: number | undefined }
  | { do: "repeat"; completion: number }
  | { do: "die"; consumer: number }
  | { do: "wait"; ms: number }
  | { do: "evict" }
  /** All that is stored has the form of an older version, and this one goes on. */
  | { do: "upgrade" }
  | { do: "append"; count: number }
  | { do: "cancel" };

interface Consumer {
  leaseId: number;
  lastClaim: number;
  items: FrontierItem[];
  isSeed: boolean;
}

const LEASE_MS = 10_000;
const LENGTH = 100;

/** Drives a frontier through a schedule as consumers, a queue and a platform of the worst kind would. */
export class ModelRun {
  readonly sql: NodeSql = nodeSql();
  readonly job: ModelJob;
  frontier: Frontier;
  nowMs = 1_000_000;
  /** What consumers hold; those who died are gone from here without a word. */
  consumers: Consumer[] = [];
  sent: Completion[] = [];
  appended = 0;
  /** Items that were leased ahead, as their leases name them. */
  readonly #ahead = new Set<string>();

  constructor(job: ModelJob) {
    this.job = job;
    this.frontier = new Frontier(this.sql);
    const config = {
      limit: job.limit,
      maxConcurrency: job.maxConcurrency,
      delayMs: 0,
      hasSeed: job.hasSeed,
      failsWhenEmpty: job.kind === "crawl",
      events: ["started", "page", "completed"] as const,
      leaseMs: LEASE_MS,
      expiresAtMs: this.nowMs + 86_400_000,
    };
    const seeds = job.kind === "crawl" ? [this.#candidate(0, 0)] : job.pages.map((_, page) => this.#entry(page));
    this.frontier.start(config, seeds, this.nowMs);
  }

  step(step: Step): void {
    switch (step.do) {
      case "claim": {
        const holder = step.consumer === undefined ? undefined : this.#consumer(step.consumer);
        return this.#claim(holder, step);
      }
      case "complete":
        return this.#complete(step);
      case "repeat": {
        const completion = this.sent[step.completion % Math.max(1, this.sent.length)];
        if (completion !== undefined) this.frontier.complete(completion, this.nowMs);
        return;
      }
      case "die":
        this.consumers.splice(step.consumer % Math.max(1, this.consumers.length), 1);
        return;
      case "wait":
        this.nowMs += step.ms;
        return;
      case "evict":
        this.frontier = new Frontier(this.sql);
        return;
      case "upgrade":
        writeAsBefore(this.sql);
        this.frontier = new Frontier(this.sql);
        return;
      case "append": {
        if (this.job.kind !== "batch") return;
        const seeds = Array.from({ length: step.count }, (_, index) =>
          this.#entry(this.job.pages.length + this.appended + index),
        );
        const appendId = `after ${this.appended}`;
        if (this.frontier.append({ seeds, appendId }, this.nowMs)) this.appended += step.count;
        return;
      }
      case "cancel":
        this.frontier.cancel(this.nowMs);
    }
  }

  /** Lets honest consumers work until the job has ended. */
  drain(): void {
    for (let round = 0; round < 2000; round++) {
      const state = this.frontier.state();
      if (state === undefined) return;
      if (state.status !== "scraping") {
        if (state.counters.leased === 0) return;
        // Whoever held pages when the job ended is not heard of any more.
        this.nowMs = Math.max(this.nowMs + 1, this.frontier.outlook(this.nowMs).workMs ?? 0);
        this.frontier.reap(this.nowMs);
        continue;
      }
      const claim = this.frontier.claim(7, this.nowMs);
      if (claim !== undefined) {
        this.consumers.push({ ...claim, lastClaim: claim.number });
        this.#complete({ consumer: this.consumers.length - 1, share: 100, crashAfter: undefined, capacity: undefined });
        continue;
      }
      const { workMs, claimable } = this.frontier.outlook(this.nowMs);
      if (this.frontier.state()?.status !== "scraping") return;
      expect(workMs, `nothing will happen by itself, and ${claimable} URLs wait`).toBeDefined();
      this.nowMs = Math.max(this.nowMs + 1, workMs ?? 0);
    }
    throw new Error("The job does not end");
  }

  #consumer(number: number): Consumer | undefined {
    return this.consumers[number % Math.max(1, this.consumers.length)];
  }

  #claim(
    holder: Consumer | undefined,
    { capacity, ahead = 0, isLost }: { capacity: number; ahead?: number; isLost: boolean },
  ): void {
    const { leaseId, lastClaim } = holder ?? {};
    const held = leaseId === undefined ? undefined : { leaseIds: [leaseId], lastClaim: lastClaim ?? 0 };
    const claim = this.frontier.claim(capacity, this.nowMs, { held, ahead });
    const furthest = claim?.items.slice(claim.items.length - (claim.ahead ?? 0)) ?? [];
    expect(furthest.length).toBeLessThanOrEqual(ahead);
    for (const { key, attempt } of furthest) this.#ahead.add(`${key} ${attempt} ${claim?.number}`);
    if (claim === undefined || isLost) return;
    if (holder === undefined || claim.leaseId !== leaseId) {
      this.consumers.push({ ...claim, lastClaim: claim.number });
      return;
    }
    holder.items.push(...claim.items);
    holder.lastClaim = claim.number;
  }

  #complete({
    consumer,
    share,
    crashAfter,
    capacity,
  }: {
    consumer: number;
    share: number;
    crashAfter: number | undefined;
    capacity: number | undefined;
  }): void {
    const index = consumer % Math.max(1, this.consumers.length);
    const holder = this.consumers[index];
    if (holder === undefined) return;
    const count = holder.items.length === 0 ? 0 : Math.max(1, Math.ceil((holder.items.length * share) / 100));
    const done = holder.items.splice(0, count);
    const completion = this.#completionOf(holder, done);
    this.sent.push(completion);
    this.sql.failAfter(crashAfter);
    try {
      this.frontier.together(this.nowMs, () => {
        this.frontier.complete(completion, this.nowMs);
        if (capacity !== undefined) this.#claim(holder, { capacity, isLost: crashAfter !== undefined });
      });
    } catch (error) {
      if (!(error instanceof InjectedFailure)) throw error;
    } finally {
      this.sql.failAfter(undefined);
    }
    if (holder.items.length === 0) this.consumers.splice(index, 1);
  }

  #completionOf(holder: Consumer, items: FrontierItem[]): Completion {
    const scraped = items.map((item, place) => this.#resultOf(holder.leaseId, item, place));
    const candidates: Candidate[] = [];
    const filtered: FilteredUrl[] = [];
    if (this.job.kind === "crawl") {
      items.forEach((item, place) => {
        if (scraped[place]?.kind !== "scraped") return;
        const page = this.#pageOf(item.key);
        candidates.push(
          ...page.links.map((link) => this.#candidate(link % this.job.pages.length, item.depth + 1, item.url)),
        );
        filtered.push(
          ...page.filtered.map((out) => ({ url: `out/${out}`, reason: "EXTERNAL_LINK", depth: 1, parent: item.url })),
        );
        // Out of reach from here: a page that may be known, or become known, from elsewhere.
        const far = page.number % this.job.pages.length;
        filtered.push({
          url: this.#urlOf(far),
          key: this.#keyOf(far),
          reason: "DEPTH_LIMIT",
          depth: 9,
          parent: item.url,
        });
      });
    }
    const object = `batch/${holder.leaseId}-${this.sent.length}`;
    return {
      results: scraped,
      object,
      candidates,
      filtered,
      hosts: {},
      ...(holder.isSeed ? { seedLease: holder.leaseId } : {}),
    };
  }

  #resultOf(leaseId: number, item: FrontierItem, place: number): LeasedResult {
    const base = { leaseId, key: item.key, attempt: item.attempt };
    const page = this.#pageOf(item.key);
    const fine = {
      ...base,
      kind: "scraped",
      offset: place * LENGTH,
      length: LENGTH,
      scrapeId: `${item.key}@${leaseId}.${item.attempt}`,
      credits: 1,
    } as const;
    const failure = { ...base, kind: "failed", code: "SCRAPE_SITE_ERROR", error: "It does not answer" } as const;
    switch (page.behaviour) {
      case "fine":
        return fine;
      case "fails":
        return { ...failure, retryable: page.number % 2 === 0 };
      case "flaky":
        return item.attempt <= page.number % 3 ? { ...failure, retryable: true } : fine;
      case "robots":
        return { ...base, kind: "robots" };
      case "denied":
        return { ...base, kind: "denied", error: "It leads out of the crawl" };
      case "deferred":
        return this.nowMs < 1_000_000 + page.number * 1000
          ? { ...base, kind: "deferred", retryAtMs: this.nowMs + 500 }
          : fine;
      case "redirects": {
        const target = page.number % this.job.pages.length;
        if (this.job.kind === "batch" || this.#keyOf(target) === item.key) return fine;
        return { ...fine, finalKey: this.#keyOf(target), finalUrl: this.#urlOf(target) };
      }
    }
  }

  #pageOf(key: string): ModelPage {
    const page = this.job.pages[Number(key.split(":")[1]) % this.job.pages.length];
    if (page === undefined) throw new Error(`No page has the key ${key}`);
    return page;
  }

  #candidate(page: number, depth: number, parent?: string): Candidate {
    // A page has two spellings, so that duplicates of a known page are met.
    const url = depth % 2 === 0 ? this.#urlOf(page) : `${this.#urlOf(page)}/`;
    return { key: this.#keyOf(page), url, depth, isExternal: false, parent };
  }

  #entry(place: number): Candidate {
    const url = this.#urlOf(place % this.job.pages.length);
    return { key: `entry:${place}`, url, depth: 0, isExternal: false, parent: undefined };
  }

  #urlOf(page: number): string {
    return `https://site.example/${page}`;
  }

  #keyOf(page: number): string {
    return `page:${page}`;
  }

  /** What must be true at every moment. */
  checkAlways(): void {
    const state = this.frontier.state();
    if (state === undefined) throw new Error("The job is gone");
    const { counters, config } = state;
    expect(counters.completed + counters.failed + skippedOf(counters) + counters.pending).toBe(counters.discovered);
    expect(Math.min(counters.pending, counters.leased, counters.completed, counters.failed)).toBeGreaterThanOrEqual(0);
    const leased = readLeases(this.sql).flatMap(({ items }) => items);
    expect(leased.length).toBe(counters.leased);
    const begun = leased.filter(([key, attempt, claim]) => !this.#ahead.has(`${key} ${attempt} ${claim}`));
    expect(begun.length).toBeLessThanOrEqual(config.maxConcurrency);
    if (config.limit !== undefined) expect(counters.completed + counters.leased).toBeLessThanOrEqual(config.limit);
    const keys = this.#documents().map(([, , , key]) => key);
    expect(keys.length).toBe(counters.completed);
    expect(new Set(keys).size, "a page stands twice in the results").toBe(keys.length);
  }

  /** What must be true of a job that has ended. */
  checkEnd(): void {
    const state = this.frontier.state();
    expect(state?.counters.pending).toBe(0);
    const lines = this.#lines();
    const outcomes = lines.map(({ outcome }) => outcome);
    expect(lines.length, "every discovered URL stands in the list once").toBe(state?.counters.discovered);
    expect(outcomes.filter((outcome) => outcome === "pending")).toEqual([]);
    expect(outcomes.filter((outcome) => outcome === "scraped").length).toBe(state?.counters.completed);
    expect(lines.filter(({ outcome, reason }) => outcome !== "scraped" && reason === undefined)).toEqual([]);
    this.#checkNothingLost(lines);
    this.#checkRedirects(lines);
    this.#checkRest(lines);
    this.#checkEvents();
  }

  /** Nothing is "over the limit" in a job that did not come to its limit. */
  #checkRest(lines: UrlLine[]): void {
    const state = this.frontier.state();
    if (state?.status !== "completed" || state.config.limit === state.counters.completed) return;
    expect(lines.filter(({ reason }) => reason === "limit" || reason === "cancelled")).toEqual([]);
  }

  /** No two documents are of one page, unless its own loads have failed or ended otherwise in between. */
  #checkRedirects(lines: UrlLine[]): void {
    const failed = new Set(
      lines.filter(({ outcome }) => outcome === "failed").map(({ url }) => url.replace(/\/$/, "")),
    );
    const finals = this.#documents().map(([, , , key]) => this.#finalOf(key));
    const fine = finals.filter((key) => this.#pageOf(key).behaviour === "fine" && !failed.has(this.#urlOfKey(key)));
    expect(new Set(fine).size, "pages that redirect to one page are several results").toBe(fine.length);
  }

  #finalOf(key: string): string {
    const { behaviour, number } = this.#pageOf(key);
    const isRedirect = this.job.kind === "crawl" && behaviour === "redirects";
    return isRedirect ? this.#keyOf(number % this.job.pages.length) : key;
  }

  #urlOfKey(key: string): string {
    return this.#urlOf(Number(key.split(":")[1]) % this.job.pages.length);
  }

  #checkNothingLost(lines: UrlLine[]): void {
    const known = new Set(lines.map(({ url }) => url.replace(/\/$/, "")));
    if (this.job.kind === "batch") return expect(lines.length).toBe(this.job.pages.length + this.appended);
    for (const [, , , key] of this.#documents()) {
      for (const link of this.#pageOf(key).links) expect(known).toContain(this.#urlOf(link % this.job.pages.length));
    }
  }

  #checkEvents(): void {
    const events = this.sql.rows<{ event: string; count: number }>(
      "SELECT event, count(*) AS count FROM outbox GROUP BY event",
    );
    const count = (event: string) => events.find((row) => row.event === event)?.count ?? 0;
    const state = this.frontier.state();
    expect(count("started")).toBe(1);
    expect(count("page")).toBe((state?.counters.completed ?? 0) + (state?.counters.failed ?? 0));
    if (state?.status === "completed") expect(count("completed")).toBeGreaterThanOrEqual(1);
  }

  #documents(): BatchEntry[] {
    const rows = this.sql.rows<{ entries: string }>("SELECT entries FROM batches ORDER BY first");
    return rows.flatMap(({ entries }) => JSON.parse(entries) as BatchEntry[]);
  }

  #lines(): UrlLine[] {
    const state = this.frontier.state();
    if (state === undefined) return [];
    const lines: UrlLine[] = [];
    let cursor: UrlCursor | undefined = { part: "queue", row: 0, place: 0 };
    while (cursor !== undefined) {
      const page: { lines: UrlLine[]; next: UrlCursor | undefined } = readUrls(this.sql, state, { cursor, limit: 9 });
      lines.push(...page.lines);
      cursor = page.next;
    }
    return lines;
  }
}
