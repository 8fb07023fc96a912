import { selectsFrames } from "../../content/main-content/clean.ts";
import type { ToolDetail } from "../alexandria/find-tools.ts";
import { INDEXED_TEXT, type PagePart } from "../../content/page-parts.ts";
import type { OpenOptions } from "../../content/page-view.ts";
import { RULED_ENTITIES, type RedactOptions, type RuledEntity } from "../../content/text/pii/redact-pii.ts";
import { PROXY_KINDS } from "../../core/egress-routes.ts";
import { totalWaitMs } from "../../core/scrape/actions.ts";
import type { PageNeed } from "../../core/scrape/page.ts";
import { WorkBudget } from "../../core/work-budget.ts";
import { cacheUrl, toAbsoluteUrl } from "../../core/url/url.ts";
import type { PageRequest } from "../../engines/engine.ts";
import { formatFor, formatsOf, type FormatRequest } from "../../formats/index.ts";
import { boundedTimeoutMs, TOLERATED_OPTIONS, type Parser, type ScrapeOptions } from "../../formats/scrape-options.ts";
import { warningsWithoutEffect } from "../../formats/without-effect.ts";
import type { PageCacheKey } from "../../ports/storage/stores.ts";

/** Defaults of absent options, which differ between the API versions (api-contract.md, “Scrape options”). */
export interface ScrapeDefaults {
  timeoutMs: number;
  maxAgeMs: number;
  proxy: "basic" | "auto";
  skipTlsVerification: boolean;
}

const HOUR_MS = 3_600_000;
export const V2_DEFAULTS: ScrapeDefaults = {
  timeoutMs: 60_000,
  maxAgeMs: 48 * HOUR_MS,
  proxy: "auto",
  skipTlsVerification: true,
};
/** Of requests that only the cache may answer: copies are used as long as they are kept. */
const CACHE_ONLY_MAX_AGE_MS = 2 * 365 * 24 * HOUR_MS;
/** Timeout that old clients send by default; it is raised where a proxy may be slow. */
const HABITUAL_TIMEOUT_MS = 30_000;
const RAISED_TIMEOUT_MS = 120_000;
/** Timeout when a model reads the page after it has loaded. */
const MODEL_TIMEOUT_MS = 60_000;

/** Time that a browser gives a page to settle before the page is compared with its earlier state. */
const SETTLING_MS = 5_000;

const DEFAULT_PARSERS: Parser[] = [{ type: "pdf", mode: "auto" }];

/** Use of the cache by a scrape. */
export interface CachePlan {
  key: Omit<PageCacheKey, "team">;
  /** Undefined when the cache is not read. */
  read: { minAgeMs: number; maxAgeMs: number } | undefined;
  /** Set when a page may come only from the cache. */
  only: "minAge" | "lockdown" | undefined;
  store: boolean;
}

/** Options of a scrape with all defaults applied. */
export interface ScrapePlan {
  formats: FormatRequest[];
  timeoutMs: number;
  page: Omit<PageRequest, "deadlineMs" | "ownHosts">;
  open: OpenOptions;
  removeBase64Images: boolean;
  /** True when a model removes clutter from the markdown. */
  onlyCleanContent: boolean;
  /** True when a page that addresses language models is refused. */
  checkPromptInjection: boolean;
  /** Undefined without redaction. */
  redaction: (RedactOptions & { isAggressive: boolean }) | undefined;
  cache: CachePlan;
  /** Name of the saved profile that the load uses. */
  profile: string | undefined;
  /** Detail of the capabilities for the host of the page; undefined for none. */
  tools: ToolDetail | undefined;
  /** Warnings about requested options that have no effect. */
  warnings: string[];
}

/** Applies the defaults, and adds warnings about options that have no effect. Pure. */
export function planScrape(url: string, options: ScrapeOptions, defaults: ScrapeDefaults = V2_DEFAULTS): ScrapePlan {
  const formats = formatsOf(options);
  const page = pagePlan(url, { options, formats, defaults });
  return {
    formats,
    timeoutMs: timeoutOf(options, { formats, defaults }),
    page,
    open: { ...openPlan(options, formats), parts: partsPlan(options, formats) },
    removeBase64Images: options.removeBase64Images ?? true,
    onlyCleanContent: options.onlyCleanContent ?? false,
    checkPromptInjection: options.checkPromptInjection ?? false,
    redaction: redactionPlan(options),
    cache: cachePlan(options, { page, formats, defaults }),
    profile: options.profile ? options.profile.name : undefined,
    tools: options.domainTools === true ? (options.toolDetail ?? "summary") : undefined,
    warnings: unsupportedOptions(options, formats),
  };
}

interface PageInputs {
  options: ScrapeOptions;
  formats: FormatRequest[];
  defaults: ScrapeDefaults;
}

function pagePlan(url: string, { options, formats, defaults }: PageInputs): ScrapePlan["page"] {
  const headers = options.headers ?? {};
  const actions = options.actions ?? [];
  const isPersonal = Object.keys(headers).length > 0 || actions.length > 0 || Boolean(options.profile);
  const screenshot = formats.find((format) => format.type === "screenshot");
  return {
    url: toAbsoluteUrl(url),
    waitForMs: waitForOf(options, { formats, defaults }),
    mobile: options.mobile ?? false,
    headers,
    languages: options.location?.languages ?? [],
    blockAds: options.blockAds ?? true,
    skipTlsVerification: options.skipTlsVerification ?? (defaults.skipTlsVerification && !isPersonal),
    fastMode: options.fastMode ?? false,
    actions,
    screenshot,
    needs: needsOf(options, formats),
    acceptsFile: actions.length === 0 && readsFiles(formats),
  };
}

/**
 * Returns the wait in ms. A wait that was not requested does not require a browser, and takes at most half of the
 * timeout.
 */
function waitForOf(options: ScrapeOptions, { formats, defaults }: Pick<PageInputs, "formats" | "defaults">): number {
  const asked = options.waitFor ?? 0;
  if (!tracksChanges(formats)) return asked;
  return Math.max(asked, Math.min(SETTLING_MS, timeoutOf(options, { formats, defaults }) / 2));
}

function tracksChanges(formats: readonly FormatRequest[]): boolean {
  return formats.some(({ type }) => type === "changeTracking");
}

function needsOf(options: ScrapeOptions, formats: FormatRequest[]): Set<PageNeed> {
  const needs = new Set<PageNeed>(formats.flatMap(({ type }) => formatFor(type).needs));
  if ((options.actions ?? []).length > 0) needs.add("actions");
  if ((options.waitFor ?? 0) > 0 || readsFrames(options)) needs.add("browser");
  return needs;
}

/**
 * Reports whether the formats can be had of a file, but for a screenshot beside others; a request without formats is one for
 * markdown. Branding is of a page's styles.
 */
function readsFiles(formats: readonly FormatRequest[]): boolean {
  if (formats.some(({ type }) => formatFor(type).needs.includes("branding"))) return false;
  return formats.length === 0 || formats.some(({ type }) => formatFor(type).needs.length === 0);
}

/** Frames are only in pages that were loaded for them. */
function readsFrames({ includeTags = [] }: ScrapeOptions): boolean {
  return includeTags.some(selectsFrames);
}

function openPlan(options: ScrapeOptions, formats: FormatRequest[]): OpenOptions {
  return {
    clean: {
      onlyMainContent: options.onlyMainContent ?? true,
      includeTags: options.includeTags ?? [],
      excludeTags: options.excludeTags ?? [],
    },
    pdf: pdfPlan(options.parsers),
    pictures: (options.parsers ?? DEFAULT_PARSERS).some(({ type }) => type === "image"),
    bytesOnly: formats.length > 0 && formats.every(({ type }) => type === "rawBase64"),
    budget: new WorkBudget(),
  };
}

/** Text from which questions about a redacted page are answered; the answer about any other page is a part of its own. */
const ANSWERED_TEXT = { name: "markdown", removeBase64Images: true } as const satisfies PagePart;

/** Formats that do not read the markdown. */
const WITHOUT_TEXT: ReadonlySet<string> = new Set(["links", "images", "html", "rawHtml", "attributes", "screenshot"]);

/** Returns the parts of the page that the response and the search index take: its text, and those of the formats. */
function partsPlan(options: ScrapeOptions, formats: readonly FormatRequest[]): PagePart[] {
  const { removeBase64Images = true, checkPromptInjection = false } = options;
  const hasMarkdown = formats.some(({ type }) => type === "markdown");
  const isRedacted = redactionPlan(options) !== undefined;
  const isRead = checkPromptInjection || isRedacted;
  const needsText = isRead || formats.some(({ type }) => !WITHOUT_TEXT.has(type));
  return [
    ...(needsText ? [{ name: "markdown", removeBase64Images } as const] : []),
    ...(hasMarkdown ? [] : [INDEXED_TEXT]),
    ...formats
      .flatMap((request) => formatFor(request.type).reads?.(request) ?? [])
      .map((part) => (isRedacted && part.name === "answer" ? ANSWERED_TEXT : part)),
  ];
}

function pdfPlan(parsers: readonly Parser[] = DEFAULT_PARSERS): OpenOptions["pdf"] {
  const parser = parsers.find((each) => each.type === "pdf");
  if (parser === undefined) return undefined;
  return {
    mode: parser.mode,
    pages: parser.pages ?? parser.pageMarkdown ?? false,
    blocks: parser.blocks ?? false,
    pageMarkers: parser.pageMarkers ?? false,
    figures: parser.figures ?? false,
    ...(parser.tables === undefined ? {} : { tables: parser.tables }),
    ...(parser.maxPages === undefined ? {} : { maxPages: parser.maxPages }),
  };
}

/** Returns how long a scrape with these options may take, in ms: what its plan says. */
export function timeoutOfScrape(options: ScrapeOptions, defaults: ScrapeDefaults): number {
  return timeoutOf(options, { formats: formatsOf(options), defaults });
}

/** Returns the timeout that was sent, or the default one, which is at least twice as long as the waits of the request. */
function timeoutOf(options: ScrapeOptions, inputs: Pick<PageInputs, "formats" | "defaults">): number {
  const { timeout, actions = [], waitFor = 0 } = options;
  if (timeout !== undefined) return raisedTimeout(timeout, options, inputs);
  return Math.max(raisedTimeout(inputs.defaults.timeoutMs, options, inputs), 2 * totalWaitMs(actions, waitFor));
}

/** Returns a timeout within its limits; the one that old clients send by default is raised for slow requests. */
function raisedTimeout(
  timeoutMs: number,
  options: ScrapeOptions,
  { formats, defaults }: Pick<PageInputs, "formats" | "defaults">,
): number {
  const asked = boundedTimeoutMs(timeoutMs);
  const mayBeSlow = (options.proxy ?? defaults.proxy) !== "basic";
  if (asked !== HABITUAL_TIMEOUT_MS) return asked;
  if (mayBeSlow) return RAISED_TIMEOUT_MS;
  return formats.some(({ type }) => type === "json" || type === "changeTracking") ? MODEL_TIMEOUT_MS : asked;
}

/**
 * Returns the redaction. Without a list of entities, all are redacted. The aggressive mode also reads numbers as those
 * of the largest network.
 */
function redactionPlan({ redactPII = false, location }: ScrapeOptions): ScrapePlan["redaction"] {
  if (redactPII === false) return undefined;
  const requested = redactPII === true ? {} : redactPII;
  const { replaceStyle = "tag", mode = "accurate" } = requested as Partial<Exclude<typeof redactPII, true>>;
  return {
    entities: redactedEntities({ redactPII }),
    replaceStyle,
    // The regions of the interface, such as `us-generic`, are those of a country.
    country: location?.country?.split("-")[0],
    isAggressive: mode === "aggressive",
  };
}

/** Returns the kinds of personal data that are redacted: of the requested ones, those that rules can find. */
export function redactedEntities({ redactPII = false }: Pick<ScrapeOptions, "redactPII">): RuledEntity[] {
  if (redactPII === false) return [];
  const { entities = [] } = (redactPII === true ? {} : redactPII) as Partial<Exclude<typeof redactPII, true>>;
  const wanted: readonly string[] = entities;
  return RULED_ENTITIES.filter((entity) => wanted.length === 0 || wanted.includes(entity));
}

interface CacheInputs {
  formats: FormatRequest[];
  page: ScrapePlan["page"];
  defaults: ScrapeDefaults;
}

/** Returns the use of the cache. Personal requests, with actions, headers or a profile, neither read nor write it. */
function cachePlan(options: ScrapeOptions, { page, formats, defaults }: CacheInputs): CachePlan {
  const isPersonal = page.actions.length > 0 || Object.keys(page.headers).length > 0 || Boolean(options.profile);
  const lockdown = options.lockdown ?? false;
  const only = lockdown ? "lockdown" : options.minAge === undefined ? undefined : "minAge";
  const maxAgeMs = options.maxAge ?? (only === undefined ? defaults.maxAgeMs : CACHE_ONLY_MAX_AGE_MS);
  // A cached copy does not show the current state of the page, and contains no computed styles and perhaps no frames.
  const needsFreshPage = tracksChanges(formats) || page.needs.has("branding") || readsFrames(options);
  const isUnread = isPersonal || asksForRoute(options) || maxAgeMs === 0 || needsFreshPage;
  return {
    key: cacheKey(page, options.location?.country),
    read: isUnread ? undefined : { minAgeMs: options.minAge ?? 0, maxAgeMs },
    only,
    store: !isPersonal && !namesRoute(options) && (options.storeInCache ?? true) && only === undefined,
  };
}

/** Another way out is requested after a page was refused, or for what a site shows to it, so a cached copy is not used. */
function asksForRoute({ proxy }: ScrapeOptions): boolean {
  return proxy !== undefined && proxy !== "basic" && proxy !== "auto";
}

/** A site may show another page by a named route, which other requests do not receive. */
function namesRoute({ proxy }: ScrapeOptions): boolean {
  return proxy !== undefined && !PROXY_KINDS.some((kind) => kind === proxy);
}

function cacheKey(page: ScrapePlan["page"], country = ""): CachePlan["key"] {
  const picture = page.screenshot;
  return {
    url: cacheUrl(page.url),
    mobile: page.mobile,
    blockAds: page.blockAds,
    country,
    languages: page.languages
      .map((language) => language.toLowerCase())
      .toSorted()
      .join(","),
    screenshot:
      picture === undefined ? "" : JSON.stringify([picture.fullPage, picture.quality ?? 0, picture.viewport ?? 0]),
  };
}

/** Returns warnings about requested options that have no effect; defaults cause none. */
function unsupportedOptions(options: ScrapeOptions, formats: readonly FormatRequest[]): string[] {
  const notices: [boolean, string][] = [
    [
      options.location?.country !== undefined,
      "location.country: this service cannot choose the country that a request comes from; only the languages were applied.",
    ],
    [
      options.onlyCleanContent === true && !formats.some(({ type }) => type === "markdown"),
      "onlyCleanContent: it cleans markdown, which was not asked for.",
    ],
    [
      options.timeout !== undefined && boundedTimeoutMs(options.timeout) !== options.timeout,
      `timeout: it was lowered to ${boundedTimeoutMs(options.timeout ?? 0)} ms, the longest that a scrape may take.`,
    ],
    [redactionMode(options) === "fast", "redactPII.mode: fast works like accurate on this service."],
  ];
  const ineffective = notices.flatMap(([applies, words]) => (applies ? [words] : []));
  return [...ineffective, ...twinParsers(options.parsers), ...warningsWithoutEffect(options, TOLERATED_OPTIONS)];
}

/** Returns warnings about parsers that are listed again with other options. */
function twinParsers(parsers: readonly Parser[] = []): string[] {
  const isTwin = (parser: Parser): boolean => {
    const first = parsers.find(({ type }) => type === parser.type);
    return JSON.stringify(first) !== JSON.stringify(parser);
  };
  const types = new Set(parsers.filter(isTwin).map(({ type }) => type));
  return [...types].map((type) => `parsers: ${type} is listed more than once; the options of its first entry apply.`);
}

function redactionMode({ redactPII }: ScrapeOptions): string | undefined {
  return typeof redactPII === "object" ? redactPII.mode : undefined;
}
