import { v7 as uuidv7 } from "uuid";
import type { ScrapeDocument } from "../../core/scrape/document.ts";
import { AppError } from "../../core/errors.ts";
import { bareHostname } from "../../core/url/outbound-policy.ts";
import { scrapeCredits } from "../../core/account/pricing.ts";
import { NO_TOP_LEVEL_DOMAIN, toAbsoluteUrl } from "../../core/url/url.ts";
import { creditsOfFormats } from "../../formats/index.ts";
import type { ScrapeOptions } from "../../formats/scrape-options.ts";
import { openAccount, type Account } from "../account/account.ts";
import type { Caller, Deps, Payer } from "../deps.ts";
import { deriveDocument } from "./derive-document.ts";
import { INDEXING_ROWS, indexPages, isIndexed, toIndexedPage } from "./index-pages.ts";
import { storeScrape, type StoredScrape } from "./store-scrape.ts";
import { ownerOf, type Owner } from "../../core/fair-order.ts";
import { loadThroughCache, type LoadedThroughCache } from "./load-through-cache.ts";
import { shownView } from "./redact-document.ts";
import { planScrape, type ScrapeDefaults, type ScrapePlan } from "./scrape-plan.ts";
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

/** Response of a scrape: the document as the exact JSON text that is stored, and the duration of each step. */
export interface ScrapeResponse extends StoredScrape {
  timeline: Timeline;
  /** Engine that loaded the page. */
  engine: string;
}

type ScrapeDeps = Pick<
  Deps,
  | "settings"
  | "clock"
  | "meter"
  | "engines"
  | "admission"
  | "conversions"
  | "keyLedger"
  | "changeHistory"
  | "pageCache"
  | "pageIndex"
  | "scrapes"
  | "files"
  | "defer"
  | "sleep"
  | "llm"
>;

/** Estimates the credits that a scrape takes before it begins; the difference to its cost is settled afterwards. */
export function estimateCredits(request: Pick<ScrapeRequest, "options" | "zeroDataRetention">): number {
  return creditsOf(request, 1);
}

/**
 * Loads one page and derives every requested format from it. The caller's credits have been taken already; they are
 * refunded on failure.
 * @throws AppError with the code of the failure.
 */
export async function scrapePage(deps: ScrapeDeps, caller: Payer, request: ScrapeRequest): Promise<ScrapeResponse> {
  const account = openAccount(deps, caller, estimateCredits(request));
  try {
    return await scrape(deps, caller, { request, account });
  } catch (error) {
    const isPaidMiss = error instanceof AppError && error.code === "SCRAPE_LOCKDOWN_CACHE_MISS";
    deps.defer(account.settle(isPaidMiss ? 1 : 0));
    throw error;
  }
}

interface ScrapeTask {
  request: ScrapeRequest;
  account: Account;
}

interface ScrapeTurn extends ScrapeTask {
  plan: ScrapePlan;
  timeline: Timeline;
  id: string;
  /** Time of the request; its timeout includes the wait for admission. */
  createdAtMs: number;
  owner: Owner;
}

async function scrape(deps: ScrapeDeps, caller: Payer, { request, account }: ScrapeTask): Promise<ScrapeResponse> {
  assertLoadable(request.url, deps);
  const plan = planScrape(request.url, request.options, request.defaults);
  assertKeepable(plan, request);
  const timeline = new Timeline(deps.clock);
  const id = request.id ?? uuidv7();
  const createdAtMs = deps.clock.now();
  const owner = ownerOf(caller.key);
  return await deps.admission.run(owner, () =>
    scrapeInTurn(deps, caller, { request, account, plan, timeline, id, createdAtMs, owner }),
  );
}

async function scrapeInTurn(
  deps: ScrapeDeps,
  caller: Payer,
  { request, account, plan, timeline, id, createdAtMs, owner }: ScrapeTurn,
): Promise<ScrapeResponse> {
  const deadlineMs = createdAtMs + plan.timeoutMs;
  timeline.add("queue", deps.clock.now() - createdAtMs);
  deps.meter.add("pages");
  const loaded = await timeline.measure("load", () =>
    loadThroughCache(deps, plan, { deadlineMs, keep: !request.zeroDataRetention, owner }),
  );
  const creditsUsed = isFree(loaded) ? 0 : creditsOf(request, loaded.view.document?.numPages ?? 1);
  if (creditsUsed > account.chargedCredits) await account.settle(creditsUsed);
  const document = await timeline.measure("derive", () =>
    deriveDocument(deps, loaded, {
      id,
      plan,
      request,
      teamId: caller.key.teamId,
      creditsUsed,
      createdAtMs,
      work: request.id,
    }),
  );
  const kept = await timeline.measure("keep", () =>
    storeScrape(deps, caller, { id, document, request, creditsUsed, createdAtMs }),
  );
  deps.defer(account.settle(creditsUsed));
  if (isIndexed(deps, request)) {
    // The receipt is sent before the rows are written.
    for (const [counter, rows] of INDEXING_ROWS) deps.meter.add(counter, rows);
    const shown = { ...loaded, view: shownView(plan, loaded.view) };
    deps.defer(index(deps, caller, { id, loaded: shown, url: toAbsoluteUrl(request.url), document }));
  }
  for (const attempt of loaded.attempts) timeline.add(attempt.engine, attempt.ms);
  return { ...kept, timeline, engine: loaded.view.loaded.engine };
}

/** Reports whether a scrape is free: a refusal, a server error and a redirect to nowhere are no content. */
export function isFree({ obstacle, view }: Pick<LoadedThroughCache, "obstacle" | "view">): boolean {
  const { statusCode } = view.loaded;
  return obstacle?.kind === "blocked" || statusCode >= 500 || (statusCode >= 300 && statusCode < 400);
}

/** Adds the page to the search index of the caller's team, after the response. */
async function index(
  deps: ScrapeDeps,
  { key }: Caller,
  { id, loaded, url, document }: { id: string; loaded: LoadedThroughCache; url: string; document: ScrapeDocument },
): Promise<void> {
  await deps.sleep(0);
  const about = { url, markdown: document.markdown, scrapeId: id, nowMs: deps.clock.now() };
  const page = toIndexedPage(loaded, about);
  if (page !== undefined) await indexPages(deps, key.teamId, [page]);
}

/** Returns the credits of a scrape that read this many pages. */
export function creditsOf(
  { options, zeroDataRetention }: Pick<ScrapeRequest, "options" | "zeroDataRetention">,
  pages: number,
): number {
  const formats = options.formats ?? [];
  return scrapeCredits({
    formatCredits: creditsOfFormats(formats),
    pdfPages: pages,
    lockdown: options.lockdown ?? false,
    redactsPii: (options.redactPII ?? false) !== false,
    zeroDataRetention,
  });
}

/** Refuses `localhost`, which is no public host, except where it is allowed for development. */
export function assertLoadable(url: string, { settings }: Pick<Deps, "settings">): void {
  const hostname = bareHostname(new URL(toAbsoluteUrl(url)));
  if (hostname !== "localhost" || settings.allowPrivateHosts.includes(hostname)) return;
  const issue = { code: "custom", path: ["url"], message: NO_TOP_LEVEL_DOMAIN };
  throw new AppError("BAD_REQUEST", NO_TOP_LEVEL_DOMAIN, { details: [issue] });
}

/** Refuses screenshots and PDFs with zero data retention, since they are stored as files for a while. */
export function assertKeepable(plan: ScrapePlan, request: Pick<ScrapeRequest, "zeroDataRetention">): void {
  if (!request.zeroDataRetention) return;
  const makesFiles = plan.page.screenshot !== undefined || plan.page.actions.some(({ type }) => FILE_ACTIONS.has(type));
  if (makesFiles) {
    throw new AppError(
      "SCRAPE_ZDR_VIOLATION_ERROR",
      "Screenshots and PDFs are kept as files, which zeroDataRetention forbids",
    );
  }
}

const FILE_ACTIONS: ReadonlySet<string> = new Set(["screenshot", "pdf", "generatePDF"]);
