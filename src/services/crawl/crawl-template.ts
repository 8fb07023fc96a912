import type { PageView } from "../../content/page-view.ts";
import { SiteTemplate } from "../../content/main-content/site-template.ts";
import { hostOf } from "../../core/crawl/dispatch.ts";
import type { WorkerRunContext } from "./run/worker-run-context.ts";

/** Number of pages that a template is learned from. More pages add little, and delay its use. */
const LEARNED_PAGES = 8;

/**
 * Common parts of the pages of a crawl's site, for one worker run. A run learns the template from its first pages; the
 * frontier stores the first one that it receives, and all runs use that one to the end: the result of a page does not
 * depend on the run that scrapes it, or on how often it is scraped.
 */
export class CrawlTemplate {
  readonly #context: Pick<WorkerRunContext, "kind" | "specification">;
  readonly #isWanted: boolean;
  readonly #learning = new SiteTemplate();
  readonly #seen = new Set<string>();
  #settled: SiteTemplate | undefined;
  #isHandedIn = false;

  constructor(context: Pick<WorkerRunContext, "kind" | "specification">) {
    this.#context = context;
    const { onlyMainContent = true, includeTags = [] } = context.specification.scrapeOptions;
    this.#isWanted = context.kind.seed !== undefined && onlyMainContent && includeTags.length === 0;
  }

  /** True when the frontier need not send the template: none is used, or it is known already. */
  get isSettled(): boolean {
    return !this.#isWanted || this.#settled !== undefined;
  }

  /** Returns the template for a page of the crawl's site, once it is known. */
  siteOf(url: string): SiteTemplate | undefined {
    return this.#settled !== undefined && this.#isOfSite(url) ? this.#settled : undefined;
  }

  /** Learns from a page whose content has been extracted already. */
  learn(url: string, view: PageView): void {
    if (this.isSettled || this.#isHandedIn || this.#learning.pageCount >= LEARNED_PAGES) return;
    if (this.#seen.has(url) || !this.#isOfSite(url)) return;
    this.#seen.add(url);
    this.#learning.addPage(view.fingerprints());
  }

  /** True when enough pages were seen, and the template is not handed in: every page until then is read without it. */
  get isToHandIn(): boolean {
    return !this.isSettled && !this.#isHandedIn && this.#learning.pageCount >= LEARNED_PAGES;
  }

  /** Returns the template as text, once, when enough pages were seen. */
  learned(): string | undefined {
    if (!this.isToHandIn) return undefined;
    this.#isHandedIn = true;
    return this.#learning.serialize();
  }

  settle(text: string): void {
    this.#settled ??= SiteTemplate.parse(text, { isCautious: true });
  }

  #isOfSite(url: string): boolean {
    const { kind, specification } = this.#context;
    const startUrl = kind.seed?.(specification.input).startUrl;
    return startUrl !== undefined && hostOf(startUrl) === hostOf(url);
  }
}
