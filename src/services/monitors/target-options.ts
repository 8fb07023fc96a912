import type { MonitorTarget } from "../../core/monitors/monitor.ts";
import { checkStored } from "../../core/stored-state.ts";
import { keepsTls } from "../../core/url/portable-headers.ts";
import { isSameSite } from "../../core/url/registrable-domain.ts";
import { toAbsoluteUrl } from "../../core/url/url.ts";
import { portableOptions } from "../../formats/portable-options.ts";
import { ScrapeOptions } from "../../formats/scrape-options.ts";

export type ReadTarget = Exclude<MonitorTarget, { type: "search" }>;

/**
 * Returns the scrape options of a stored target.
 * @throws AppError STORED_STATE_UNREADABLE for options that an earlier version accepted and this one does not.
 */
export function optionsOfTarget({ scrapeOptions = {} }: ReadTarget): ScrapeOptions {
  return checkStored(ScrapeOptions, scrapeOptions, "target of a monitor");
}

/** Returns the scrape options of a stored target for estimates: none where this version does not accept them. */
export function knownOptionsOfTarget({ scrapeOptions = {} }: ReadTarget): ScrapeOptions {
  return ScrapeOptions.safeParse(scrapeOptions).data ?? {};
}

/** Returns the options for a page. One of another site than the target's, which has moved, sees none of the caller's headers. */
export function optionsOfPage(target: ReadTarget, url: string): ScrapeOptions {
  const options = optionsOfTarget(target);
  if (target.type !== "crawl") return options;
  const [page, site] = [new URL(url), new URL(toAbsoluteUrl(target.url))];
  const isOwn = isSameSite(page, site) && keepsTls(page, site);
  return isOwn ? options : portableOptions(options);
}
