import { sitesOfCategory } from "./categories.ts";
import type { SearchQuery } from "./provider.ts";

/**
 * The query as engines of the whole web understand it: the caller's own words, narrowed down with `site:` and
 * `filetype:` (api-contract.md, “Search options”).
 */
export function engineText({ text, category, includeDomains, excludeDomains }: SearchQuery): string {
  const sites = (list: readonly string[]): string => list.map((site) => `site:${site}`).join(" OR ");
  const ofCategory = sitesOfCategory(category);
  return [
    text,
    ...(ofCategory.length === 0 ? [] : [`(${sites(ofCategory)})`]),
    ...(category === "pdf" ? ["filetype:pdf"] : []),
    ...(includeDomains.length === 0 ? [] : [sites(includeDomains)]),
    ...excludeDomains.map((site) => `-site:${site}`),
  ].join(" ");
}
