import { portableHeaders } from "../core/url/portable-headers.ts";
import type { ScrapeOptions } from "./scrape-options.ts";

/** Returns the options for a page of another site than was requested: it learns what the caller takes, and not who it is. */
export function portableOptions({ headers, ...options }: ScrapeOptions): ScrapeOptions {
  return headers === undefined ? options : { ...options, headers: portableHeaders(headers) };
}
