import type { PageView } from "../../content/page-view.ts";
import { SiteTemplate } from "../../content/main-content/site-template.ts";
import { hostOf } from "../../core/crawl/dispatch.ts";
import type { WorkerRunContext } from "./worker-run-context.ts";

/** Pages that a template is learned from. More tell little that is new, and keep it from being used. */
const LEARNED_PAGES = 8;

/**
 * What the pages of a crawl's site have in common, for a consumer of it. The first pages that one consumer scrapes make
 * the template; the frontier keeps the first that it is handed, and that one holds for all consumers and to the end: what
 * becomes of a page does not depend on who scrapes it, or how often.
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

  /** Whether there is nothing more to be told about it. */
  get isSettled(): boolean {
    return !this.#isWanted || this.#settled !== undefined;
  }

  /** The template for a page, when its site has one. */
  siteOf(url: string): SiteTemplate | undefined {
    return this.#settled !== undefined && this.#isOfSite(url) ? this.#settled : undefined;
  }

  /** Learns from a page whose content was found already. */
  learn(url: string, view: PageView): void {
    if (this.isSettled || this.#isHandedIn || this.#learning.pageCount >= LEARNED_PAGES) return;
    if (this.#seen.has(url) || !this.#isOfSite(url)) return;
    this.#seen.add(url);
    view.teach(this.#learning);
  }

  /** The template as text, once, when enough pages were seen. */
  learned(): string | undefined {
    if (this.isSettled || this.#isHandedIn || this.#learning.pageCount < LEARNED_PAGES) return undefined;
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
