import { ownerOf } from "../../core/fair-order.ts";
import type { FrontierItem, PageResult } from "../../core/crawl/frontier.ts";
import { documentId } from "../../core/scrape/document-id.ts";
import { ERRORS, isAppError } from "../../core/errors.ts";
import type { Loaded } from "../../engines/waterfall.ts";
import type { Discoveries, JobKind, JobSpecification } from "../../jobs/kind.ts";
import { NOTHING } from "../../jobs/kind.ts";
import type { IndexedPage } from "../../ports/search/page-index.ts";
import type { HostReport } from "../../ports/crawl/host-throttle.ts";
import type { CrawlTemplate } from "../crawl/crawl-template.ts";
import type { Deps } from "../deps.ts";
import { deriveDocument } from "./derive-document.ts";
import { isIndexed, toIndexedPage } from "./index-pages.ts";
import { loadThroughCache, type LoadedThroughCache } from "./load-through-cache.ts";
import { assertKeepable, assertLoadable, creditsOf, isFree } from "./scrape-page.ts";
import { shownView } from "./redact-document.ts";
import { planScrape, type ScrapePlan } from "./scrape-plan.ts";

/** Temporary status codes: “too many requests”, and failures of the server or a gateway. */
const PASSING_STATUSES = [429, 500, 502, 503, 504];
/** Maximum delay that a site can request with Retry-After. */
const MAX_RETRY_AFTER_MS = 300_000;
/** Maximum number of attempts that time out; a third would cost minutes. */
const MAX_TIMEOUTS = 2;
const LAST_ATTEMPT = 3;

/** An item, the number that makes its document's ID unique, and its job. */
export interface ItemTask {
  item: FrontierItem;
  documentNumber: number;
  specification: JobSpecification;
  kind: JobKind;
  /** Common parts of the pages of the job's site. */
  template: CrawlTemplate;
}

/** Result of an item, before its document is stored. */
export interface ItemOutcome {
  url: string;
  result: PageResult;
  /** JSON text of the document, when there is one. */
  documentJson?: string;
  /** The job's new input, when its first page was loaded. */
  rebased?: unknown;
  discoveries: Discoveries;
  credits: number;
  /** Entry of the page in the search index. */
  indexed?: IndexedPage;
  /** Report to the host throttle. */
  report?: HostReport;
}

type ItemDeps = Pick<
  Deps,
  | "settings"
  | "clock"
  | "meter"
  | "engines"
  | "admission"
  | "conversions"
  | "changeHistory"
  | "pageCache"
  | "files"
  | "defer"
  | "sleep"
  | "llm"
>;

/** Scrapes one page of a job as `scrapePage` does, and reads its links. Never throws: a failure is a result. */
export async function scrapeItem(deps: ItemDeps, task: ItemTask): Promise<ItemOutcome> {
  const { item } = task;
  try {
    return await deps.admission.run(ownerOf(task.specification.key), () => scrape(deps, task));
  } catch (error) {
    const failure = failureOf(error, item);
    const isLost = failure.code === "SCRAPE_SITE_ERROR" || failure.code === "SCRAPE_TIMEOUT";
    return {
      url: item.url,
      result: { ...base(item), kind: "failed", ...failure },
      discoveries: NOTHING,
      credits: 0,
      ...(isLost ? { report: { failed: true } } : {}),
    };
  }
}

async function scrape(deps: ItemDeps, task: ItemTask): Promise<ItemOutcome> {
  const { item, specification, kind } = task;
  assertLoadable(item.url, deps);
  const plan = planOf(task);
  const site = task.template.siteOf(item.url);
  if (site !== undefined) plan.open.clean.site = site;
  assertKeepable(plan, specification);
  const createdAtMs = deps.clock.now();
  deps.meter.add("pages");
  const loaded = await loadThroughCache(deps, plan, {
    deadlineMs: createdAtMs + plan.timeoutMs,
    keep: false,
    owner: ownerOf(specification.key),
  });
  const patience = patienceWanted(loaded, item);
  const { statusCode } = loaded.view.loaded;
  if (patience !== undefined) {
    const { retryAfterMs = 0 } = patience;
    return {
      url: item.url,
      result: { ...base(item), ...patience },
      discoveries: NOTHING,
      credits: 0,
      report: { statusCode, retryAfterMs },
    };
  }

  const landing = { item, finalUrl: loaded.view.loaded.url };
  const verdict = kind.land(landing, specification.input);
  const rebased = kind.rebase?.(landing, specification.input);
  const onward = rebased === undefined ? {} : { rebased };
  if (verdict.kind === "denied") {
    return {
      url: item.url,
      result: { ...base(item), kind: "denied", error: verdict.error },
      ...onward,
      discoveries: NOTHING,
      credits: 0,
    };
  }
  const credits = creditsFor(loaded, specification);
  const scrapeId = documentId(specification.id, task.documentNumber);
  const { publicOrigin, zeroDataRetention } = specification;
  const request = { url: item.url, publicOrigin, zeroDataRetention };
  const document = await deriveDocument(deps, loaded, {
    id: scrapeId,
    plan,
    request,
    teamId: specification.key.teamId,
    creditsUsed: credits,
    createdAtMs,
    work: `${specification.id} ${item.key}`,
  });
  task.template.learn(item.url, loaded.view);
  const { finalKey, finalUrl } = verdict;
  const indexed = isIndexed(deps, { options: specification.scrapeOptions, ...specification })
    ? toIndexedPage(
        { ...loaded, view: shownView(plan, loaded.view) },
        { url: item.url, markdown: document.markdown, scrapeId, nowMs: createdAtMs },
      )
    : undefined;
  return {
    url: item.url,
    result: {
      ...base(item),
      kind: "scraped",
      offset: 0,
      length: 0,
      scrapeId,
      credits,
      ...(finalKey === undefined ? {} : { finalKey }),
      ...(finalUrl === undefined ? {} : { finalUrl }),
    },
    documentJson: JSON.stringify(document),
    ...onward,
    discoveries: kind.follow(landing, () => loaded.view.links(), rebased ?? specification.input),
    credits,
    ...(indexed === undefined ? {} : { indexed }),
    report: { statusCode },
  };
}

/**
 * Returns the plan of an item. A job does not read the cache unless it requests it: a lookup costs as much as the rest
 * of a page.
 */
function planOf({ item, specification }: ItemTask): ScrapePlan {
  const { scrapeOptions, scrapeDefaults } = specification;
  const plan = planScrape(item.url, scrapeOptions, scrapeDefaults);
  const wantsCache = scrapeOptions.maxAge !== undefined || plan.cache.only !== undefined;
  return wantsCache ? plan : { ...plan, cache: { ...plan.cache, read: undefined } };
}

function creditsFor(loaded: Loaded, specification: JobSpecification): number {
  if (isFree(loaded)) return 0;
  const request = { options: specification.scrapeOptions, zeroDataRetention: specification.zeroDataRetention };
  return creditsOf(request, loaded.view.document?.numPages ?? 1);
}

/**
 * Returns the failure of a page with a temporary status, which is retried; undefined for the last attempt, whose
 * response is the page.
 */
function patienceWanted(
  { view }: LoadedThroughCache,
  { attempt }: FrontierItem,
): Pick<PageResult & { kind: "failed" }, "kind" | "code" | "error" | "retryable" | "retryAfterMs"> | undefined {
  const { statusCode, headers } = view.loaded;
  if (!PASSING_STATUSES.includes(statusCode) || attempt >= LAST_ATTEMPT) return undefined;
  const seconds = Number(headers["retry-after"] ?? "");
  const retryAfterMs = Number.isFinite(seconds) ? Math.min(seconds * 1000, MAX_RETRY_AFTER_MS) : 0;
  const error = `The site answered ${statusCode}`;
  return { kind: "failed", code: "SCRAPE_SITE_ERROR", error, retryable: true, retryAfterMs };
}

function base({ key, attempt }: FrontierItem): { key: string; attempt: number } {
  return { key, attempt };
}

/** Converts an error to a failure. Unexpected errors are retried, and reported without internal details. */
function failureOf(error: unknown, { attempt }: FrontierItem) {
  if (!isAppError(error))
    return { code: "UNKNOWN_ERROR" as const, error: ERRORS.UNKNOWN_ERROR.message, retryable: true };
  const { code, message } = error;
  const isSpent = code === "SCRAPE_TIMEOUT" && attempt >= MAX_TIMEOUTS;
  return { code, error: message, retryable: ERRORS[code].retryable && !isSpent };
}
