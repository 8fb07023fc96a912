import { openPage } from "../../content/page-view.ts";
import { AppError } from "../../core/errors.ts";
import type { Owner } from "../../core/fair-order.ts";
import type { WaitLimit } from "../../core/waits/wait-for-grant.ts";
import type { Attempt } from "../../core/scrape/attempt.ts";
import { hasContent, READ_AS_FILE } from "../../core/scrape/page.ts";
import { loadPage, type Loaded } from "../../engines/waterfall.ts";
import type { CachedPage } from "../../ports/storage/stores.ts";
import type { Deps } from "../deps.ts";
import { withReader } from "../parse/with-reader.ts";
import { withRecogniser } from "../parse/with-recogniser.ts";
import { profileForPage, type PageProfile } from "../sessions/scrape-profile.ts";
import { lookUpPage, type PageLookup } from "./look-up-page.ts";
import type { ScrapePlan } from "./scrape-plan.ts";

/** A loaded page, with the result of the cache lookup. */
export interface LoadedThroughCache extends Loaded {
  /** Undefined when the cache was not consulted. */
  cacheState: "hit" | "miss" | undefined;
  /** Time at which a page of the cache was stored, in ms since the epoch; absent for a page that was loaded. */
  storedAtMs?: number;
  /** The entry of the page in the cache: to be stored, or, without the page, where it is. Absent where none is kept. */
  cached?: CachedPage | Omit<CachedPage, "page">;
}

type CacheDeps = Pick<
  Deps,
  | "settings"
  | "clock"
  | "engines"
  | "conversions"
  | "readApart"
  | "ocr"
  | "pageCache"
  | "profiles"
  | "sleep"
  | "log"
  | "memory"
>;

interface LoadOptions {
  deadlineMs: number;
  /** True when the page may be stored in the cache. */
  keep: boolean;
  owner: Owner;
  /** True for a page of a job or a search, which is loaded also where the profile has nothing for its site. */
  isOneOfMany?: boolean;
  /** True when the caller loads the page again after a temporary status. */
  isRetriedLater?: boolean;
  /** When the page stops waiting for its turn to be converted. Default: never. */
  waitLimit?: WaitLimit | undefined;
  /** Returns the number of pages of a PDF that the caller's credits pay for. */
  affordablePages?: (() => Promise<number>) | undefined;
  /** The result of an earlier lookup. */
  lookup?: PageLookup;
}

const CACHE_FAILED = "The page cache did not answer, so the page was loaded.";
/** Warnings that say nothing of the page to later requests, which do not receive a document with one. */
const OF_ONE_REQUEST: ReadonlySet<string> = new Set([CACHE_FAILED, READ_AS_FILE]);

/** Reports whether a page has a warning about the request that loaded it. */
export function isOfOneRequest({ view }: LoadedThroughCache): boolean {
  return view.loaded.warnings.some((warning) => OF_ONE_REQUEST.has(warning));
}

/**
 * Returns a page from the cache where the plan allows it; otherwise loads it. The caller stores it.
 * @throws AppError `SCRAPE_NO_CACHED_DATA` or `SCRAPE_LOCKDOWN_CACHE_MISS` when only the cache may be used and has no
 * such page; PROFILE_NOT_FOUND, PROFILE_FOREIGN_ORIGIN, PROFILE_EXPIRED and others for the profile of the plan.
 */
export async function loadThroughCache(
  deps: CacheDeps,
  plan: ScrapePlan,
  options: LoadOptions,
): Promise<LoadedThroughCache> {
  const { deadlineMs, keep, owner, isOneOfMany = false, isRetriedLater = false, waitLimit, lookup: given } = options;
  const lookup = given ?? (await lookUpPage(deps, plan, { teamId: owner.teamId }));
  const { found, ms } = lookup;
  const read = withReader(plan.open, deps.readApart?.(owner, waitLimit));
  const { affordablePages } = options;
  const open = { ...withRecogniser(read, deps.ocr, { deadlineMs, owner }), affordablePages };
  const mayStore = keep && plan.cache.store;
  if (found?.kind === "page") {
    await deps.conversions.admit(owner, waitLimit);
    const { page, ...cached } = found.found;
    const attempts: Attempt[] = [{ engine: "cache", outcome: "loaded", ms }];
    const view = await openPage(page, open);
    const { storedAtMs } = cached;
    return { view, attempts, obstacle: undefined, cacheState: "hit", storedAtMs, ...(mayStore ? { cached } : {}) };
  }
  assertMayLoad(plan);

  const { ownHosts } = deps.settings;
  const profile = await profileOf(deps, plan, { owner, isOneOfMany });
  const loads = { deadlineMs, ownHosts, owner, waitLimit, isRetriedLater };
  const request = { ...plan.page, ...loads, ...(profile && { profile: profile.state }) };
  const loaded = await loadPage(deps, request, open);
  if (profile?.warning !== undefined) loaded.view.loaded.warnings.push(profile.warning);
  const cacheState = plan.cache.read === undefined ? undefined : "miss";
  if (cacheState === "miss") loaded.attempts.unshift({ engine: "cache", outcome: "insufficient", reason: "miss", ms });
  if (lookup.hasFailed) loaded.view.loaded.warnings.push(CACHE_FAILED);
  const isKept = mayStore && isStorable(loaded, plan);
  return { ...loaded, cacheState, ...(isKept ? { cached: toEntry(deps, plan, loaded, lookup) } : {}) };
}

async function profileOf(
  deps: CacheDeps,
  plan: ScrapePlan,
  { owner: { teamId }, isOneOfMany }: { owner: Owner; isOneOfMany: boolean },
): Promise<PageProfile | undefined> {
  if (plan.profile === undefined) return undefined;
  return await profileForPage(deps, { teamId, name: plan.profile }, { url: plan.page.url, isOneOfMany });
}

function assertMayLoad({ cache }: ScrapePlan): void {
  if (cache.only === "lockdown") throw new AppError("SCRAPE_LOCKDOWN_CACHE_MISS");
  if (cache.only === "minAge") throw new AppError("SCRAPE_NO_CACHED_DATA");
}

/** Reports whether later scrapes may use a page: no errors, walls and responses without the content of the page. */
function isStorable({ view, obstacle, attempts }: Loaded, { page }: ScrapePlan): boolean {
  // A file has no screenshot, which those who find the entry ask for.
  if (page.screenshot !== undefined && view.loaded.screenshot === undefined) return false;
  // A page with a certificate error, or in pieces, is only for the caller that accepted it.
  if (attempts.some(({ reason }) => reason === "SCRAPE_SSL_ERROR" || reason === "SCRAPE_SITE_ERROR")) return false;
  return view.loaded.isIncomplete !== true && obstacle === undefined && hasContent(view.loaded.statusCode);
}

function toEntry({ clock }: CacheDeps, plan: ScrapePlan, { view }: Loaded, { key }: PageLookup): CachedPage {
  const { loaded } = view;
  const warnings = loaded.warnings.filter((warning) => !OF_ONE_REQUEST.has(warning));
  return {
    key,
    // Only the browser engine waits.
    waitForMs: loaded.engine === "browser" ? plan.page.waitForMs : 0,
    storedAtMs: clock.now(),
    page: warnings.length < loaded.warnings.length ? { ...loaded, warnings } : loaded,
  };
}
