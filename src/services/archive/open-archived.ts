import { openPage } from "../../content/page-view.ts";
import type { Owner } from "../../core/fair-order.ts";
import type { Deps } from "../deps.ts";
import { withReader } from "../parse/with-reader.ts";
import { withRecogniser } from "../parse/with-recogniser.ts";
import type { LoadedThroughCache } from "../scrape/load-through-cache.ts";
import type { ScrapePlan } from "../scrape/scrape-plan.ts";
import { loadArchived, type ArchivedJob } from "./page-archive.ts";

type OpenDeps = Pick<Deps, "blobs" | "clock" | "conversions"> & Partial<Pick<Deps, "readApart" | "ocr">>;

interface ToOpen {
  from: ArchivedJob;
  itemUrl: string;
  owner: Owner;
  deadlineMs: number;
}

/** Opens a page of an archive in place of loading it. @throws AppError `SCRAPE_NO_CACHED_DATA` when there is none */
export async function openArchived(
  deps: OpenDeps,
  plan: ScrapePlan,
  { from, itemUrl, owner, deadlineMs }: ToOpen,
): Promise<LoadedThroughCache> {
  const startedAtMs = deps.clock.now();
  const page = await loadArchived(deps, from, itemUrl);
  await deps.conversions.admit(owner);
  const ms = deps.clock.now() - startedAtMs;
  const read = withReader(plan.open, deps.readApart?.(owner));
  const view = await openPage(page, withRecogniser(read, deps.ocr, { deadlineMs, owner }));
  return { view, attempts: [{ engine: "cache", outcome: "loaded", ms }], obstacle: undefined, cacheState: "hit" };
}
