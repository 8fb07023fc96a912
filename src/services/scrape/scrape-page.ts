import { NOT_MODIFIED } from "../../core/scrape/page.ts";
import { ownerOf } from "../../core/fair-order.ts";
import type { WaitLimit } from "../../core/waits/wait-for-grant.ts";
import { placeOfPage } from "../../core/scrape/cache-key.ts";
import { pageSourceOf, type PageSource } from "../../core/scrape/page-source.ts";
import { newScrapeId } from "../../core/scrape/scrape-id.ts";
import type { ScrapeOptions } from "../../formats/scrape-options.ts";
import type { Caller, Deps, Payer } from "../deps.ts";
import { validatorsOf } from "../crawl/page-version-of.ts";
import { INDEXING_COSTS, indexPages, isIndexed } from "./index-pages.ts";
import { documentShape } from "./document-shape.ts";
import { isOfOneRequest, loadThroughCache } from "./load-through-cache.ts";
import { lookUpPage, type PageLookup } from "./look-up-page.ts";
import { planPage } from "./plan-page.ts";
import { repeatDocument } from "./repeat-document.ts";
import { runScrape, type ScrapeResult } from "./run-scrape.ts";
import { affordablePages, withScrapeAccount } from "./scrape-credits.ts";
import { timeoutOfScrape, type ScrapeDefaults, type ScrapePlan } from "./scrape-plan.ts";
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
  /** Validators of an earlier response, with which the page is requested. */
  validators?: { etag?: string | undefined; lastModified?: string | undefined };
  /** True for a page of a search, a check or a step job: it is loaded also where the profile has nothing for its site. */
  isOneOfMany?: boolean;
  /** True where the response is to have the source of the document. */
  namesSource?: boolean;
}

/** The site has answered that the page has not changed since the response with these validators. */
export class PageNotModified extends Error {
  /** URL after redirects. */
  readonly url: string;

  constructor(url: string) {
    super("The page has not changed");
    this.name = "PageNotModified";
    this.url = url;
  }
}

/** Response of a scrape: the document with the JSON text that is stored, and the duration of each step. */
export type ScrapeResponse = Pick<ScrapeResult, "id" | "document" | "json" | "creditsUsed" | "timeline" | "engine"> & {
  /** Validators of the response, for a page that was loaded without a browser. */
  validators?: { etag?: string | undefined; lastModified?: string | undefined };
  /** Source of the document, where the request asks for it and the document was derived. */
  source?: PageSource;
};

type ScrapeDeps = Pick<
  Deps,
  | "settings"
  | "clock"
  | "clientLeft"
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
  | "memory"
>;

/**
 * Loads one page and derives every requested format from it, when the owner of the key is next. The caller's credits are
 * refunded on failure. What waits when the timeout is over, or when the client leaves, is not begun.
 * @param takeCredits takes the credits, or refuses the request; runs beside the lookup in the cache, which a caller far from
 * both stores waits for once, and before all else. Without it the credits have been taken already.
 * @throws AppError with the code of the failure; ScrapeNotStored when a queued scrape could not be stored; PageNotModified
 * when the site answers 304 to the validators of the request.
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
  const timeoutMs = timeoutOfScrape(request.options, request.defaults);
  const waitLimit = { deadlineMs: createdAtMs + timeoutMs, left: deps.clientLeft };
  let isBegun = false;
  const work = async (holdFor: (rest: Promise<unknown>) => void): Promise<ScrapeResponse> => {
    isBegun = true;
    timeline.add("queue", deps.clock.now() - createdAtMs);
    const preparing = prepare(deps, caller, request);
    // A refusal comes first; a failure is thrown where the credits are refunded.
    preparing.catch(() => undefined);
    await takeCredits?.();
    const defer = (work: Promise<unknown>): void => {
      holdFor(work);
      deps.defer(work);
    };
    const begun = { request, createdAtMs, timeline, preparing, waitLimit };
    return await scrapeOrRefund({ ...deps, defer }, caller, begun);
  };
  return await deps.admission.run(ownerOf(caller.key), work, waitLimit).catch((error: unknown) => {
    if (isBegun || takeCredits !== undefined) throw error;
    return withScrapeAccount(deps, caller, { request, run: () => Promise.reject(error as Error) });
  });
}

/** A planned scrape, with what the cache has of its page. */
interface Prepared {
  plan: ScrapePlan;
  shape: string | undefined;
  lookup: PageLookup;
}

async function prepare(deps: ScrapeDeps, { key }: Payer, request: ScrapeRequest): Promise<Prepared> {
  const { validators } = request;
  const planned = planPage(deps, request);
  const plan = validators === undefined ? planned : { ...planned, page: { ...planned.page, validators } };
  const shape = await documentShape(plan, request, key.teamId);
  // The document of queued work is stored under the id that its caller has been told.
  const facts = { teamId: key.teamId, ...(request.id === undefined ? { shape } : {}) };
  return { plan, shape, lookup: await lookUpPage(deps, plan, facts) };
}

interface BegunScrape {
  request: ScrapeRequest;
  createdAtMs: number;
  timeline: Timeline;
  preparing: Promise<Prepared>;
  waitLimit: WaitLimit;
}

async function scrapeOrRefund(
  deps: ScrapeDeps,
  caller: Payer,
  { request, createdAtMs, timeline, preparing, waitLimit }: BegunScrape,
): Promise<ScrapeResponse> {
  return await withScrapeAccount(deps, caller, {
    request,
    run: async (account) => {
      const { validators } = request;
      const { plan, shape, lookup } = await preparing;
      const owner = ownerOf(caller.key);
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
        waitLimit,
        load: async () => {
          const deadlineMs = createdAtMs + plan.timeoutMs;
          const keep = !request.zeroDataRetention;
          const { isOneOfMany = false } = request;
          const loaded = await loadThroughCache(deps, plan, {
            deadlineMs,
            keep,
            owner,
            isOneOfMany,
            lookup,
            waitLimit,
            affordablePages: affordablePages(deps, caller, request),
          });
          const { statusCode, url } = loaded.view.loaded;
          if (validators !== undefined && statusCode === NOT_MODIFIED) throw new PageNotModified(url);
          return loaded;
        },
        store: (text, loaded) =>
          storeScrape(deps, caller, {
            ...text,
            id,
            request,
            createdAtMs,
            // A document with a warning about this scrape, or without all of its text, is not the result of later ones.
            cached: {
              page: loaded.cached,
              shape: isOfOneRequest(loaded) || loaded.view.document?.isPartial === true ? undefined : shape,
            },
          }),
      });
      indexLater(deps, caller, { request, result });
      const { document, json, creditsUsed, engine } = result;
      const { loaded } = result.loaded.view;
      const source = request.namesSource === true ? { source: await pageSourceOf(loaded) } : {};
      return { id, document, json, creditsUsed, timeline, engine, validators: validatorsOf(loaded), ...source };
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
