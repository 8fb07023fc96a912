import type { MonitorTarget } from "../../core/monitors/monitor.ts";
import { checkStored } from "../../core/stored-state.ts";
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
