import type { Owner } from "../../core/fair-order.ts";
import { isAppError } from "../../core/errors.ts";
import type { Deps } from "../deps.ts";
import { loadThroughCache } from "../scrape/load-through-cache.ts";
import { planEgress } from "../scrape/plan-egress.ts";
import { planScrape } from "../scrape/scrape-plan.ts";

export type PageTextDeps = Pick<
  Deps,
  | "settings"
  | "clock"
  | "clientLeft"
  | "engines"
  | "conversions"
  | "pageCache"
  | "defer"
  | "sleep"
  | "log"
  | "memory"
  | "textTasks"
>;

/** Options for loading the text of a page. */
export interface PageTextOptions {
  deadlineMs: number;
  /** True when it may be stored in the cache. */
  keep: boolean;
  owner: Owner;
}

const LOAD_TIMEOUT_MS = 8_000;

/** Loads the text of a page as Markdown, in fast mode and for at most 8 s; undefined when it cannot be loaded. */
export async function pageText(
  deps: PageTextDeps,
  url: string,
  { deadlineMs, keep, owner }: PageTextOptions,
): Promise<string | undefined> {
  const untilMs = Math.min(deadlineMs, deps.clock.now() + LOAD_TIMEOUT_MS);
  try {
    const loaded = await loadThroughCache(
      { ...deps, profiles: undefined },
      planEgress(planScrape(url, { fastMode: true }), deps.settings.egress, "basic"),
      {
        deadlineMs: untilMs,
        keep,
        owner,
        waitLimit: { deadlineMs: untilMs, left: deps.clientLeft },
      },
    );
    const { cached } = loaded;
    if (cached !== undefined && "page" in cached) deps.defer(deps.pageCache.store(cached));
    if (loaded.obstacle !== undefined || loaded.view.loaded.statusCode >= 400) return undefined;
    return loaded.view.markdown({ removeBase64Images: true });
  } catch (error) {
    if (!isAppError(error)) deps.log({ event: "page_text_failed", message: String(error) });
    return undefined;
  }
}
