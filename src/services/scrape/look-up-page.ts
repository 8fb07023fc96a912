import { AppError, stackOf } from "../../core/errors.ts";
import type { FoundPage, PageCacheKey } from "../../ports/storage/stores.ts";
import type { Deps } from "../deps.ts";
import type { ScrapePlan } from "./scrape-plan.ts";

/** Result of a lookup in the page cache. */
export interface PageLookup {
  key: PageCacheKey;
  /** Undefined when there is no such page, or the cache was not consulted. */
  found: FoundPage | undefined;
  ms: number;
  /** True when the cache did not answer. */
  hasFailed: boolean;
}

type LookupDeps = Pick<Deps, "settings" | "clock" | "pageCache" | "log">;

/**
 * Looks a page up in the cache where the plan allows it.
 * @param shape of the document that the scrape derives, if it may be an earlier one.
 * @throws AppError `SERVICE_UNAVAILABLE` when only the cache may be used and it does not answer.
 */
export async function lookUpPage(
  deps: LookupDeps,
  plan: ScrapePlan,
  { teamId, shape }: { teamId: string; shape?: string | undefined },
): Promise<PageLookup> {
  const startedAtMs = deps.clock.now();
  const key = cacheKeyOf(deps, plan, teamId);
  const { read, only } = plan.cache;
  if (read === undefined) return { key, found: undefined, ms: 0, hasFailed: false };
  const bounds = { ...read, waitForMs: plan.page.waitForMs, nowMs: startedAtMs };
  try {
    const found = await deps.pageCache.find(key, bounds, shape);
    return { key, found, ms: deps.clock.now() - startedAtMs, hasFailed: false };
  } catch (error) {
    deps.log({ event: "page_cache_failed", message: stackOf(error) });
    if (only !== undefined)
      throw new AppError("SERVICE_UNAVAILABLE", undefined, { cause: error, retryAfterSeconds: 1 });
    return { key, found: undefined, ms: deps.clock.now() - startedAtMs, hasFailed: true };
  }
}

/**
 * Returns the cache key. A page is cached for the team that loaded it, since sites may show each team something else,
 * unless the settings share the cache.
 */
export function cacheKeyOf({ settings }: Pick<Deps, "settings">, { cache }: ScrapePlan, teamId: string): PageCacheKey {
  return { ...cache.key, team: settings.sharesPageCache ? "" : teamId };
}
