import type { Candidate } from "../../core/crawl/frontier.ts";
import { hash53, randomSeed } from "../../core/text/hash.ts";
import type { GrowingBytes } from "../../core/waits/growing-bytes.ts";

/** URLs of sitemaps that are kept in full. */
const MAX_MEMBERS = 20_000;
const MAX_MEMBER_CHARS = 20_000_000;
/** Characters of the URLs that links lead to, and of their keys: 200,000 of ordinary length. */
const MAX_LINKED_CHARS = 40_000_000;
/** Parents that are kept of a URL: the first ones. */
const MAX_PARENTS = 8;
/** URLs of sitemaps that wait for the robots.txt of their host, and their characters. */
const MAX_LATER = 20_000;
const MAX_LATER_CHARS = 4_000_000;
/** Bytes of a URL that is kept beside its characters, and of the hash of one that is not. */
const ENTRY_BYTES = 200;
const HASH_BYTES = 40;

/** A URL that links lead to. Most have one parent. */
interface Linked {
  candidate: Candidate;
  /** Keys of the first pages that link to it. */
  parents: string | string[] | undefined;
  /** Number of the reading in which it was found. */
  reading: number;
}

/**
 * The URLs that the sample of a site knows. Those that links lead to are kept in full; sitemaps have up to 200,000 more, of
 * which only a hash of the key is kept, and some members.
 */
export class KnownUrls {
  readonly #linked = new Map<string, Linked>();
  readonly #listed = new Set<number>();
  /** A site must not choose URLs that have the same hash. */
  readonly #seed = randomSeed();
  readonly #members: Members;
  /** Counts what is kept. */
  readonly memory: GrowingBytes;
  #reading = 0;
  #linkedChars = 0;

  /**
   * @param limit number of pages of the crawl, which are the first ones that it finds
   * @param memory counts what is kept; when there is no room for it, no more is kept
   */
  constructor(limit: number, memory: GrowingBytes) {
    this.memory = memory;
    this.#members = new Members(limit, memory);
  }

  get size(): number {
    return this.#linked.size + this.#listed.size;
  }

  /** Number of URLs that only sitemaps name. */
  get listed(): number {
    return this.#listed.size;
  }

  /** URLs that only sitemaps name: the first ones, or of more than are kept such at even distances. */
  get members(): readonly Candidate[] {
    return this.#members.kept;
  }

  /** All URLs that are kept in full. */
  get kept(): Candidate[] {
    return [...[...this.#linked.values()].map(({ candidate }) => candidate), ...this.members];
  }

  /** True when no further URL that links lead to is to be added. */
  get isFull(): boolean {
    return this.#linkedChars >= MAX_LINKED_CHARS || this.memory.isOver;
  }

  has(key: string): boolean {
    return this.#linked.has(key) || this.#listed.has(hash53(key, this.#seed));
  }

  add(candidate: Candidate): void {
    this.#linkedChars += charsOf(candidate);
    this.memory.add(charsOf(candidate) + ENTRY_BYTES);
    this.#linked.set(candidate.key, { candidate, parents: undefined, reading: this.#reading });
  }

  /** Adds a URL of a sitemap. */
  list(candidate: Candidate): void {
    this.#listed.add(hash53(candidate.key, this.#seed));
    this.memory.add(HASH_BYTES);
    this.#members.add(candidate);
  }

  addParent(key: string, parent: string): void {
    const linked = this.#linked.get(key);
    if (linked === undefined || linked.parents === parent) return;
    if (linked.parents === undefined) linked.parents = parent;
    else if (typeof linked.parents === "string") linked.parents = [linked.parents, parent];
    else if (linked.parents.length < MAX_PARENTS && !linked.parents.includes(parent)) linked.parents.push(parent);
  }

  /** Begins the reading of a group of pages: what was known until now was known before. */
  startReading(): void {
    this.#reading++;
  }

  /** Returns the distance from the start of a URL that was known before this reading; undefined for others. */
  depthBefore(key: string): number | undefined {
    const linked = this.#linked.get(key);
    if (linked !== undefined) return linked.reading < this.#reading ? linked.candidate.depth : undefined;
    return this.#listed.has(hash53(key, this.#seed)) ? 0 : undefined;
  }

  /** Reports whether one page links to both. */
  areSiblings(key: string, other: string): boolean {
    if (key === other) return true;
    const others = new Set(parentsOf(this.#linked.get(other)));
    return parentsOf(this.#linked.get(key)).some((parent) => others.has(parent));
  }
}

/** Returns host and folder of a URL: pages of one folder are mostly of one kind. */
export function folderOf(url: string): string {
  const { host, pathname } = new URL(url);
  return host + pathname.slice(0, pathname.lastIndexOf("/") + 1);
}

function charsOf({ url, key }: Candidate): number {
  return url.length + key.length;
}

function bytesOf(candidates: readonly Candidate[]): number {
  return candidates.reduce((sum, candidate) => sum + charsOf(candidate) + ENTRY_BYTES, 0);
}

function parentsOf(linked: Linked | undefined): readonly string[] {
  const { parents } = linked ?? {};
  if (parents === undefined) return [];
  return typeof parents === "string" ? [parents] : parents;
}

/** URLs of sitemaps that wait for the robots.txt of their host: the first ones. */
export class LaterUrls {
  readonly #memory: GrowingBytes;
  #kept: Candidate[] = [];
  #chars = 0;
  /** Number of the others. */
  left = 0;

  constructor(memory: GrowingBytes) {
    this.#memory = memory;
  }

  add(candidate: Candidate): void {
    if (this.#kept.length >= MAX_LATER || this.#chars >= MAX_LATER_CHARS || this.#memory.isOver) {
      this.left++;
      return;
    }
    this.#kept.push(candidate);
    this.#chars += charsOf(candidate);
    this.#memory.add(charsOf(candidate) + ENTRY_BYTES);
  }

  /** Returns the URLs, which are no longer kept here. */
  take(): Candidate[] {
    const kept = this.#kept;
    this.#memory.add(-bytesOf(kept));
    [this.#kept, this.#chars] = [[], 0];
    return kept;
  }
}

/** A bounded part of a list: its beginning, where a crawl reads no more, otherwise items at even distances. */
class Members {
  readonly #keepsFirst: boolean;
  readonly #memory: GrowingBytes;
  #items: Candidate[] = [];
  #chars = 0;
  #step = 1;
  #count = 0;

  constructor(limit: number, memory: GrowingBytes) {
    this.#memory = memory;
    this.#keepsFirst = limit <= MAX_MEMBERS;
  }

  get kept(): readonly Candidate[] {
    return this.#items;
  }

  add(candidate: Candidate): void {
    const isDue = this.#count++ % this.#step === 0;
    if (!isDue || (this.#keepsFirst && this.#isFull(MAX_MEMBERS)) || this.#memory.isOver) return;
    this.#items.push(candidate);
    this.#chars += charsOf(candidate);
    this.#memory.add(charsOf(candidate) + ENTRY_BYTES);
    if (this.#keepsFirst || !this.#isFull(MAX_MEMBERS * 2)) return;
    const before = bytesOf(this.#items);
    this.#items = this.#items.filter((_, index) => index % 2 === 0);
    this.#chars = this.#items.reduce((sum, item) => sum + charsOf(item), 0);
    this.#memory.add(bytesOf(this.#items) - before);
    this.#step *= 2;
  }

  #isFull(maxItems: number): boolean {
    return this.#items.length >= maxItems || this.#chars >= MAX_MEMBER_CHARS;
  }
}
