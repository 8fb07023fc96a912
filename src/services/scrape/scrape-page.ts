import { ownerOf } from "../../core/fair-order.ts";
import { placeOfPage } from "../../core/scrape/cache-key.ts";
import { newScrapeId } from "../../core/scrape/scrape-id.ts";
import type { ScrapeOptions } from "../../formats/scrape-options.ts";
import type { Caller, Deps, Payer } from "../deps.ts";
import { INDEXING_COSTS, indexPages, isIndexed } from "./index-pages.ts";
import { documentShape } from "./document-shape.ts";
import { loadThroughCache } from "./load-through-cache.ts";
import { lookUpPage } from "./look-up-page.ts";
import { planPage } from "./plan-page.ts";
import { repeatDocument } from "./repeat-document.ts";
import { runScrape, type ScrapeResult } from "./run-scrape.ts";
import { withScrapeAccount } from "./scrape-credits.ts";
import type { ScrapeDefaults } from "./scrape-plan.ts";
import { storeScrape } from "./store-scrape.ts";
import { Timeline } from "./timeline.ts";

/** Request to scrape one page. */
export interface ScrapeRequest {
  /** Set when the scrape was queued; otherwise created here. */
  id?: string;
  /** URL as the caller wrote it. */
  url: string;
  options: ScrapeOptions;
  defaults: ScrapeDefaults;
  apiVersion: "v1" | "v2";
  zeroDataRetention: boolean;
  /** Scheme and host by which the caller reaches this service; files are published there. */
  publicOrigin: string;
}

/** Response of a scrape: the document with the JSON text that is stored, and the duration of each step. */
export type ScrapeResponse = Pick<ScrapeResult, "id" | "document" | "json" | "creditsUsed" | "timeline" | "engine">;

type ScrapeDeps = Pick<
  Deps,
  | "settings"
  | "clock"
  | "meter"
  | "engines"
  | "admission"
  | "conversions"
  | "ocr"
  | "keyLedger"
  | "changeHistory"
  | "searchProviders"
  | "paperSources"
  | "pageCache"
  | "profiles"
  | "pageIndex"
  | "scrapes"
  | "files"
  | "defer"
  | "sleep"
  | "llm"
  | "textTasks"
  | "log"
  | "telemetry"
>;

/**
 * Loads one page and derives every requested format from it, when the owner of the key is next. The caller's credits are
 * refunded on failure.
 * @param takeCredits takes the credits, or refuses the request; runs first. Without it they have been taken already.
 * @throws AppError with the code of the failure; ScrapeNotStored when a queued scrape could not be stored.
 */
export async function scrapePage(
  deps: ScrapeDeps,
  caller: Payer,
  request: ScrapeRequest,
  takeCredits?: () => Promise<void>,
): Promise<ScrapeResponse> {
  // The timeout includes the wait for admission.
  const createdAtMs = deps.clock.now();
  const timeline = new Timeline(deps);
  return await deps.admission.run(ownerOf(caller.key), async (holdFor) => {
    timeline.add("queue", deps.clock.now() - createdAtMs);
    await takeCredits?.();
    const defer = (work: Promise<unknown>): void => {
      holdFor(work);
      deps.defer(work);
    };
    return await scrapeOrRefund({ ...deps, defer }, caller, { request, createdAtMs, timeline });
  });
}

async function scrapeOrRefund(
  deps: ScrapeDeps,
  caller: Payer,
  { request, createdAtMs, timeline }: { request: ScrapeRequest; createdAtMs: number; timeline: Timeline },
): Promise<ScrapeResponse> {
  return await withScrapeAccount(deps, caller, {
    request,
    run: async (account) => {
      const plan = planPage(deps, request);
      const owner = ownerOf(caller.key);
      const { teamId } = caller.key;
      const shape = await documentShape(plan, request, teamId);
      // The document of queued work is stored under the id that its caller has been told.
      const lookup = await lookUpPage(deps, plan, { teamId, ...(request.id === undefined ? { shape } : {}) });
      if (lookup.found?.kind === "document") {
        return await repeatDocument(deps, lookup.found.found, { account, timeline, ms: lookup.ms });
      }
      const id = request.id ?? newScrapeId(placeOfPage(lookup.key));
      const result = await runScrape(deps, {
        id,
        plan,
        request,
        owner,
        createdAtMs,
        work: request.id,
        mustStore: request.id !== undefined,
        timeline,
        account,
        load: () =>
          loadThroughCache(deps, plan, {
            deadlineMs: createdAtMs + plan.timeoutMs,
            keep: !request.zeroDataRetention,
            owner,
            lookup,
          }),
        store: (text, { cached, view }) =>
          storeScrape(deps, caller, {
            ...text,
            id,
            request,
            createdAtMs,
            // A document with a warning about this scrape's lookup, or without all of its text, is not the result of later ones.
            cached: {
              page: cached,
              shape: lookup.hasFailed || view.document?.isPartial === true ? undefined : shape,
            },
          }),
      });
      indexLater(deps, caller, { request, result });
      const { document, json, creditsUsed, engine } = result;
      return { id, document, json, creditsUsed, timeline, engine };
    },
  });
}

/** Adds the page to the search index of the caller's team, after the response. */
function indexLater(
  deps: ScrapeDeps,
  { key }: Caller,
  { request, result }: { request: ScrapeRequest; result: ScrapeResult },
): void {
  if (!isIndexed(deps, request)) return;
  // The receipt is sent before the rows are written.
  deps.meter.expect(INDEXING_COSTS);
  const index = async (): Promise<void> => {
    await deps.sleep(0);
    const page = result.toIndexed();
    if (page !== undefined) await indexPages(deps, key.teamId, [page]);
  };
  deps.defer(index());
}
