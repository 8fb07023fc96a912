import { openPage } from "../../content/page-view.ts";
import { AppError } from "../../core/errors.ts";
import type { Owner } from "../../core/fair-order.ts";
import type { Attempt } from "../../core/scrape/page.ts";
import { loadPage, type Loaded } from "../../engines/waterfall.ts";
import type { CachedPage, PageCacheKey } from "../../ports/storage/stores.ts";
import type { Deps } from "../deps.ts";
import type { ScrapePlan } from "./scrape-plan.ts";

/** A loaded page, with the result of the cache lookup. */
export interface LoadedThroughCache extends Loaded {
  /** Undefined when the cache was not consulted. */
  cacheState: "hit" | "miss" | undefined;
}

type CacheDeps = Pick<
  Deps,
  "settings" | "clock" | "engines" | "conversions" | "readApart" | "pageCache" | "defer" | "sleep"
>;

/**
 * Returns a page from the cache where the plan allows it; otherwise loads it, and stores it.
 * @throws AppError `SCRAPE_NO_CACHED_DATA` or `SCRAPE_LOCKDOWN_CACHE_MISS` when only the cache may be used and has no
 * such page.
 */
export async function loadThroughCache(
  deps: CacheDeps,
  plan: ScrapePlan,
  { deadlineMs, keep, owner }: { deadlineMs: number; keep: boolean; owner: Owner },
): Promise<LoadedThroughCache> {
  const startedAtMs = deps.clock.now();
  const key = cacheKeyOf(deps, plan, owner.teamId);
  const cached = await findCached(deps, plan, key);
  const cacheMs = deps.clock.now() - startedAtMs;
  const readApart = deps.readApart?.(owner);
  const open = { ...plan.open, ...(readApart && { readApart }) };
  if (cached !== undefined) {
    await deps.conversions.admit(owner);
    const attempts: Attempt[] = [{ engine: "cache", outcome: "loaded", ms: cacheMs }];
    return { view: await openPage(cached.page, open), attempts, obstacle: undefined, cacheState: "hit" };
  }
  assertMayLoad(plan);

  const { ownHosts } = deps.settings;
  const loaded = await loadPage(deps, { ...plan.page, deadlineMs, ownHosts, owner }, open);
  const cacheState = plan.cache.read === undefined ? undefined : "miss";
  if (cacheState === "miss")
    loaded.attempts.unshift({ engine: "cache", outcome: "insufficient", reason: "miss", ms: cacheMs });
  if (keep) storeInCache(deps, plan, { loaded, key });
  return { ...loaded, cacheState };
}

/**
 * Returns the cache key. A page is cached for the team that loaded it, since sites may show each team something else,
 * unless the settings share the cache.
 */
function cacheKeyOf({ settings }: CacheDeps, { cache }: ScrapePlan, teamId: string): PageCacheKey {
  return { ...cache.key, team: settings.sharesPageCache ? "" : teamId };
}

async function findCached(deps: CacheDeps, plan: ScrapePlan, key: PageCacheKey): Promise<CachedPage | undefined> {
  if (plan.cache.read === undefined) return undefined;
  return deps.pageCache.find(key, {
    ...plan.cache.read,
    waitForMs: plan.page.waitForMs,
    nowMs: deps.clock.now(),
  });
}

function assertMayLoad({ cache }: ScrapePlan): void {
  if (cache.only === "lockdown") throw new AppError("SCRAPE_LOCKDOWN_CACHE_MISS");
  if (cache.only === "minAge") throw new AppError("SCRAPE_NO_CACHED_DATA");
}

/** Stores a page, but no errors and walls. The response does not wait for the store. */
function storeInCache(deps: CacheDeps, plan: ScrapePlan, { loaded, key }: { loaded: Loaded; key: PageCacheKey }): void {
  const { view, obstacle, attempts } = loaded;
  // A page with a certificate error, or in pieces, is only for the caller that accepted it.
  if (attempts.some(({ reason }) => reason === "SCRAPE_SSL_ERROR" || reason === "SCRAPE_SITE_ERROR")) return;
  if (view.loaded.isIncomplete === true) return;
  if (!plan.cache.store || obstacle !== undefined || view.loaded.statusCode >= 400) return;
  const entry = {
    key,
    // Only the browser engine waits.
    waitForMs: view.loaded.engine === "browser" ? plan.page.waitForMs : 0,
    storedAtMs: deps.clock.now(),
    page: view.loaded,
  };
  deps.defer(deps.pageCache.store(entry));
}
