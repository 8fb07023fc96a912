import type { ScannedPage } from "../../content/html/scan-page.ts";
import {
  folderAfterMove,
  folderOf,
  isInFolder,
  judgeUrl,
  PATTERN_STEPS_A_TURN,
  type CrawlRules,
} from "../../core/crawl/crawl-scope.ts";
import type { GrowingBytes } from "../../core/waits/growing-bytes.ts";
import type { WorkBudget } from "../../core/work-budget.ts";

/** A page of a site, with its title and description. */
export interface SiteLink {
  url: string;
  title?: string;
  description?: string;
  /** `lastmod` of the page in a sitemap, as written there. */
  sitemapDate?: string;
}

/** A link with text that is used only to rank it. */
export interface FoundLink extends SiteLink {
  linkText?: string;
}

/** Characters of the addresses and titles of all pages of a map: 100,000 pages take some ten million. */
const MAX_CHARS = 16_000_000;
/** Bytes of a page beside its texts. */
const ENTRY_BYTES = 150;

export function bytesOfLinks({ links }: ScannedPage): number {
  return links.reduce((sum, { url, text }) => sum + url.length + text.length + ENTRY_BYTES, 0);
}

/** Collects the pages of a site: each once, within the rules, up to a capacity. */
export class SiteLinks {
  readonly #rules: CrawlRules;
  readonly #capacity: number;
  /** Empty for the whole site. */
  readonly #folder: string;
  /** Counts the work of the patterns; pages beyond it are left out. */
  readonly #budget: WorkBudget;
  /** Counts what the pages hold. */
  readonly #memory: GrowingBytes;
  #nextTurn = PATTERN_STEPS_A_TURN;
  readonly #byKey = new Map<string, FoundLink>();
  #chars = 0;

  constructor({
    rules,
    capacity,
    folder,
    budget,
    memory,
  }: {
    rules: CrawlRules;
    capacity: number;
    folder: string;
    budget: WorkBudget;
    memory: GrowingBytes;
  }) {
    this.#memory = memory;
    this.#budget = budget;
    this.#rules = rules;
    this.#capacity = capacity;
    this.#folder = folder;
  }

  get size(): number {
    return this.#byKey.size;
  }

  get isFull(): boolean {
    return this.size >= this.#capacity || this.isLarge;
  }

  /** Reports whether the pages take as much memory as they may. */
  get isLarge(): boolean {
    return this.#chars >= MAX_CHARS;
  }

  /** Reports, once for some milliseconds of work at most, that other requests are to get their turn. */
  isTurnDue(): boolean {
    if (this.#budget.isSpent || this.#budget.steps < this.#nextTurn) return false;
    this.#nextTurn = this.#budget.steps + PATTERN_STEPS_A_TURN;
    return true;
  }

  /** @returns true for a new page. Known fields of a page are not replaced. */
  add(link: FoundLink, foundOn: string): boolean {
    const from = { url: foundOn, depth: 0, isExternal: false };
    const judged = judgeUrl(link.url, { from, rules: this.#rules, budget: this.#budget });
    if (judged.kind === "filtered") return false;
    if (this.#folder !== "" && !judged.isExternal && !isInFolder(new URL(judged.url).pathname, this.#folder))
      return false;
    const known = this.#byKey.get(judged.key);
    if (known === undefined && this.isFull) return false;
    const before = known === undefined ? 0 : charsOf(known);
    const kept = known ?? { ...link, url: judged.url };
    if (known === undefined) this.#byKey.set(judged.key, kept);
    else if (!this.isLarge) complete(known, link);
    const more = charsOf(kept) - before;
    this.#chars += more;
    this.#memory.add(known === undefined ? more + judged.key.length + ENTRY_BYTES : more);
    return known === undefined;
  }

  all(): FoundLink[] {
    return [...this.#byKey.values()];
  }
}

/** Returns the folder that a map covers: that of the given URL, or of its redirect target. */
export function folderFor(askedUrl: string, finalUrl: string): string {
  return folderAfterMove(folderOf(new URL(askedUrl).pathname), new URL(finalUrl).pathname);
}

function charsOf({ url, title = "", description = "", linkText = "" }: FoundLink): number {
  return url.length + title.length + description.length + linkText.length;
}

/** Fills in the fields that are still missing. */
function complete(known: FoundLink, { title, description, linkText, sitemapDate }: FoundLink): void {
  if (title) known.title ||= title;
  if (description) known.description ||= description;
  if (linkText) known.linkText ||= linkText;
  // Of two sitemaps the one with the newer date is right.
  if (sitemapDate && sitemapDate > (known.sitemapDate ?? "")) known.sitemapDate = sitemapDate;
}

/** Returns the title and the description of a page, where it has them. */
export function namesOf({ title, description }: Pick<ScannedPage, "title" | "description">): {
  title?: string;
  description?: string;
} {
  return { ...(title === "" ? {} : { title }), ...(description === "" ? {} : { description }) };
}

/** Returns a link as clients expect it: the root URL without its slash, and every other URL unchanged. */
export function toSiteLink({ url, title, description }: SiteLink): SiteLink {
  const root = /^(https?:\/\/[^/?#]+)\/$/.exec(url)?.[1];
  return { url: root ?? url, ...(title ? { title } : {}), ...(description ? { description } : {}) };
}
