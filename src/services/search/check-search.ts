import { assertKnownProxy } from "../../core/egress-routes.ts";
import { AppError } from "../../core/errors.ts";
import type { Deps } from "../deps.ts";
import type { SearchRequest } from "./search-and-scrape.ts";

/**
 * Checks what the names of a search stand for in this deployment, before anything is charged.
 * @throws AppError `INVALID_SEARCH` for unknown providers, `BAD_REQUEST` for an unknown proxy of pages to scrape.
 */
export function checkSearch(
  { searchProviders, settings }: Pick<Deps, "searchProviders" | "settings">,
  { search, scrapeOptions }: SearchRequest,
): void {
  const known = searchProviders.map(({ name }) => name);
  const unknown = (search.providers ?? []).filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    const message = `providers: this deployment has no ${unknown.join(", ")}; it has ${known.join(", ")}`;
    throw new AppError("INVALID_SEARCH", message);
  }
  if ((scrapeOptions.formats ?? []).length > 0) assertKnownProxy(settings.egress, scrapeOptions.proxy);
}
