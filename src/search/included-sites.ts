import { isOnSite } from "../core/search/search-query.ts";
import { allSitesOfCategory, sitesOfCategory } from "./categories.ts";
import type { SearchQuery } from "./provider.ts";

/**
 * Returns the sites that a query is limited to, for providers that take one list of sites: those that are in
 * `includeDomains`, in the `site:` operators and in the category. Sites of one list alone would use up the limit with
 * hits that are dropped.
 * @param ofCategory The sites of the category when the query has no other list. Default: those that engines get.
 * @returns undefined when the query has no list; an empty list when no site is in all of them.
 */
export function includedSites(
  { includeDomains, terms, category }: Pick<SearchQuery, "includeDomains" | "terms" | "category">,
  ofCategory = sitesOfCategory(category),
): readonly string[] | undefined {
  const [first, ...others] = [includeDomains, terms.sites].filter((list) => list.length > 0);
  if (first === undefined) return ofCategory.length === 0 ? undefined : ofCategory;
  const whole = ofCategory.length === 0 ? [] : [allSitesOfCategory(category)];
  return [...others, ...whole].reduce<readonly string[]>(common, first);
}

/** Returns the sites of each list that are on a site of the other list. */
function common(one: readonly string[], other: readonly string[]): string[] {
  const within = (sites: readonly string[], outer: readonly string[]): string[] =>
    sites.filter((site) => isOnSite(`https://${site}/`, outer));
  return [...new Set([...within(one, other), ...within(other, one)])];
}
