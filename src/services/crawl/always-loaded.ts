import type { PageVersion } from "../../core/crawl/page-version.ts";
import type { ScrapeOptions } from "../../formats/scrape-options.ts";
import { formatsOf } from "../../formats/index.ts";

const FILE_FORMATS: ReadonlySet<string> = new Set(["screenshot", "audio", "video"]);

/** Reports whether documents name files, which expire with their own job. */
export function storesFiles(options: ScrapeOptions): boolean {
  const { actions = [] } = options;
  return actions.length > 0 || formatsOf(options).some(({ type }) => FILE_FORMATS.has(type));
}

/** Reports whether a page is loaded in every crawl, whatever its site or sitemap says of it. */
export function isAlwaysLoaded(
  options: ScrapeOptions,
  { isRendered = false }: Pick<PageVersion, "isRendered">,
): boolean {
  return isRendered || storesFiles(options) || (options.waitFor ?? 0) > 0;
}
