import { NOT_MODIFIED } from "../../core/scrape/page.ts";
import { FOLLOWED_LINKS, type PagePart } from "../../content/page-parts.ts";
import { ownerOf } from "../../core/fair-order.ts";
import { portableOptions } from "../../formats/portable-options.ts";
import type { FrontierItem } from "../../core/crawl/frontier.ts";
import { loadNumber, MAX_LOADS } from "../../core/crawl/page-retries.ts";
import { retryAfterMs as retryAfterOf } from "../../core/scrape/retry-after.ts";
import { documentId } from "../../core/scrape/document-id.ts";
import { ERRORS, isAppError, stackOf } from "../../core/errors.ts";
import type { Landing, LandingVerdict } from "../../jobs/kind.ts";
import { NOTHING } from "../../jobs/kind.ts";
import { followLinks, type Followed } from "../crawl/follow-links.ts";
import { comparePage, mayAskConditionally } from "../crawl/compare-version.ts";
import { notBegun, unsent, withEarlier } from "../crawl/unread-page.ts";
import { repeatUnreadPage } from "../crawl/repeat-page.ts";
import type { Deps } from "../deps.ts";
import { archivePage } from "../archive/page-archive.ts";
import { openArchived } from "../archive/open-archived.ts";
import { isIndexed } from "./index-pages.ts";
import type { ItemOutcome, ItemTask } from "../crawl/item-task.ts";
import { loadThroughCache, type LoadedThroughCache } from "./load-through-cache.ts";
import { insufficient, type Account } from "../account/account.ts";
import { estimateCredits } from "./scrape-credits.ts";
import { planPage } from "./plan-page.ts";
import { runScrape } from "./run-scrape.ts";
import type { ScrapePlan } from "./scrape-plan.ts";

/** Temporary status codes: “too many requests”, and failures of the server or a gateway. */
const PASSING_STATUSES = [429, 500, 502, 503, 504];
/** Maximum delay that a site can request with Retry-After. */
const MAX_RETRY_AFTER_MS = 300_000;

type ItemDeps = Pick<
  Deps,
  | "settings"
  | "clock"
  | "meter"
  | "engines"
  | "admission"
  | "conversions"
  | "ocr"
  | "changeHistory"
  | "searchProviders"
  | "paperSources"
  | "pageCache"
  | "profiles"
  | "files"
  | "blobs"
  | "defer"
  | "sleep"
  | "llm"
  | "textTasks"
  | "telemetry"
  | "log"
  | "memory"
>;

/**
 * Scrapes one page of a job as `scrapePage` does, and reads its links. Never throws: a failure is a result. A page whose
 * job ends while it waits for its turn is not begun.
 */
export async function scrapeItem(deps: ItemDeps, task: ItemTask): Promise<ItemOutcome> {
  const { item, hasEnded } = task;
  const reached: { page?: LandedPage } = {};
  const begin = async (): Promise<ItemOutcome> => {
    if (!hasEnded()) return await scrape(deps, task, reached);
    return { url: item.url, result: notBegun(item, deps.clock.now()), discoveries: NOTHING, credits: 0 };
  };
  try {
    return await deps.admission.run(ownerOf(task.specification.key), begin);
  } catch (error) {
    if (!isAppError(error)) {
      deps.log({ event: "page_failed_unexpectedly", jobId: task.specification.id, message: stackOf(error) });
    }
    const failure = failureOf(error);
    const isUnsent = isAppError(error) && error.isUnsent;
    const isLost = !isUnsent && (failure.code === "SCRAPE_SITE_ERROR" || failure.code === "SCRAPE_TIMEOUT");
    const result = isUnsent ? unsent(item, error) : { ...base(item), kind: "failed" as const, ...failure };
    const followed = failure.code === "SCRAPE_WORK_LIMIT" ? await followRefused(task, reached.page) : undefined;
    return {
      url: item.url,
      ...(followed === undefined
        ? await withEarlier(task, result)
        : { result: task.earlier === undefined ? result : { ...result, carried: task.earlier.page }, ...followed }),
      credits: 0,
      ...(isLost ? { report: { failed: true } } : {}),
    };
  }
}

/** Follows the links of a page of which no document could be made; undefined when they could not be read either. */
async function followRefused(
  { kind, specification }: ItemTask,
  page: LandedPage | undefined,
): Promise<(Pick<ItemOutcome, "rebased"> & Followed) | undefined> {
  if (page === undefined) return undefined;
  const { view, landing, rebased } = page;
  try {
    const links = () => view.links(FOLLOWED_LINKS);
    const followed = await followLinks(kind, landing, links, rebased ?? specification.input);
    return { ...followed, ...(rebased === undefined ? {} : { rebased }) };
  } catch (error) {
    if (!isAppError(error)) throw error;
    return undefined;
  }
}

/** @param reached receives the page when it is loaded and the job may read it. */
async function scrape(deps: ItemDeps, task: ItemTask, reached: { page?: LandedPage }): Promise<ItemOutcome> {
  const { item, specification, kind, template, earlier } = task;
  const plan = planOf(deps, task);
  // A page is derived as for the earlier job, so that the fingerprints can be compared.
  const site =
    earlier === undefined || earlier.page.version.hasTemplate === true ? template.siteOf(item.url) : undefined;
  if (site !== undefined) plan.open.clean.site = site;
  plan.open.parts = [...(plan.open.parts ?? []), ...partsOfJob(task, plan)];
  const createdAtMs = deps.clock.now();
  const scrapeId = documentId(specification.id, task.documentNumber);
  const { publicOrigin, zeroDataRetention, scrapeOptions, apiVersion } = specification;
  const outcome = await runScrape<LandedPage, ItemOutcome>(deps, {
    id: scrapeId,
    plan,
    request: { url: item.url, options: scrapeOptions, publicOrigin, zeroDataRetention, apiVersion },
    owner: ownerOf(specification.key),
    createdAtMs,
    work: `${specification.id} ${item.key}`,
    account: accountOf(task),
    job: { id: specification.id, createdAtMs: specification.createdAtMs },
    load: async () => {
      const deadlineMs = createdAtMs + plan.timeoutMs;
      const owner = ownerOf(specification.key);
      const from = specification.reextracts;
      if (from !== undefined)
        return landed(task, await openArchived(deps, plan, { from, itemUrl: item.url, owner, deadlineMs }));
      return await loadConditionally(deps, task, { plan, deadlineMs });
    },
    end: (loaded) => {
      const ended = loaded.repeated ?? refused(item, loaded, deps.clock.now()) ?? denied(item, loaded);
      if (ended === undefined) reached.page = loaded;
      return ended;
    },
  });
  if (!("document" in outcome)) return outcome;

  const { loaded, document, creditsUsed: credits } = outcome;
  const { landing, verdict, rebased } = loaded;
  const { json, result, links, repeated, earlierLinks } = await comparePage(task, {
    loaded,
    document,
    json: outcome.json,
    credits,
    hasTemplate: site !== undefined,
    removesImages: plan.removeBase64Images,
    // A page of the cache says nothing about changes after it was stored.
    readAtMs: loaded.storedAtMs ?? createdAtMs,
  });
  if (specification.archive && !zeroDataRetention) {
    await archivePage(deps, specification, { itemUrl: item.url, page: loaded.view.loaded });
  }
  template.learn(item.url, loaded.view);
  const report = { statusCode: loaded.view.loaded.statusCode };
  const indexed = isIndexed(deps, { options: scrapeOptions, zeroDataRetention }) ? outcome.toIndexed() : undefined;
  if (repeated !== undefined) return { ...repeated, report, ...(indexed === undefined ? {} : { indexed }) };
  return {
    url: item.url,
    result: {
      ...base(item),
      kind: "scraped",
      offset: 0,
      length: 0,
      scrapeId,
      credits,
      ...finalPlace(verdict),
      ...result,
    },
    json,
    ...(links === undefined ? {} : { links }),
    ...(rebased === undefined ? {} : { rebased }),
    ...(await followLinks(
      kind,
      landing,
      () => earlierLinks ?? loaded.view.links(FOLLOWED_LINKS),
      rebased ?? specification.input,
    )),
    credits,
    ...(indexed === undefined ? {} : { indexed }),
    report,
  };
}

/** Returns the account of a page: its job has reserved the credits of one page, and reserves more before it is derived. */
function accountOf({ specification, raise }: ItemTask): Account {
  const { scrapeOptions: options, zeroDataRetention } = specification;
  const ofOnePage = estimateCredits({ options, zeroDataRetention });
  let chargedCredits = ofOnePage;
  return {
    get chargedCredits() {
      return chargedCredits;
    },
    async settle(owedCredits) {
      // The result of the page settles a lower cost.
      if (owedCredits <= chargedCredits) return;
      if (!(await raise(owedCredits - ofOnePage))) throw insufficient(owedCredits);
      chargedCredits = owedCredits;
    },
  };
}

/** Loads the page, with the validators of the earlier job where one request is all that the load needs. */
async function loadConditionally(
  deps: ItemDeps,
  task: ItemTask,
  { plan, deadlineMs }: { plan: ScrapePlan; deadlineMs: number },
): Promise<LandedPage> {
  const { earlier, specification, item } = task;
  const owner = ownerOf(specification.key);
  const options = { deadlineMs, keep: false, owner, isOneOfMany: true, isRetriedLater: true };
  const load = async (from: ScrapePlan) => landed(task, await loadThroughCache(deps, from, options));
  if (earlier === undefined || !mayAskConditionally(task)) return await load(plan);
  const { version } = earlier.page;
  const { etag, lastModified } = version;
  if (etag === undefined && lastModified === undefined) return await load(plan);
  const page = await load({ ...plan, page: { ...plan.page, validators: { etag, lastModified } } });
  const { statusCode, url } = page.view.loaded;
  if (statusCode !== NOT_MODIFIED) return page;
  // Another page may have the same validator by chance.
  if (url !== (version.finalUrl ?? item.url)) return await load(plan);
  const repeated = await repeatUnreadPage(deps, task, { earlier, by: "not_modified", readAtMs: deps.clock.now() });
  if (repeated === undefined) return await load(plan);
  return { ...page, repeated: { ...repeated, report: { statusCode } } };
}

/** Returns the parts of a page that a job reads besides its formats: what it follows, and learns the template from. */
function partsOfJob({ kind, template, specification }: ItemTask, { removeBase64Images }: ScrapePlan): PagePart[] {
  if (kind.seed === undefined) return [];
  return [
    FOLLOWED_LINKS,
    ...(template.isSettled ? [] : [{ name: "fingerprints" } as const]),
    ...(specification.keepsVersions ? [{ name: "markdown", removeBase64Images } as const] : []),
  ];
}

/** A loaded page of a job, with the verdict of its kind on the URL after redirects. */
interface LandedPage extends LoadedThroughCache {
  landing: Landing;
  verdict: LandingVerdict;
  /** The job's new input, when this is its first page. */
  rebased: unknown;
  /** Outcome of a page that has not changed, by the site's own word. */
  repeated?: ItemOutcome;
}

/** Checks where a page was found, with the job's input at the time of the load. */
function landed({ item, kind, specification }: ItemTask, loaded: LoadedThroughCache): LandedPage {
  const { input } = specification;
  const { url: finalUrl, engine } = loaded.view.loaded;
  const landing = { item, finalUrl, isRendered: engine === "browser" };
  return { ...loaded, landing, verdict: kind.land(landing, input), rebased: kind.rebase?.(landing, input) };
}

/**
 * Returns the plan of an item. A job does not read the cache unless it requests it: a lookup costs as much as the rest
 * of a page.
 */
function planOf(deps: ItemDeps, { item, kind, specification }: ItemTask): ScrapePlan {
  const { scrapeOptions, scrapeDefaults: defaults, zeroDataRetention, input } = specification;
  const isForeign = kind.isForeign?.(item, input) === true;
  const options = isForeign ? portableOptions(scrapeOptions) : scrapeOptions;
  const plan = planPage(deps, { url: item.url, options, defaults, zeroDataRetention });
  const wantsCache = options.maxAge !== undefined || plan.cache.only !== undefined;
  return wantsCache ? plan : { ...plan, cache: { ...plan.cache, read: undefined } };
}

/**
 * Returns the outcome of a page with a temporary status, which is retried; undefined for the last load, whose response
 * is the page.
 */
function refused(item: FrontierItem, { view }: LandedPage, nowMs: number): ItemOutcome | undefined {
  const { statusCode, headers } = view.loaded;
  if (!PASSING_STATUSES.includes(statusCode) || loadNumber(item) >= MAX_LOADS) return undefined;
  const askedMs = retryAfterOf(headers["retry-after"] ?? "", nowMs) ?? 0;
  const retryAfterMs = Math.min(askedMs, MAX_RETRY_AFTER_MS);
  const error = `The site answered ${statusCode}`;
  return {
    url: item.url,
    result: { ...base(item), kind: "failed", code: "SCRAPE_SITE_ERROR", error, retryable: true, retryAfterMs },
    discoveries: NOTHING,
    credits: 0,
    report: { statusCode, retryAfterMs },
  };
}

/** Returns the outcome of a page whose final URL the job must not load. */
function denied(item: FrontierItem, { verdict, rebased }: LandedPage): ItemOutcome | undefined {
  if (verdict.kind !== "denied") return undefined;
  return {
    url: item.url,
    result: { ...base(item), kind: "denied", error: verdict.error },
    ...(rebased === undefined ? {} : { rebased }),
    discoveries: NOTHING,
    credits: 0,
  };
}

function finalPlace(verdict: LandingVerdict): { finalKey?: string; finalUrl?: string } {
  if (verdict.kind === "denied") return {};
  const { kind: _, ...place } = verdict;
  return place;
}

function base({ key, attempt }: FrontierItem): { key: string; attempt: number } {
  return { key, attempt };
}

/** Converts an error to a failure. Unexpected errors are retried, and reported without internal details. */
function failureOf(error: unknown) {
  if (!isAppError(error))
    return { code: "UNKNOWN_ERROR" as const, error: ERRORS.UNKNOWN_ERROR.message, retryable: true };
  const { code, message } = error;
  return { code, error: message, retryable: ERRORS[code].retryable };
}
