import { openPage } from "../../content/page-view.ts";
import { AppError } from "../../core/errors.ts";
import type { Owner } from "../../core/fair-order.ts";
import type { Attempt } from "../../core/scrape/page.ts";
import { loadPage, type Loaded } from "../../engines/waterfall.ts";
import type { CachedPage, PageCacheKey } from "../../ports/storage/stores.ts";
import type { Deps } from "../deps.ts";
import type { ScrapePlan } from "./scrape-plan.ts";

/** A loaded page with the cache's part in it. */
export interface LoadedThroughCache extends Loaded {
  /** Undefined when the cache was not consulted. */
  cacheState: "hit" | "miss" | undefined;
}

type CacheDeps = Pick<
  Deps,
  "settings" | "clock" | "engines" | "conversions" | "readDocument" | "pageCache" | "defer" | "sleep"
>;

/**
 * Takes a page from the cache where the plan allows it, loads it otherwise, and stores what was loaded.
 * @throws AppError `SCRAPE_NO_CACHED_DATA` or `SCRAPE_LOCKDOWN_CACHE_MISS` when only the cache may answer and cannot.
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
  const open = { ...plan.open, readDocument: deps.readDocument };
  if (cached !== undefined) {
    await deps.conversions.turn(owner);
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

/** A page is for the team that has loaded it: what a site has shown to one need not be for all, unless the settings say so. */
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

/** Errors and walls are not what the next caller wants to see. The answer does not wait for the store. */
function storeInCache(deps: CacheDeps, plan: ScrapePlan, { loaded, key }: { loaded: Loaded; key: PageCacheKey }): void {
  const { view, obstacle, attempts } = loaded;
  // A page behind a bad certificate, or in pieces, is for the caller who took it as it was.
  if (attempts.some(({ reason }) => reason === "SCRAPE_SSL_ERROR" || reason === "SCRAPE_SITE_ERROR")) return;
  if (view.loaded.isIncomplete === true) return;
  if (!plan.cache.store || obstacle !== undefined || view.loaded.statusCode >= 400) return;
  const entry = {
    key,
    // Only a browser waits.
    waitForMs: view.loaded.engine === "browser" ? plan.page.waitForMs : 0,
    storedAtMs: deps.clock.now(),
    page: view.loaded,
  };
  deps.defer(deps.pageCache.store(entry));
}
