import { openPage, type OpenOptions, type PageView } from "../content/page-view.ts";
import { AppError, ERRORS, type ErrorCode } from "../core/errors.ts";
import { DOWNLOAD, NOT_HTML, NOT_MODIFIED, READ_AS_FILE } from "../core/scrape/page.ts";
import type { Attempt } from "../core/scrape/attempt.ts";
import type { EngineOutcome, LoadedPage, PageNeed } from "../core/scrape/page.ts";
import { retryAfterMs } from "../core/scrape/retry-after.ts";
import type { Clock } from "../ports/system.ts";
import type { Engine, PageRequest } from "./engine.ts";
import { findObstacle, type Obstacle } from "./page-signals.ts";

const MAX_TRIES = 3;
const BAD_CERTIFICATE = "SCRAPE_SSL_ERROR";
const FIRST_DELAY_MS = 200;
const MAX_RETRY_AFTER_MS = 10_000;
/** Challenges that let browsers through do so within about five seconds. */
const CHALLENGE_WAIT_MS = 5000;
/** Server errors and refusals for now are worth another try (RFC 9110 §§ 15.5, 15.6; RFC 6585 § 4). */
const RETRYABLE_STATUSES = new Set([429, 500, 502, 503, 504]);
const BROWSERS_BYPASS = "browsers do not use the egress routes of this deployment";
const BROKEN_OFF = "The connection of a direct load was lost, so the page that the browser loaded may be incomplete.";
const BLANK = /^(?:\s|<!doctype[^<>]*>|<\/?(?:html|head|body)>)*$/i;
const MAX_BLANK_LENGTH = 200;
/** Failures of an egress route's proxy or service, not of the site. */
const PROXY_CODES: ReadonlySet<ErrorCode> = new Set(["SCRAPE_PROXY_UNREACHABLE", "SCRAPE_PROXY_DENIED"]);
/** No other engine would fare better. */
const FINAL_CODES: ReadonlySet<ErrorCode> = new Set([
  "SAFE_MODE_BLOCKED",
  "SCRAPE_DNS_RESOLUTION_ERROR",
  "SCRAPE_TIMEOUT",
  "SCRAPE_BODY_TOO_LARGE",
  "SCRAPE_WORK_LIMIT",
  "SCRAPE_REDIRECT_ERROR",
]);

/** A loaded page, the engine that loaded it, and the reason why it may lack its content. */
export interface Loaded {
  view: PageView;
  attempts: Attempt[];
  obstacle: Obstacle | undefined;
}

export interface WaterfallTools {
  engines: readonly Engine[];
  clock: Clock;
  sleep(ms: number): Promise<void>;
}

/**
 * Tries engines, cheapest first, until one brings the page's content. An engine that brings a shell or a wall is
 * remembered: when no later one does better its page is the answer, with the obstacle named.
 * @throws AppError when nothing was loaded: the last engine's code, or `SCRAPE_ACTIONS_NOT_SUPPORTED` and
 * `SCRAPE_BROWSER_UNAVAILABLE` when no engine can do what is asked.
 */
export async function loadPage(tools: WaterfallTools, request: PageRequest, open: OpenOptions): Promise<Loaded> {
  const engines = enginesFor(tools.engines, request);
  if (engines.length === 0) throw missingEngine(request);
  const attempts: Attempt[] = [];
  let fallback: Loaded | undefined;
  let failure: AppError | undefined;
  let waitedMs = 0;

  for (const engine of engines) {
    if (isPointless(engine, { fallback, failure, request })) continue;
    const moved = { ...request, deadlineMs: request.deadlineMs + waitedMs };
    const result = await tryEngine(tools, engine, { request: moved, open, attempts });
    waitedMs += result.waitedMs;
    if (result.loaded !== undefined && waitedMs > 0) result.loaded.view.loaded.waitedMs = waitedMs;
    if (result.failure !== undefined) {
      failure = result.failure;
      if (isFinal(result.failure.code, request)) break;
    }
    if (result.loaded === undefined) continue;
    if (failure?.code === "SCRAPE_SITE_ERROR") {
      const { loaded } = result.loaded.view;
      if (isBlank(loaded)) {
        amendLast(attempts, "empty_response");
        continue;
      }
      loaded.warnings.push(BROKEN_OFF);
    }
    if (!wantsAnotherEngine(result.loaded.obstacle, request)) return result.loaded;
    amendLast(attempts, result.loaded.obstacle.reason);
    fallback = better(fallback, result.loaded);
  }
  if (fallback !== undefined) return withNote(fallback, failure, request);
  if (failure === undefined && isFile(attempts)) return await loadFile(tools, { request, open, attempts });
  throw failure ?? new AppError("SCRAPE_ALL_ENGINES_FAILED", undefined, { details: attempts, attempts });
}

/** Returns the engines of the load's routes; without routes those of the direct way, then those to try after a refusal. */
function enginesFor(all: readonly Engine[], { needs, egress }: PageRequest): Engine[] {
  const able = all.filter((engine) => [...needs].every((need) => engine.provides.has(need)));
  const ofRoutes = (names: readonly string[]): Engine[] =>
    names.flatMap((name) => able.filter(({ route }) => route?.name === name));
  const { routes = [], ifBlocked = [] } = egress ?? {};
  if (routes.length > 0) return ofRoutes(routes);
  return [...able.filter(({ route }) => route === undefined), ...ofRoutes(ifBlocked)];
}

interface Outcomes {
  fallback: Loaded | undefined;
  failure: AppError | undefined;
  request: PageRequest;
}

/** Reports whether another route cannot help: it does where a site has refused, or where no page came. */
function isPointless({ route }: Engine, { fallback, failure, request }: Outcomes): boolean {
  if (route === undefined) return false;
  if (fallback !== undefined) return fallback.obstacle?.kind !== "blocked";
  const isDirect = (request.egress?.routes ?? []).length === 0;
  return isDirect && failure?.code !== "SCRAPE_SITE_ERROR";
}

interface TryOptions {
  request: PageRequest;
  open: OpenOptions;
  attempts: Attempt[];
}

/** The result of trying one engine; empty when the engine does not apply to this page. */
interface EngineResult {
  /** Time by which the deadline has moved, in ms. */
  waitedMs: number;
  loaded?: Loaded;
  failure?: AppError;
}

/** Tries one engine, again after failures that are temporary. */
async function tryEngine(
  tools: WaterfallTools,
  engine: Engine,
  { request, open, attempts }: TryOptions,
): Promise<EngineResult> {
  let extraWaitMs = 0;
  let waitedMs = 0;
  for (let attempt = 1; ; attempt++) {
    const startedAtMs = tools.clock.now();
    const deadlineMs = request.deadlineMs + waitedMs;
    // The certificate is checked first: a page without a valid one is known by its attempts, and is not stored.
    const skipTlsVerification =
      request.skipTlsVerification && attempts.some(({ reason }) => reason === BAD_CERTIFICATE);
    const waitForMs = request.waitForMs + extraWaitMs;
    const outcome = await engine.load({ ...request, deadlineMs, waitForMs, skipTlsVerification });
    attempts.push(toAttempt(engine, outcome, tools.clock.now() - startedAtMs));
    waitedMs += waitOf(outcome);
    const result = { ...(await readOutcome(outcome, open, attempts)), waitedMs };
    const tried = { outcome, obstacle: result.loaded?.obstacle, attempt, atMs: tools.clock.now(), skipTlsVerification };
    const again = attempt < MAX_TRIES ? nextTry(engine, tried, request) : undefined;
    if (again === undefined) return result;
    if (tools.clock.now() + again.delayMs + again.extraWaitMs >= request.deadlineMs + waitedMs) return result;
    if (outcome.kind === "loaded") amendLast(attempts, again.reason);
    extraWaitMs = again.extraWaitMs;
    await tools.sleep(again.delayMs);
  }
}

/** Reports whether the last attempt was a browser's, which received something else than a page. */
function isFile(attempts: readonly Attempt[]): boolean {
  const reason = attempts.at(-1)?.reason ?? "";
  return reason === DOWNLOAD || reason.startsWith(NOT_HTML);
}

/**
 * Loads without a browser what one received in place of a page.
 * @throws AppError when that brings nothing, or when all that is asked for needs a browser
 */
async function loadFile(tools: WaterfallTools, { request, open, attempts }: TryOptions): Promise<Loaded> {
  const plain = { ...request, needs: new Set<PageNeed>(), waitForMs: 0, screenshot: undefined };
  const engine = enginesFor(tools.engines, plain).find(({ engine: name }) => name === "fetch");
  const type = attempts.at(-1)?.reason?.split(NOT_HTML)[1] ?? "a download";
  if (request.acceptsFile !== true || engine === undefined) {
    const message = `The address answers with ${type}, not with a page: actions, screenshot and branding need a page in a browser`;
    throw new AppError("SCRAPE_ALL_ENGINES_FAILED", message, { details: attempts, attempts });
  }
  const { loaded, failure, waitedMs } = await tryEngine(tools, engine, { request: plain, open, attempts });
  if (loaded === undefined) {
    throw failure ?? new AppError("SCRAPE_ALL_ENGINES_FAILED", undefined, { details: attempts, attempts });
  }
  if (waitedMs > 0) loaded.view.loaded.waitedMs = waitedMs;
  loaded.view.loaded.warnings.push(READ_AS_FILE);
  return loaded;
}

function waitOf(outcome: EngineOutcome): number {
  return (outcome.kind === "loaded" ? outcome.page.waitedMs : outcome.waitedMs) ?? 0;
}

async function readOutcome(
  outcome: EngineOutcome,
  open: OpenOptions,
  attempts: Attempt[],
): Promise<Omit<EngineResult, "waitedMs">> {
  if (outcome.kind === "failed") {
    return { failure: new AppError(outcome.code, outcome.message, { cause: outcome.cause, attempts }) };
  }
  if (outcome.page === undefined) return {};
  const view = await openPage(outcome.page, open);
  // A response without a body says nothing about obstacles.
  const obstacle = outcome.page.statusCode === NOT_MODIFIED ? undefined : findObstacle(view);
  return { loaded: { view, attempts, obstacle } };
}

/** Reports whether a page is what a browser makes of a body of which nothing could be decoded. */
function isBlank({ body }: LoadedPage): boolean {
  if (body.length > MAX_BLANK_LENGTH) return false;
  return BLANK.test(typeof body === "string" ? body : new TextDecoder().decode(body));
}

/** Marks the last attempt as a load that turned out not to be enough. */
function amendLast(attempts: Attempt[], reason: string): void {
  const last = attempts.at(-1);
  if (last !== undefined) Object.assign(last, { outcome: "insufficient", reason });
}

function toAttempt(engine: Engine, outcome: EngineOutcome, ms: number): Attempt {
  const proxy = outcome.kind === "loaded" ? outcome.page.proxy : outcome.proxy;
  const routed = proxy === undefined ? {} : { proxy };
  if (outcome.kind === "loaded") return { engine: engine.engine, outcome: "loaded", ...routed, ms };
  return {
    engine: engine.engine,
    outcome: outcome.kind,
    reason: outcome.kind === "failed" ? outcome.code : outcome.reason,
    ...routed,
    ms,
  };
}

/** Another try of the same engine: how long to wait before it, and how much longer to stay on the page. */
interface NextTry {
  delayMs: number;
  extraWaitMs: number;
  reason: string;
}

interface Tried {
  outcome: EngineOutcome;
  obstacle: Obstacle | undefined;
  /** From 1. */
  attempt: number;
  atMs: number;
  /** False for a load that checked the certificate of the site. */
  skipTlsVerification: boolean;
}

/**
 * The reason to try again; undefined when another attempt is pointless. Server errors and temporary refusals pass; many
 * challenges let a browser through that stays for some seconds; a wall does not open for another plain fetch.
 */
function nextTry({ engine, route }: Engine, tried: Tried, request: PageRequest): NextTry | undefined {
  const { isRetriedLater = false } = request;
  const { outcome, obstacle, attempt } = tried;
  if (outcome.kind === "failed" && outcome.code === BAD_CERTIFICATE && engine === "browser") {
    const maySkip = request.skipTlsVerification && !tried.skipTlsVerification;
    return maySkip ? { delayMs: 0, extraWaitMs: 0, reason: BAD_CERTIFICATE } : undefined;
  }
  if (outcome.kind === "failed" && PROXY_CODES.has(outcome.code)) {
    // Another proxy of the route.
    return attempt < (route?.endpoints ?? 1) ? { delayMs: 0, extraWaitMs: 0, reason: outcome.code } : undefined;
  }
  const delayMs = isRetriedLater ? undefined : retryDelayMs(tried);
  if (delayMs !== undefined) {
    const reason = outcome.kind === "loaded" ? `http_${outcome.page.statusCode}` : "failed";
    return { delayMs, extraWaitMs: 0, reason };
  }
  const isChallenged =
    outcome.kind === "loaded" && outcome.page.engine === "browser" && obstacle?.reason === "bot_wall";
  return isChallenged && attempt === 1 ? { delayMs: 0, extraWaitMs: CHALLENGE_WAIT_MS, reason: "bot_wall" } : undefined;
}

/** Ms until another try makes sense; undefined when it does not. Browsers repeat nothing: their tries cost seconds. */
function retryDelayMs({ outcome, obstacle, attempt, atMs }: Tried): number | undefined {
  const backOffMs = FIRST_DELAY_MS * 2 ** (attempt - 1);
  if (outcome.kind !== "loaded" || outcome.page.engine !== "fetch" || obstacle?.kind === "blocked") return undefined;
  if (!RETRYABLE_STATUSES.has(outcome.page.statusCode)) return undefined;
  const askedMs = retryAfterMs(outcome.page.headers["retry-after"] ?? "", atMs);
  if (askedMs === undefined) return backOffMs;
  return askedMs <= MAX_RETRY_AFTER_MS ? Math.max(askedMs, backOffMs) : undefined;
}

function wantsAnotherEngine(obstacle: Obstacle | undefined, request: PageRequest): obstacle is Obstacle {
  if (obstacle === undefined || request.fastMode) return false;
  return obstacle.kind === "needs_browser" || obstacle.kind === "blocked";
}

/** Of two pages with obstacles the one with more text. */
function better(known: Loaded | undefined, next: Loaded): Loaded {
  if (known === undefined) return next;
  return next.view.facts().text.length >= known.view.facts().text.length ? next : known;
}

function isFinal(code: ErrorCode, request: PageRequest): boolean {
  if (code === BAD_CERTIFICATE) return !request.skipTlsVerification;
  return FINAL_CODES.has(code);
}

function withNote(fallback: Loaded, failure: AppError | undefined, { egress }: PageRequest): Loaded {
  const { warnings } = fallback.view.loaded;
  const { routes = [] } = egress ?? {};
  if (routes.length > 0 && fallback.obstacle?.kind === "needs_browser") {
    warnings.push(
      `The page needs a browser, and ${BROWSERS_BYPASS} (${routes.join(", ")}); this is the page without its scripts.`,
    );
  } else if (failure !== undefined && PROXY_CODES.has(failure.code)) {
    warnings.push(`The site refused the direct request, and the egress route failed (${failure.message}).`);
  } else if (failure !== undefined) {
    fallback.view.loaded.warnings.push(
      `The page needs a browser, which failed (${failure.code}: ${ERRORS[failure.code].message}); this is the page without its scripts.`,
    );
  }
  return fallback;
}

function missingEngine(request: PageRequest): AppError {
  const { routes = [] } = request.egress ?? {};
  if (routes.length > 0) {
    const message = `This request needs a browser, and ${BROWSERS_BYPASS} (${routes.join(", ")})`;
    return new AppError("SCRAPE_PROXY_SELECTION_ERROR", message);
  }
  if (request.needs.has("actions")) return new AppError("SCRAPE_ACTIONS_NOT_SUPPORTED");
  if (request.needs.has("branding")) return new AppError("SCRAPE_BRANDING_NOT_SUPPORTED");
  return new AppError("SCRAPE_BROWSER_UNAVAILABLE");
}
