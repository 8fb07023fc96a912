import type { ScrapeDocument } from "../../core/scrape/document.ts";
import type { Owner } from "../../core/fair-order.ts";
import type { WaitLimit } from "../../core/waits/wait-for-grant.ts";
import { toAbsoluteUrl } from "../../core/url/url.ts";
import type { ScrapeOptions } from "../../formats/scrape-options.ts";
import type { IndexedPage } from "../../ports/search/page-index.ts";
import { joinDocument, toDocumentParts, type DocumentParts } from "../../core/scrape/document-text.ts";
import type { Account } from "../account/account.ts";
import type { Deps } from "../deps.ts";
import { deriveDocument } from "./derive-document.ts";
import { toIndexedPage } from "./index-pages.ts";
import type { LoadedThroughCache } from "./load-through-cache.ts";
import { redactionOf } from "./redact-document.ts";
import { creditsOfLoaded } from "./scrape-credits.ts";
import type { ScrapePlan } from "./scrape-plan.ts";
import { Timeline } from "./timeline.ts";

/** A document with its exact JSON text, which is serialized once. */
export interface DocumentText {
  document: ScrapeDocument;
  json: string;
  creditsUsed: number;
}

/** One scrape of the pipeline. Requests, jobs and uploads differ in these steps only. */
export interface ScrapeTask<Page extends LoadedThroughCache, Ended> {
  /** ID of the document. */
  id: string;
  plan: ScrapePlan;
  request: {
    url: string;
    options: ScrapeOptions;
    zeroDataRetention: boolean;
    publicOrigin: string;
    apiVersion?: "v1" | "v2";
  };
  owner: Owner;
  /** When the scrape stops waiting for its turn. Default: never. */
  waitLimit?: WaitLimit | undefined;
  createdAtMs: number;
  /** Identifies work that may be repeated; the same each time. */
  work?: string | undefined;
  /** The job of the page, for as long as which its files are kept. */
  job?: { id: string; createdAtMs: number };
  /** True when only the stored document can be read: the scrape then fails when it cannot be stored. */
  mustStore?: boolean;
  /** Receives the duration of each step. */
  timeline?: Timeline;
  load(): Promise<Page>;
  /** Returns a result that ends the scrape before anything is charged and derived. */
  end?(loaded: Page): Ended | undefined;
  /** Account of the caller, or of the page of a job, which its frontier bills. */
  account?: Account;
  /** Stores the document. Unless `mustStore` is set, the result does not wait for it longer than `STORE_WAIT_MS`. */
  store?(text: DocumentText & { parts: DocumentParts }, loaded: Page): Promise<void>;
}

/** Result of a scrape: the document and its JSON text. */
export interface ScrapeResult<Page = LoadedThroughCache> extends DocumentText {
  id: string;
  /** Engine that loaded the page. */
  engine: string;
  timeline: Timeline;
  loaded: Page;
  /** Returns the entry of the page in the search index; undefined for errors, walls, and pages without text. */
  toIndexed(): IndexedPage | undefined;
}

type RunDeps = Pick<
  Deps,
  | "changeHistory"
  | "clientLeft"
  | "searchProviders"
  | "paperSources"
  | "clock"
  | "defer"
  | "files"
  | "llm"
  | "log"
  | "meter"
  | "settings"
  | "sleep"
  | "telemetry"
  | "textTasks"
>;

/** Time in ms that a result waits until it is stored. Then it is returned, and stored meanwhile. */
export const STORE_WAIT_MS = 200;
const NOT_STORED = "This result could not be stored: it cannot be read by its id, and no later scrape receives it.";

/** The document of a scrape with `mustStore` could not be stored; the work may be repeated. */
export class ScrapeNotStored extends Error {
  constructor(cause: unknown) {
    super("The document could not be stored", { cause });
    this.name = "ScrapeNotStored";
  }
}

/**
 * Loads a planned page, charges it, derives every requested format, and stores the document.
 * @returns the result of `end` when that ended the scrape.
 * @throws AppError with the code of the failure, and ScrapeNotStored; the caller of this function settles its account then.
 */
export async function runScrape<Page extends LoadedThroughCache, Ended = never>(
  deps: RunDeps,
  task: ScrapeTask<Page, Ended>,
): Promise<ScrapeResult<Page> | Ended> {
  const { id, plan, request, account, timeline = new Timeline(deps) } = task;
  deps.meter.add("pages");
  const loaded = await timeline.measure("load", () => task.load());
  const ended = task.end?.(loaded);
  if (ended !== undefined) return ended;
  const owed = creditsOfLoaded(request, loaded);
  if (account !== undefined && owed > account.chargedCredits) await account.settle(owed);
  const runTask = deps.textTasks(task.owner, task.waitLimit);
  const { document, redaction } = await timeline.measure("derive", async () => {
    const found = await redactionOf(plan, loaded.view, runTask);
    const facts = { ...task, creditsUsed: owed, redaction: found, runTask };
    return { document: await deriveDocument(deps, loaded, facts), redaction: found };
  });
  const { creditsUsed = owed } = document.metadata;
  const text = await timeline.measure("keep", () => storeDocument(deps, task, { document, creditsUsed, loaded }));
  if (account !== undefined) deps.defer(account.settle(creditsUsed));
  for (const attempt of loaded.attempts) timeline.add(attempt.engine, attempt.ms);
  const toIndexed = (): IndexedPage | undefined =>
    toIndexedPage(
      { ...loaded, view: redaction?.view ?? loaded.view },
      { url: toAbsoluteUrl(request.url), markdown: document.markdown, scrapeId: id, nowMs: deps.clock.now() },
    );
  return { ...text, id, engine: loaded.view.loaded.engine, timeline, loaded, toIndexed };
}

/** Serializes a document and stores it. What cannot be stored is returned with a warning. */
async function storeDocument<Page extends LoadedThroughCache, Ended>(
  deps: RunDeps,
  task: ScrapeTask<Page, Ended>,
  { document, creditsUsed, loaded }: { document: ScrapeDocument; creditsUsed: number; loaded: Page },
): Promise<DocumentText> {
  const parts = toDocumentParts(document);
  const text = { document, json: joinDocument(parts), creditsUsed };
  if (task.store === undefined) return text;
  const stored = task.store({ ...text, parts }, loaded).then(
    () => undefined,
    (error: unknown) => {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      deps.log({ event: "scrape_not_stored", message: String(cause) });
      return new ScrapeNotStored(cause);
    },
  );
  deps.defer(stored);
  const failure = await (task.mustStore === true ? stored : Promise.race([stored, deps.sleep(STORE_WAIT_MS)]));
  if (!(failure instanceof ScrapeNotStored)) return text;
  if (task.mustStore === true) throw failure;
  document.warning = document.warning === undefined ? NOT_STORED : `${document.warning} ${NOT_STORED}`;
  return { ...text, json: joinDocument(toDocumentParts(document)) };
}
