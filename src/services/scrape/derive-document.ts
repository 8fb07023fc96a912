import { askedPageOf, type PageView } from "../../content/page-view.ts";
import type { RunTextTask } from "../../content/text-tasks/text-tasks.ts";
import type { Owner } from "../../core/fair-order.ts";
import type { ScrapeDocument, DocumentMetadata } from "../../core/scrape/document.ts";
import { type ActionResults, type LoadedPage, PARTIAL_CONTENT, type PageFile } from "../../core/scrape/page.ts";
import { statusText } from "../../core/text/status-text.ts";
import { HISTORY_FAILED } from "../../formats/change-tracking.ts";
import type { FormatContext, PageHistory } from "../../formats/format.ts";
import type { PageSnapshot } from "../../ports/storage/change-history.ts";
import { cleanContent } from "../../formats/model/clean-content.ts";
import { assertNoPromptInjection } from "../../formats/model/check-prompt-injection.ts";
import { pageTextOf } from "../../formats/model/page-text.ts";
import { withFallback } from "../../formats/model/with-fallback.ts";
import { creditsOfFormats, formatFor, type FormatRequest } from "../../formats/index.ts";
import { availableCapabilities } from "../alexandria/call-capabilities.ts";
import { matchTools, type FoundTool, type ToolDetail } from "../alexandria/find-tools.ts";
import type { Deps } from "../deps.ts";
import { ownedModel, unpaidModel } from "../owned-model.ts";
import type { LoadedThroughCache } from "./load-through-cache.ts";
import type { Redaction } from "./redact-document.ts";
import type { ScrapePlan } from "./scrape-plan.ts";

/** Facts about the scrape that the document reports. */
export interface ScrapeFacts {
  id: string;
  plan: ScrapePlan;
  request: { url: string; publicOrigin: string; zeroDataRetention: boolean; apiVersion?: "v1" | "v2" };
  owner: Owner;
  /** Undefined when none was requested. */
  redaction: Redaction | undefined;
  runTask: RunTextTask;
  creditsUsed: number;
  createdAtMs: number;
  /** Identifies work that may be repeated; the same each time. */
  work?: string | undefined;
  /** The job of the page, for as long as which its files are kept. */
  job?: { id: string; createdAtMs: number };
}

const OBSTACLE_WARNINGS = {
  bot_wall: "The site answered with a challenge for robots instead of its content.",
  access_denied: "The site denied access; this is its refusal, not its content.",
  login_wall: "The page asks for a login; this is the form, not what lies behind it.",
  soft_404: "The page says that it does not exist, although its status is not 404.",
  still_loading:
    "The page was still loading its content when it was read; waitFor or a wait action gives it more time.",
  app_shell: "The page is an empty shell that scripts would fill.",
  noscript_wall: "The page asks for JavaScript and shows nothing without it.",
  framed_content: "The page shows its content in frames, which this load does not reach.",
  meta_refresh: "The page only sends its visitors on to another one.",
} as const;

/**
 * Derives every requested format from a loaded page, publishes its files, and adds metadata and warnings. The credits
 * in the metadata are those of the scrape without what formats refunded.
 */
export async function deriveDocument(
  deps: Pick<Deps, "changeHistory" | "files" | "settings" | "llm" | "searchProviders" | "paperSources" | "clientLeft">,
  loaded: LoadedThroughCache,
  facts: ScrapeFacts,
): Promise<ScrapeDocument> {
  const publish = publisher(deps, facts);
  const { plan, createdAtMs, redaction } = facts;
  const view = redaction?.view ?? loaded.view;
  const notes: string[] = redaction === undefined ? [] : [redaction.warning];
  const saves: (() => Promise<void>)[] = [];
  let refunded = 0;
  const context: FormatContext = {
    publish,
    removeBase64Images: plan.removeBase64Images,
    llm: facts.creditsUsed === 0 ? unpaidModel(deps.llm) : ownedModel(deps.llm, facts.owner, deps.clientLeft),
    deadlineMs: createdAtMs + plan.timeoutMs + (view.loaded.waitedMs ?? 0),
    history: historyOf(deps, loaded, { ...facts, saves }),
    task: facts.runTask,
    warn: (words) => void notes.push(words),
    refund: (credits) => void (refunded += credits),
  };
  // Redacted text could hide the words that the check looks for.
  if (plan.checkPromptInjection) await assertNoPromptInjection(loaded.view, context);
  const read = await cleanedView(view, plan, context);
  const formats = lastOfEachField(plan.formats, context);
  const parts = await Promise.all(
    // A model may leave out different text each time, which is no change of the page.
    formats.map((request) =>
      formatFor(request.type).derive(request.type === "changeTracking" ? view : read, request, context),
    ),
  );
  const document: ScrapeDocument = Object.assign({}, ...parts, {
    metadata: metadataOf(loaded, { ...facts, creditsUsed: Math.max(0, facts.creditsUsed - refunded) }),
  });
  const attributes = parts.flatMap((part) => part.attributes ?? []);
  if (attributes.length > 0) document.attributes = attributes;
  // Several formats may have extracted data: the evidence of each names its own fields.
  if (document.evidence !== undefined) document.evidence = parts.flatMap(({ evidence }) => evidence ?? []);
  const actions = await publishActions(loaded.view.loaded.actions, publish, facts.request.apiVersion);
  if (actions !== undefined) document.actions = actions;
  const { pages, blocks, figures } = loaded.view.document ?? {};
  if (pages !== undefined) document.pages = pages;
  if (blocks !== undefined) document.blocks = blocks;
  const tools = plan.tools === undefined ? [] : toolsOf(deps, plan.page.url, plan.tools);
  if (tools.length > 0) document.tools = tools;
  if (figures !== undefined) {
    document.figures = figures.map(({ pageNumber, bbox, width, height, description }) => {
      return { pageNumber, bbox, width, height, ...(description === undefined ? {} : { description }) };
    });
  }
  await redaction?.apply(document);
  // The state of the page is stored last: a scrape that fails leaves its change to the next one.
  for (const save of saves) {
    await save().catch(() => {
      delete document.changeTracking;
      notes.push(HISTORY_FAILED);
    });
  }
  if (view.budget.warning !== undefined) notes.push(view.budget.warning);
  const warning = [warningOf(loaded, plan, document), ...new Set(notes)].filter((words) => words !== "").join(" ");
  if (warning !== "") document.warning = warning;
  return document;
}

/** Formats whose result is in the field of another format. */
const FIELDS: Partial<Record<FormatRequest["type"], string>> = { question: "answer", query: "answer" };

/**
 * Returns the formats without those whose field a later one fills, which cost nothing; the values of several
 * `attributes` formats are one list.
 */
function lastOfEachField(formats: readonly FormatRequest[], { warn, refund }: FormatContext): FormatRequest[] {
  const fieldOf = ({ type }: FormatRequest): string => FIELDS[type] ?? type;
  const kept = formats.filter(
    (format, index) =>
      format.type === "attributes" || !formats.slice(index + 1).some((later) => fieldOf(later) === fieldOf(format)),
  );
  const requested = new Set(kept.map((format) => JSON.stringify(format)));
  const replaced = formats.filter((format) => !kept.includes(format) && !requested.has(JSON.stringify(format)));
  for (const field of new Set(replaced.map(fieldOf)))
    warn(`${field}: several formats answer in this field; the last of them is returned, and the others cost nothing.`);
  refund(creditsOfFormats(formats) - creditsOfFormats(kept));
  return kept;
}

/** Returns the capabilities for the host of a page. */
function toolsOf(deps: Pick<Deps, "searchProviders" | "paperSources">, url: string, detail: ToolDetail): FoundTool[] {
  return matchTools({ query: "", bySubject: false, urls: [url], detail }, availableCapabilities(deps));
}

/**
 * Returns the history of a page, or the reason why it has none: a refusal or a temporary failure is no state of the
 * page, and is neither compared nor stored.
 */
function historyOf(
  { changeHistory }: Pick<Deps, "changeHistory">,
  { view, obstacle }: LoadedThroughCache,
  {
    plan,
    request,
    owner: { teamId },
    createdAtMs,
    work,
    saves,
  }: ScrapeFacts & {
    /** Receives the work that stores the state of the page. */
    saves: (() => Promise<void>)[];
  },
): PageHistory | string {
  if (request.zeroDataRetention) return "zeroDataRetention keeps no earlier state to compare the page with";
  if (obstacle?.kind === "blocked") return "the site refused to show the page";
  const { statusCode } = view.loaded;
  if (statusCode === 429 || statusCode >= 500) return `the site answered ${statusCode} instead of its content`;
  const { url } = plan.page;
  let before: PageSnapshot | undefined;
  return {
    nowMs: createdAtMs,
    async find(tag) {
      const last = await changeHistory.find({ teamId, url, tag });
      before = work !== undefined && last?.takenBy?.work === work ? last.takenBy.before : withoutTaker(last);
      return before;
    },
    async save(tag, snapshot) {
      const takenBy = work === undefined ? {} : { takenBy: { work, ...(before === undefined ? {} : { before }) } };
      saves.push(() => changeHistory.save({ teamId, url, tag }, { ...snapshot, ...takenBy }));
    },
  };
}

function withoutTaker(snapshot: PageSnapshot | undefined): PageSnapshot | undefined {
  if (snapshot === undefined) return undefined;
  const { takenBy: _, ...state } = snapshot;
  return state;
}

/**
 * Returns the page with the markdown of the document, so that quotes are looked up in the text that the caller
 * receives: without the clutter that a model finds; unchanged when no model is configured, or it fails.
 */
async function cleanedView(
  view: PageView,
  { onlyCleanContent, formats }: ScrapePlan,
  context: FormatContext,
): Promise<PageView> {
  if (!onlyCleanContent || !formats.some(({ type }) => type === "markdown")) return view;
  const { removeBase64Images } = context;
  const markdown = view.markdown({ removeBase64Images });
  const text = await cleaned(view, markdown, context);
  if (text === markdown) return view;
  const shown: PageView = {
    ...view,
    markdown: (options) => (options.removeBase64Images === removeBase64Images ? text : view.markdown(options)),
  };
  const answer: PageView["answer"] = (question) =>
    context.task("answer", { ...askedPageOf({ ...shown, markdown: () => text }), question }, view.budget);
  return { ...shown, answer };
}

async function cleaned(view: PageView, markdown: string, context: FormatContext): Promise<string> {
  return await withFallback(
    context,
    { format: "onlyCleanContent", byRules: "the markdown was left as it is" },
    {
      rules: () => markdown,
      model: async (llm) => {
        const text = await cleanContent(llm, { ...pageTextOf(view, context), text: markdown }, context.deadlineMs);
        if (text === undefined) context.warn("onlyCleanContent: the page is too long to be cleaned; it was skipped.");
        return text ?? markdown;
      },
    },
  );
}

function publisher(deps: Pick<Deps, "files" | "settings">, facts: ScrapeFacts): (file: PageFile) => Promise<string> {
  const expiresAtMs = facts.createdAtMs + deps.settings.resultRetentionMs;
  return async (file) => {
    const token = await deps.files.put(file, { teamId: facts.owner.teamId, expiresAtMs, job: facts.job });
    return `${facts.request.publicOrigin}/v2/files/${token}`;
  };
}

/** Lists that clients of version 1 need wherever there are `actions`. */
const REQUIRED_BY_V1 = new Set(["screenshots", "pdfs"]);

/** Publishes the results of actions. Empty lists are left out, and the whole when all are empty. */
async function publishActions(
  results: ActionResults | undefined,
  publish: (file: PageFile) => Promise<string>,
  apiVersion: "v1" | "v2" = "v2",
): Promise<ScrapeDocument["actions"]> {
  if (results === undefined) return undefined;
  const [screenshots, pdfs] = await Promise.all([
    Promise.all(results.screenshots.map(publish)),
    Promise.all(results.pdfs.map(publish)),
  ]);
  const { scrapes, javascriptReturns } = results;
  const lists = Object.entries({ screenshots, scrapes, javascriptReturns, pdfs });
  if (lists.every(([, list]) => list.length === 0)) return undefined;
  const isShown = ([name, list]: [string, unknown[]]): boolean =>
    list.length > 0 || (apiVersion === "v1" && REQUIRED_BY_V1.has(name));
  return Object.fromEntries(lists.filter(isShown));
}

/** Returns the metadata. The page's own cannot set the fields of the scrape. */
function metadataOf(loaded: LoadedThroughCache, facts: ScrapeFacts): DocumentMetadata {
  const { view, attempts, cacheState, obstacle } = loaded;
  const { loaded: page, document } = view;
  const error = errorOf(page.statusCode, obstacle);
  return {
    ...withoutReserved(view.metadata()),
    sourceURL: facts.request.url,
    url: page.url,
    statusCode: page.statusCode,
    ...(error === undefined ? {} : { error }),
    ...(page.contentType === undefined ? {} : { contentType: page.contentType }),
    ...egressOf(page),
    ...(cacheState === undefined ? {} : { cacheState }),
    ...(page.cachedAtMs === undefined ? {} : { cachedAt: new Date(page.cachedAtMs).toISOString() }),
    scrapeId: facts.id,
    creditsUsed: facts.creditsUsed,
    ...(document?.numPages === undefined ? {} : { numPages: document.numPages }),
    ...(document?.totalPages === undefined ? {} : { totalPages: document.totalPages }),
    ...(page.timezone === undefined ? {} : { timezone: page.timezone }),
    ...concurrencyOf(page.queuedMs ?? 0),
    engine: page.engine,
    attempts,
  };
}

const RESERVED = new Set([
  "sourceURL", "url", "statusCode", "error", "contentType", "proxyUsed", "egressRoute", "cacheState", "cachedAt", "scrapeId",
  "creditsUsed", "numPages", "totalPages", "timezone", "concurrencyLimited", "concurrencyQueueDurationMs", "engine",
  "attempts", "changeStatus", "removedChunks",
]); // prettier-ignore

function withoutReserved(metadata: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(metadata).filter(([name]) => !RESERVED.has(name)));
}

/** Returns how the request left. Clients know `basic` and `stealth` alone, so that a route has a field of its own. */
function egressOf({ proxyUsed = "basic" }: LoadedPage): Pick<DocumentMetadata, "proxyUsed" | "egressRoute"> {
  if (proxyUsed === "basic" || proxyUsed === "stealth") return { proxyUsed };
  return { proxyUsed: "basic", egressRoute: proxyUsed };
}

function errorOf(statusCode: number, obstacle: LoadedThroughCache["obstacle"]): string | undefined {
  if (obstacle?.kind === "blocked") return `Blocked by the site (${obstacle.reason})`;
  return statusCode >= 400 ? statusText(statusCode) : undefined;
}

/** Reports whether the request had to wait for a free browser, and how long. */
function concurrencyOf(queuedMs: number): Pick<DocumentMetadata, "concurrencyLimited" | "concurrencyQueueDurationMs"> {
  if (queuedMs <= 0) return { concurrencyLimited: false };
  return { concurrencyLimited: true, concurrencyQueueDurationMs: queuedMs };
}

function warningOf({ view, obstacle }: LoadedThroughCache, plan: ScrapePlan, document: ScrapeDocument): string {
  const warnings = [...plan.warnings, ...view.loaded.warnings, ...unappliedSelectors(view, plan)];
  if (view.document?.warning !== undefined) warnings.push(view.document.warning);
  else if (obstacle === undefined && isBlank(view, document)) warnings.push(blankWarning(view, plan));
  if (view.loaded.statusCode === PARTIAL_CONTENT) warnings.push("The site sent only a part of the page (status 206).");
  if (obstacle !== undefined) warnings.push(OBSTACLE_WARNINGS[obstacle.reason]);
  return warnings.join(" ");
}

/** Returns the warning about selectors that were sent for a document, which has no elements to select. */
function unappliedSelectors({ kind }: PageView, { open: { clean, bytesOnly = false } }: ScrapePlan): string[] {
  if (kind === "html" || bytesOnly) return [];
  const names = (["includeTags", "excludeTags"] as const).filter((name) => clean[name].length > 0);
  return names.map((name) => `${name}: it selects elements of HTML pages, and this is another kind of document.`);
}

/** Returns the reason why a result has no text: the page has none, or the selectors of the request match none. */
function blankWarning(view: PageView, { open }: ScrapePlan): string {
  const selects = view.kind === "html" && open.clean.includeTags.length > 0 && view.facts().text !== "";
  return selects ? "No element with text matches includeTags." : "The page has no visible text.";
}

/** Without markdown, HTML that shows neither text, links nor pictures is blank. */
function isBlank(view: PageView, { markdown, html }: ScrapeDocument): boolean {
  if (markdown !== undefined || html === undefined) return markdown === "";
  const { text, links, images } = view.facts();
  return view.kind === "html" && text === "" && links + images === 0;
}
