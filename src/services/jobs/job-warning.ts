import { registrableDomain } from "../../core/url/registrable-domain.ts";
import type { JobRecord } from "../../core/jobs/job.ts";
import { hasZeroRetention } from "../../core/jobs/zero-retention.ts";
import { HANDOVER_SECONDS } from "./forget-job.ts";
import { toAbsoluteUrl } from "../../core/url/url.ts";
import type { JobProgress } from "../../ports/crawl/frontier.ts";

const HANDED_OVER =
  "zeroDataRetention: the documents are deleted when they have been read to their end once, " +
  `and ${HANDOVER_SECONDS / 60} minutes after the job's end in any case; with a webhook, not before its last event is delivered or given up.`;

const LIST_CUT =
  "More URLs were found than a crawl lists: 1,000,000 that its rules leave out, and 500,000 beyond its limit. Further ones are neither listed nor counted.";

/**
 * Returns the warning of a job that has ended (api-contract.md, “Job status”), or what a running one waits for; undefined when
 * there is none.
 */
export function jobWarning(job: JobRecord, progress: JobProgress): string | undefined {
  if (progress.status === "scraping") return waitWarning(progress.waitsUntilMs);
  const warnings = [
    hasZeroRetention(job) ? HANDED_OVER : undefined,
    progress.status === "cancelled" ? pagesInFlightWarning(progress.inFlight) : undefined,
    progress.changes === undefined ? undefined : changesWarning(progress.changes),
    sitemapWarning(progress),
    progress.isListCut === true ? LIST_CUT : undefined,
    progress.outOfCredits ? "The key's credits ran out; the rest of the pages was not scraped." : undefined,
    job.kind === "crawl" && progress.robotsBlocked > 0
      ? `${progress.robotsBlocked} page(s) were left out because the site's robots.txt disallows them. Pages of your own can be scraped one by one with the /scrape endpoint.`
      : undefined,
    job.kind === "crawl" && progress.completed <= 1 && !hasZeroRetention(job)
      ? fewResults(job.target, progress.completed)
      : undefined,
  ].filter((warning) => warning !== undefined);
  return warnings.length === 0 ? undefined : warnings.join(" ");
}

function waitWarning(waitsUntilMs: number | undefined): string | undefined {
  if (waitsUntilMs === undefined) return undefined;
  return (
    `The next page is requested at ${new Date(waitsUntilMs).toISOString()}: ` +
    "the site asked for a pause (Retry-After or Crawl-delay), or pages that failed are tried again then."
  );
}

function changesWarning({ isCompared, lacksSitemap }: NonNullable<JobProgress["changes"]>): string | undefined {
  if (!isCompared)
    return "since: the crawl ended before it had read every page, so pages that are no longer found are not among the removed ones.";
  return lacksSitemap
    ? "since: no sitemap could be read, or not all of them, so pages that only a sitemap named are not among the removed ones."
    : undefined;
}

/** Returns the warning about sitemaps that were not read; undefined where every page that the limit allows was found. */
function sitemapWarning({ sitemapProblems = [], completed, limit }: JobProgress): string | undefined {
  if (sitemapProblems.length === 0 || completed >= (limit ?? Infinity)) return undefined;
  return `Not every sitemap could be read, so pages that only a sitemap names may be missing: ${sitemapProblems.join("; ")}.`;
}

/** Returns the warning about pages in progress when their job was cancelled; undefined when there are none. */
export function pagesInFlightWarning(pages: number): string | undefined {
  if (pages === 0) return undefined;
  return `Up to ${pages} page(s) were being scraped when the job was cancelled; those that had begun are finished, listed and paid.`;
}

function fewResults(target: string, count: number): string | undefined {
  const url = new URL(toAbsoluteUrl(target));
  if (url.pathname === "/" && url.search === "") return undefined;
  const domain = registrableDomain(url.hostname) ?? url.hostname;
  return `Only ${count} result(s) found. To find more, crawl a higher-level path, such as ${domain}, or set crawlEntireDomain=true.`;
}
