import { GOV_SITES, MAIN_GOV_SITES } from "./gov-hosts.ts";
import type { SearchCategory } from "./provider.ts";

/** Where research is published (api-contract.md, “Search options”). */
const RESEARCH_SITES = [
  "arxiv.org", "scholar.google.com", "pubmed.ncbi.nlm.nih.gov", "researchgate.net", "nature.com", "science.org",
  "ieee.org", "acm.org", "springer.com", "wiley.com", "sciencedirect.com", "plos.org", "biorxiv.org", "medrxiv.org",
]; // prettier-ignore

const DEVELOPER_SITES = [
  "github.com", "gitlab.com", "stackoverflow.com", "developer.mozilla.org", "readthedocs.io", "docs.rs", "npmjs.com",
  "pypi.org", "dev.to",
]; // prettier-ignore

const SITES: Partial<Record<SearchCategory, readonly string[]>> = {
  github: ["github.com"],
  research: RESEARCH_SITES,
  developer: DEVELOPER_SITES,
  gov: MAIN_GOV_SITES,
};

/** The sites that engines restrict a category to; empty when the category is defined in another way. */
export function sitesOfCategory(category: SearchCategory | undefined): readonly string[] {
  return category === undefined ? [] : (SITES[category] ?? []);
}

/** All sites that make up a category; empty when the category is defined in another way. */
export function allSitesOfCategory(category: SearchCategory | undefined): readonly string[] {
  return category === "gov" ? GOV_SITES : sitesOfCategory(category);
}
